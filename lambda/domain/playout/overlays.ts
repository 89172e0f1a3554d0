// The settings of the graphics over the pictures of a stream.

export const overlayPlaces = ['topLeft', 'top', 'topRight', 'bottomLeft', 'bottom', 'bottomRight'] as const;
export type OverlayPlace = (typeof overlayPlaces)[number];

/** An image in a corner, or in the middle of an edge. */
export interface Logo {
  readonly uploadID: string;
  readonly place: OverlayPlace;
  /** Percent of the picture's width. A logo that would be higher than the picture is smaller. */
  readonly widthPercent: number;
  readonly opacityPercent: number;
}

/** The title and the artist of an item. */
export interface TitleOverlay {
  readonly place: OverlayPlace;
  /** Seconds from the item's beginning; null: to its end. */
  readonly seconds: number | null;
}

/** The title of the next item, over the last seconds of an item. */
export interface NextOverlay {
  readonly place: OverlayPlace;
  readonly seconds: number;
  /** Text before the title, in the language of the viewers. */
  readonly label: string;
}

export const captionPlaces = ['top', 'bottom'] as const;

/** The captions of items that have a caption file. */
export interface CaptionsOverlay {
  readonly place: (typeof captionPlaces)[number];
}

/** The readings of a clock: the time of a zone, or date and time. The smallest unit is a minute. */
export const clockKinds = ['time', 'dateAndTime'] as const;

export interface ClockOverlay {
  readonly place: OverlayPlace;
  /** IANA name of the time zone. */
  readonly timeZone: string;
  readonly shows: (typeof clockKinds)[number];
  /** BCP 47 tag of the language, which decides words and order. */
  readonly language: string;
}

/** Lines that move from right to left over a bar, one after the other and repeatedly. */
export interface TickerOverlay {
  readonly place: (typeof captionPlaces)[number];
  readonly lines: readonly string[];
}

/** `plain`: letters with a shadow. `panel`: a panel as large as the text. `bar`: a bar across the picture. */
export const themeStyles = ['plain', 'panel', 'bar'] as const;

/** The style of texts. Colours are `#rrggbb` in small letters. */
export interface Theme {
  readonly style: (typeof themeStyles)[number];
  readonly textColour: string;
  readonly panelColour: string;
  readonly panelOpacityPercent: number;
}

/** The graphics over the pictures of a stream. */
export interface Overlays {
  readonly logo: Logo | null;
  readonly title: TitleOverlay | null;
  /** The title of the next item. Absent or null: none. */
  readonly next?: NextOverlay | null;
  /** Captions. Absent or null: none. */
  readonly captions?: CaptionsOverlay | null;
  /** A clock. Absent or null: none. */
  readonly clock?: ClockOverlay | null;
  /** A ticker. Absent or null: none. */
  readonly ticker?: TickerOverlay | null;
  readonly theme: Theme;
  /** Whether titles are those of the audio track; absent: those of the items under them. */
  readonly ofSound?: true;
}

/** The name of the drawing over all pictures of a stream, in names of formats. */
export type DrawingName = `o${string}`;
/**
 * The name of the additional drawing over some pictures of an item, in names of formats. Its end names the pictures:
 * `f10`, those of the first ten seconds; `l10`, those of the last ten; `a`, all of them.
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

/** Smallest and largest values. */
export const overlayBounds = {
  widthPercent: [1, 50],
  opacityPercent: [5, 100],
  panelOpacityPercent: [0, 100],
  titleSeconds: [2, 60],
  /** At least this much, because the end of an item may be a join, which has whole GOPs. */
  nextSeconds: [5, 60],
  labelLength: [1, 40],
  tickerLines: [1, 20],
  tickerLineLength: [1, 120],
} as const;

/** The ids of the uploads that overlays draw. */
export function overlayUploads(overlays: Overlays | null | undefined): string[] {
  return overlays?.logo ? [overlays.logo.uploadID] : [];
}
