// The ffmpeg inputs and filters that draw over the pictures of an item: for both backends and single frames.
import { aspectOfSize } from '../../domain/playout/look.ts';
import { tickerPace } from '../../domain/playout/running-texts.ts';
import { safeMargins } from '../../domain/playout/safe-margins.ts';
import type { Logo, OverlayPlace } from '../../domain/playout/overlays.ts';
import { besideTicker } from '../drawing/text-sheet.ts';
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
  readonly framesPerSecond: number;
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
  { filters, size, startSeconds, framesPerSecond }: DrawnPictures,
  overlay: PictureOverlay | null | undefined,
  place: InputPlace,
): readonly string[] {
  if (!overlay) return filters;
  const { logo, sheet } = overlay;
  const above = [
    ...(logo
      ? [{ made: `[${place.first}:v:0]${logoFilters(logo, size).join(',')}`, at: placed(logo.place, size, sheet) }]
      : []),
    ...(sheet ? textsOf(sheet, place.sheet!, { size, startSeconds, framesPerSecond }) : []),
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
function textsOf(
  { texts }: TextSheet,
  input: number,
  { size, startSeconds, framesPerSecond }: Omit<DrawnPictures, 'filters'>,
) {
  const running = runningLines(texts, size, framesPerSecond);
  return texts.map(({ x: left, y, width, height, top, fromSeconds, toSeconds, ticker }, index) => {
    const x = ticker ? runningLeft(running.get(index)!, size, { startSeconds, framesPerSecond, ...ticker }) : left;
    const from = `gte(t,${seconds(fromSeconds - startSeconds)})`;
    const time = toSeconds === null ? from : `${from}*lt(t,${seconds(toSeconds - startSeconds)})`;
    const made = `[${input}:v:0]trim=end_frame=1,crop=${width}:${height}:0:${top}:exact=1,${toPictures}`;
    return { made, at: `x='${x}':y=${y}:enable='${time}'` };
  });
}

interface RunningLine {
  /** Behind the beginning of the first line, in pixels. */
  readonly offset: number;
  /** After so many pixels it comes again: once it has left the picture, and all others have begun. */
  readonly period: number;
}

/** The lines of a ticker, by their places among the texts: one after the other. */
function runningLines(texts: TextSheet['texts'], size: Size, framesPerSecond: number): Map<number, RunningLine> {
  const { gapPixels } = tickerPace(size.width, framesPerSecond);
  const lines = [...texts.entries()].filter(([, { ticker }]) => ticker);
  const widths = lines.map(([, { width }]) => width + gapPixels);
  const length = widths.reduce((sum, width) => sum + width, 0);
  const period = Math.max(length, size.width + Math.max(...widths));
  let offset = 0;
  return new Map(
    lines.map(([index], place) => {
      const line = { offset, period };
      offset += widths[place]!;
      return [index, line];
    }),
  );
}

interface Running {
  readonly runSeconds: number;
  readonly startSeconds: number;
  readonly framesPerSecond: number;
}

/** Where a line is in each picture, by its number in the run: so it goes on over items, wherever they begin. */
function runningLeft(
  { offset, period }: RunningLine,
  { width }: Size,
  { runSeconds, startSeconds, framesPerSecond }: Running,
): string {
  const { pixelsPerFrame } = tickerPace(width, framesPerSecond);
  const first = Math.round((runSeconds + startSeconds) * framesPerSecond);
  return `${width}-mod((${first}+round(t*${framesPerSecond}))*${pixelsPerFrame}+${period - offset},${period})`;
}

/** A little early, so that the picture of the very time is in it, whatever rounding its time went through. */
function seconds(time: number): string {
  return (time - 0.001).toFixed(3);
}

/** Where something lies inside the safe margins, as options of `overlay`. */
function placed(place: OverlayPlace, size: Size, sheet: TextSheet | null): string {
  const { left, right, top, bottom } = safeMargins[aspectOfSize(size)];
  const across = (percent: number) => Math.round((size.width * percent) / 100);
  const down = (percent: number) => Math.round((size.height * percent) / 100);
  const x = place.endsWith('Left') ? across(left) : `W-w-${across(right)}`;
  const isTop = place.startsWith('top');
  // The bar of a ticker at that edge is between.
  const bar = sheet?.texts.find((text) => text.ticker === null && text.place.startsWith('top') === isTop);
  const between = Math.round((bar?.height ?? 0) * besideTicker);
  const y = isTop ? down(top) + between : `H-h-${down(bottom) + between}`;
  return `x=${place === 'top' || place === 'bottom' ? '(W-w)/2' : x}:y=${y}`;
}
