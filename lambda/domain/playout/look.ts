// The look of a stream: its aspect, the framing of items with another aspect, joins and overlays.
import { overlayUploads } from './overlays.ts';
import type { DrawingName, Overlays } from './overlays.ts';
import type { Stinger, StingerSettings } from './stinger.ts';

/** Width to height. */
export const aspects = ['16:9', '9:16', '1:1'] as const;
export type Aspect = (typeof aspects)[number];

/** `pad`: bars of a colour around the item. `crop`: the item fills the frame. `blur`: blurred, behind itself. */
export const framingModes = ['pad', 'crop', 'blur'] as const;

export interface Framing {
  readonly mode: (typeof framingModes)[number];
  /** Colour of the bars, `#rrggbb` in small letters. Only `pad` uses it. */
  readonly colour: string;
}

/**
 * The transitions between videos. `through`: the ending item fades to this colour, and the next item fades from it;
 * their sound passes through silence. `transition`: the next item begins before the other ends, and replaces it with
 * this transition of ffmpeg's filter `xfade`; their sound is crossfaded.
 */
export const pictureEffects = {
  dip: { through: 'black' },
  crossfade: { transition: 'fade' },
} as const satisfies Readonly<Record<string, { readonly through: string } | { readonly transition: string }>>;
export type PictureEffect = keyof typeof pictureEffects;

export const pictureJoinKinds = ['cut', ...(Object.keys(pictureEffects) as PictureEffect[]), 'stinger'] as const;

/** The transition from a video item to the next one. The items' own sound follows it. */
export interface PictureJoin {
  /**
   * A dip fades through black and silence. With a crossfade, the next item begins while this one is still visible. A
   * stinger plays the stream's stinger over the end of this item and the beginning of the next one.
   */
  readonly kind: (typeof pictureJoinKinds)[number];
  /** Length of each fade in seconds. Cuts ignore it, and so do stingers in settings. */
  readonly seconds: number;
}

/** The transition between video items of a timeline. */
export type ShownJoin = StingerJoin | { readonly kind: PictureEffect; readonly seconds: number };

export interface StingerJoin {
  readonly kind: 'stinger';
  /** Seconds that the stinger covers the item that ends. */
  readonly seconds: number;
  readonly stinger: Stinger;
}

export const pictureJoinSeconds = { shortest: 0.2, longest: 2, step: 0.1 } as const;

/** The look settings of a playlist item. */
export interface ItemLook {
  readonly framing?: Framing;
  readonly join?: PictureJoin;
}

export interface StreamLook extends ItemLook {
  readonly aspect: Aspect;
  readonly framing: Framing;
  /** The stinger of joins of that kind; absent: these joins are cuts. */
  readonly stinger?: StingerSettings;
  /** Graphics over the pictures; absent: none. */
  readonly overlays?: Overlays;
  /** The name of the drawing over all pictures; it follows from `overlays`. */
  readonly drawn?: DrawingName;
}

export const usualLook: StreamLook & Required<ItemLook> = {
  aspect: '16:9',
  framing: { mode: 'pad', colour: '#000000' },
  join: { kind: 'cut', seconds: 1 },
};

/** The ids of the uploads that a look shows: logo and stinger. */
export function lookUploads(look: StreamLook | null | undefined): string[] {
  return [...overlayUploads(look?.overlays), ...(look?.stinger ? [look.stinger.uploadID] : [])];
}

/** The part of a stream's format for an aspect. @param aspect null: 16:9 */
export function ofAspect(aspect: Aspect | null): { readonly aspect?: Exclude<Aspect, '16:9'> } {
  return aspect === null || aspect === '16:9' ? {} : { aspect };
}

/** A framing in the names of formats. Black bars have no name: they are the default. */
export type FramingName = 'crop' | 'blur' | `pad${string}`;

/** The name of a framing; undefined for black bars. */
function framingName({ mode, colour }: Framing): FramingName | undefined {
  if (mode !== 'pad') return mode;
  return colour === usualLook.framing.colour ? undefined : `pad${colour.slice(1)}`;
}

/** The framing for a name of `framingName`. */
export function framingNamed(name: FramingName | undefined): Framing {
  const { colour } = usualLook.framing;
  if (name === undefined) return usualLook.framing;
  if (name === 'crop' || name === 'blur') return { mode: name, colour };
  return { mode: 'pad', colour: `#${name.slice('pad'.length)}` };
}

/** Largest relative difference of shapes that are the same to within a pixel at every quality. */
const sameShapeShare = 1 / 3840;

/** Whether pictures of a size fill a frame of an aspect, so that framing has no effect. */
function fills(aspect: Aspect, { width, height }: { readonly width: number; readonly height: number }): boolean {
  const [across, down] = sidesOf(aspect);
  return Math.abs(width * down - height * across) < height * across * sameShapeShare;
}

/** The aspect of pictures whose size has one of the supported aspects. */
export function aspectOfSize(size: { readonly width: number; readonly height: number }): Aspect {
  return aspects.find((aspect) => fills(aspect, size))!;
}

/** Width and height of an aspect, as a ratio without a unit. */
function sidesOf(aspect: Aspect): readonly [number, number] {
  const [across, down] = aspect.split(':').map(Number);
  return [across!, down!];
}

/**
 * The framing of an item: its own, or the stream's. The SQL function `framing_name` is equivalent.
 * @param size size as displayed; null if it is not known
 * @returns undefined if the result equals that of black bars
 */
export function framingOf(
  item: ItemLook | null | undefined,
  stream: StreamLook | null,
  size: { readonly width: number; readonly height: number } | null,
): FramingName | undefined {
  const { aspect, framing } = stream ?? usualLook;
  return size !== null && fills(aspect, size) ? undefined : framingName(item?.framing ?? framing);
}
