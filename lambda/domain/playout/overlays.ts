// What is drawn over the pictures of a stream, and where: its settings.

export const overlayPlaces = ['topLeft', 'top', 'topRight', 'bottomLeft', 'bottom', 'bottomRight'] as const;
export type OverlayPlace = (typeof overlayPlaces)[number];

/** An image in a corner, or in the middle of an edge. */
export interface Logo {
  readonly uploadID: string;
  readonly place: OverlayPlace;
  /** Of the width of the pictures; less where it would be higher than they are. */
  readonly widthPercent: number;
  readonly opacityPercent: number;
}

/** The title and the artist of an item. */
export interface TitleOverlay {
  readonly place: OverlayPlace;
  /** From the item's beginning; null: to its end. */
  readonly seconds: number | null;
}

/** What comes next, over the last seconds of an item. */
export interface NextOverlay {
  readonly place: OverlayPlace;
  readonly seconds: number;
  /** In the language of the viewers: it stands before the title. */
  readonly label: string;
}

export const captionPlaces = ['top', 'bottom'] as const;

/** The captions of items that have some. */
export interface CaptionsOverlay {
  readonly place: (typeof captionPlaces)[number];
}

/** What a clock shows: the time of a zone, or its date before it. Minutes are the least of it. */
export const clockKinds = ['time', 'dateAndTime'] as const;

export interface ClockOverlay {
  readonly place: OverlayPlace;
  /** IANA name. */
  readonly timeZone: string;
  readonly shows: (typeof clockKinds)[number];
  /** BCP 47: in whose words and order it is written. */
  readonly language: string;
}

/** Lines that run from right to left over a bar, one after the other, again and again. */
export interface TickerOverlay {
  readonly place: (typeof captionPlaces)[number];
  readonly lines: readonly string[];
}

/** `plain`: letters with a shadow. `panel`: on a panel of their size. `bar`: on one across the picture. */
export const themeStyles = ['plain', 'panel', 'bar'] as const;

/** How texts are drawn. Colours are `#rrggbb` in small letters. */
export interface Theme {
  readonly style: (typeof themeStyles)[number];
  readonly textColour: string;
  readonly panelColour: string;
  readonly panelOpacityPercent: number;
}

/** What is drawn over the pictures of a stream. */
export interface Overlays {
  readonly logo: Logo | null;
  readonly title: TitleOverlay | null;
  /** Absent in settings of the release before. */
  readonly next?: NextOverlay | null;
  /** Absent in settings of the release before. */
  readonly captions?: CaptionsOverlay | null;
  /** Absent in settings of the release before. */
  readonly clock?: ClockOverlay | null;
  /** Absent in settings of the release before. */
  readonly ticker?: TickerOverlay | null;
  readonly theme: Theme;
  /** Its texts tell of the sound track, in place of the pictures; absent: of the items that they are over. */
  readonly ofSound?: true;
}

/** The name of what is drawn over all pictures of a stream, in names of formats. */
export type DrawingName = `o${string}`;
/**
 * The name of what is drawn over some pictures of an item besides, in names of formats. Its end says over which: `f10`,
 * those of the first ten seconds; `l10`, those of the last ten; `a`, all of them.
 */
export type VariantName = `v${string}${VariantPart}`;
export type VariantPart = 'a' | `f${number}` | `l${number}`;

export const usualLogo = { place: 'topRight', widthPercent: 12, opacityPercent: 100 } as const;
export const usualTitle = { place: 'bottomLeft', seconds: 10 } as const;
export const usualNext = { place: 'bottomLeft', seconds: 10, label: 'Up next' } as const;
export const usualCaptions = { place: 'bottom' } as const;
export const usualClock = { place: 'topLeft', timeZone: 'UTC', shows: 'time', language: 'en-GB' } as const;
export const usualTicker = { place: 'bottom' } as const;
export const usualTheme: Theme = {
  style: 'panel',
  textColour: '#ffffff',
  panelColour: '#000000',
  panelOpacityPercent: 60,
};

/** The least and the most. */
export const overlayBounds = {
  widthPercent: [1, 50],
  opacityPercent: [5, 100],
  panelOpacityPercent: [0, 100],
  titleSeconds: [2, 60],
  /** The end of an item may be a join, which has whole GOPs. */
  nextSeconds: [5, 60],
  labelLength: [1, 40],
  tickerLines: [1, 20],
  tickerLineLength: [1, 120],
} as const;

/** The ids of the uploads that are drawn. */
export function overlayUploads(overlays: Overlays | null | undefined): string[] {
  return overlays?.logo ? [overlays.logo.uploadID] : [];
}
