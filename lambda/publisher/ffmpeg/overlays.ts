// The ffmpeg inputs and filters that draw over the pictures of an item: for both backends and single frames.
import { aspectOfSize } from '../../domain/look.ts';
import { safeMargins } from '../../domain/safe-margins.ts';
import type { Logo, OverlayPlace } from '../../domain/overlays.ts';
import type { TextSheet } from '../drawing/text-sheet.ts';
import { inputGuardArguments } from '../media/container-formats.ts';
import type { Profile } from './profile.ts';

type Size = Pick<Profile, 'width' | 'height'>;

/** What is drawn over pictures. */
export interface PictureOverlay {
  readonly logo: DrawnLogo | null;
  /** ffmpeg reads it from its stdin. */
  readonly sheet: TextSheet | null;
}

export interface DrawnLogo extends Omit<Logo, 'uploadID'> {
  /** Signed http(s) address, or a path. */
  readonly sourceURL: string;
}

/** The pictures that are drawn over. */
export interface DrawnPictures {
  /** Filters that give pictures of the size, in BT.709 of limited range; they name their input. */
  readonly filters: readonly string[];
  readonly size: Size;
  /** Where in their item the first of them is. */
  readonly startSeconds: number;
}

const sheetInput = '-protocol_whitelist pipe -format_whitelist png_pipe -f png_pipe -threads 1 -i pipe:0'.split(' ');

/** Where inputs come among those of an ffmpeg. */
export interface InputPlace {
  /** The index of the first of them. */
  readonly first: number;
  /** The index of the sheet, which is read once for all that it has texts for; null: it is not read yet. */
  readonly sheet: number | null;
}

/** What ffmpeg reads of what is drawn over an item. */
export interface OverlayInputs {
  readonly input: readonly string[];
  readonly at: InputPlace;
  /** Where further inputs come. */
  readonly next: InputPlace;
}

/** The inputs that come after that of the item: the logo, and the sheet where it is not read yet. */
export function overlayInputs(
  overlay: PictureOverlay | null | undefined,
  { first, sheet: sheetBefore }: InputPlace,
): OverlayInputs {
  const { logo = null, sheet = null } = overlay ?? {};
  const image = logo ? [...inputGuardArguments(logo.sourceURL, 'image'), '-threads', '1', '-i', logo.sourceURL] : [];
  const afterLogo = first + (logo ? 1 : 0);
  const isReadHere = sheet !== null && sheetBefore === null;
  const at = { first, sheet: isReadHere ? afterLogo : sheetBefore };
  const next = { first: afterLogo + (isReadHere ? 1 : 0), sheet: at.sheet };
  return { input: [...image, ...(isReadHere ? sheetInput : [])], at, next };
}

/** Filters that give the pictures with what is drawn over them. @param place of its inputs */
export function overlayFilters(
  { filters, size, startSeconds }: DrawnPictures,
  overlay: PictureOverlay | null | undefined,
  place: InputPlace,
): readonly string[] {
  if (!overlay) return filters;
  const { logo, sheet } = overlay;
  const above = [
    ...(logo
      ? [{ made: `[${place.first}:v:0]${logoFilters(logo, size).join(',')}`, at: placed(logo.place, size) }]
      : []),
    ...(sheet ? textsOf(sheet, place.sheet!, startSeconds) : []),
  ];
  // Another item in the same graph has its inputs elsewhere, and so other labels.
  const label = (name: string, index: number) => `[${name}${place.first}_${index}]`;
  const graph = above.map(({ made, at }, index) => {
    const [under, over] = [label('under', index), label('above', index)];
    return `${made}${over};${under}${over}overlay=${at}:format=yuv420`;
  });
  return [
    [filters.join(','), ...graph].reduce((before, next, index) => `${before}${label('under', index - 1)};${next}`),
  ];
}

/** It is scaled as light is mixed: what is transparent gives no colour to the edges. */
function logoFilters({ widthPercent, opacityPercent }: DrawnLogo, { width, height }: Size): string[] {
  const { top, bottom } = safeMargins[aspectOfSize({ width, height })];
  const widest = Math.round((width * widthPercent) / 100);
  const highest = Math.round((height * (100 - top - bottom)) / 100);
  return [
    'trim=end_frame=1',
    'format=gbrap,premultiply=inplace=1',
    `scale=w=${widest}:h=${highest}:force_original_aspect_ratio=decrease:flags=area`,
    `unpremultiply=inplace=1,colorchannelmixer=aa=${opacityPercent / 100}`,
    toPictures,
  ];
}

/** Filters that give pictures with transparency the colours of those that they are drawn over. */
export const toPictures = 'scale=out_color_matrix=bt709:out_range=tv,format=yuva420p';

/** Each text of a sheet, for its time. */
function textsOf({ texts }: TextSheet, input: number, startSeconds: number) {
  return texts.map(({ x, y, width, height, top, fromSeconds, toSeconds }) => {
    const from = `gte(t,${seconds(fromSeconds - startSeconds)})`;
    const time = toSeconds === null ? from : `${from}*lt(t,${seconds(toSeconds - startSeconds)})`;
    const made = `[${input}:v:0]trim=end_frame=1,crop=${width}:${height}:0:${top}:exact=1,${toPictures}`;
    return { made, at: `x=${x}:y=${y}:enable='${time}'` };
  });
}

/** A little early, so that the picture of the very time is in it, whatever rounding its time went through. */
function seconds(time: number): string {
  return (time - 0.001).toFixed(3);
}

/** Where something lies inside the safe margins, as options of `overlay`. */
function placed(place: OverlayPlace, size: Size): string {
  const { left, right, top, bottom } = safeMargins[aspectOfSize(size)];
  const across = (percent: number) => Math.round((size.width * percent) / 100);
  const down = (percent: number) => Math.round((size.height * percent) / 100);
  const x = place.endsWith('Left') ? across(left) : `W-w-${across(right)}`;
  const y = place.startsWith('top') ? down(top) : `H-h-${down(bottom)}`;
  return `x=${place === 'top' || place === 'bottom' ? '(W-w)/2' : x}:y=${y}`;
}
