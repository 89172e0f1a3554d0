// What the pictures of a stream look like: their shape, how an item of another shape is put into it, what is over it.
import { overlayUploads } from './overlays.ts';
import type { DrawingName, Overlays } from './overlays.ts';
import type { Stinger, StingerSettings } from './stinger.ts';

/** Width to height. */
export const aspects = ['16:9', '9:16', '1:1'] as const;
export type Aspect = (typeof aspects)[number];

/** `pad`: bars of a colour around it. `crop`: as much of it as fills the frame. `blur`: itself, blurred, behind it. */
export const framingModes = ['pad', 'crop', 'blur'] as const;

export interface Framing {
  readonly mode: (typeof framingModes)[number];
  /** Of the bars, as `#rrggbb` in small letters; it matters for `pad` alone. */
  readonly colour: string;
}

/**
 * The effects by which pictures follow one another. `through`: the item that ends passes to this colour, and the next
 * one from it; their sound passes through silence. `transition`: the next item begins before the other ends, and
 * replaces it by this transition of ffmpeg's filter `xfade`; their sound is crossfaded.
 */
export const pictureEffects = {
  dip: { through: 'black' },
  crossfade: { transition: 'fade' },
} as const satisfies Readonly<Record<string, { readonly through: string } | { readonly transition: string }>>;
export type PictureEffect = keyof typeof pictureEffects;

export const pictureJoinKinds = ['cut', ...(Object.keys(pictureEffects) as PictureEffect[]), 'stinger'] as const;

/** How an item of pictures is followed by the next one; its own sound goes with them. */
export interface PictureJoin {
  /**
   * A dip goes through black and silence; with a crossfade the next item begins while this one is still seen; the
   * stinger of the stream is played over the end of this one and the beginning of the next.
   */
  readonly kind: (typeof pictureJoinKinds)[number];
  /** How long each fade lasts; of no meaning for a cut, nor for a stinger in settings. */
  readonly seconds: number;
}

/** How pictures of a timeline follow one another. */
export type ShownJoin = StingerJoin | { readonly kind: PictureEffect; readonly seconds: number };

export interface StingerJoin {
  readonly kind: 'stinger';
  /** How long the stinger is seen over the item that ends. */
  readonly seconds: number;
  readonly stinger: Stinger;
}

export const pictureJoinSeconds = { shortest: 0.2, longest: 2, step: 0.1 } as const;

/** What an item of a playlist says of its look. */
export interface ItemLook {
  readonly framing?: Framing;
  readonly join?: PictureJoin;
}

export interface StreamLook extends ItemLook {
  readonly aspect: Aspect;
  readonly framing: Framing;
  /** For joins of that kind; absent: these are cuts. */
  readonly stinger?: StingerSettings;
  /** Absent: nothing is drawn over its pictures. */
  readonly overlays?: Overlays;
  /** What is drawn over all of its pictures; it follows from `overlays`. */
  readonly drawn?: DrawingName;
}

export const usualLook: StreamLook & Required<ItemLook> = {
  aspect: '16:9',
  framing: { mode: 'pad', colour: '#000000' },
  join: { kind: 'cut', seconds: 1 },
};

/** The ids of the uploads that are drawn, or played over pictures. */
export function lookUploads(look: StreamLook | null | undefined): string[] {
  return [...overlayUploads(look?.overlays), ...(look?.stinger ? [look.stinger.uploadID] : [])];
}

/** The part of a stream's format that its aspect is. @param aspect null: 16:9 */
export function ofAspect(aspect: Aspect | null): { readonly aspect?: Exclude<Aspect, '16:9'> } {
  return aspect === null || aspect === '16:9' ? {} : { aspect };
}

/** A framing in the names of formats. Black bars have none, as they are in the base of all others. */
export type FramingName = 'crop' | 'blur' | `pad${string}`;

/** The name of a framing; undefined for black bars. */
function framingName({ mode, colour }: Framing): FramingName | undefined {
  if (mode !== 'pad') return mode;
  return colour === usualLook.framing.colour ? undefined : `pad${colour.slice(1)}`;
}

/** What `framingName` has made a name of. */
export function framingNamed(name: FramingName | undefined): Framing {
  const { colour } = usualLook.framing;
  if (name === undefined) return usualLook.framing;
  if (name === 'crop' || name === 'blur') return { mode: name, colour };
  return { mode: 'pad', colour: `#${name.slice('pad'.length)}` };
}

/** Pictures that differ by less are within a pixel of the shape at every quality. */
const sameShapeShare = 1 / 3840;

/** Whether pictures of a size fill a picture of an aspect, so that no framing makes a difference. */
function fills(aspect: Aspect, { width, height }: { readonly width: number; readonly height: number }): boolean {
  const [across, down] = sidesOf(aspect);
  return Math.abs(width * down - height * across) < height * across * sameShapeShare;
}

/** The aspect of pictures of a size that has one of ours. */
export function aspectOfSize(size: { readonly width: number; readonly height: number }): Aspect {
  return aspects.find((aspect) => fills(aspect, size))!;
}

/** The sides of an aspect, in no unit. */
function sidesOf(aspect: Aspect): readonly [number, number] {
  const [across, down] = aspect.split(':').map(Number);
  return [across!, down!];
}

/**
 * The framing of an item: its own, else its stream's. SQL has the same as `framing_name`.
 * @param size as displayed; null where it is not known
 * @returns undefined where it comes out as with black bars
 */
export function framingOf(
  item: ItemLook | null | undefined,
  stream: StreamLook | null,
  size: { readonly width: number; readonly height: number } | null,
): FramingName | undefined {
  const { aspect, framing } = stream ?? usualLook;
  return size !== null && fills(aspect, size) ? undefined : framingName(item?.framing ?? framing);
}
