// The ffmpeg inputs and filters that draw overlays on an item's pictures, for both backends and single frames.
import { aspectOfSize } from '../../domain/playout/look.ts';
import { tickerPace } from '../../domain/playout/running-texts.ts';
import { safeMargins } from '../../domain/playout/safe-margins.ts';
import type { Logo, OverlayPlace } from '../../domain/playout/overlays.ts';
import { besideTicker } from '../drawing/text-sheet.ts';
import type { TextSheet } from '../drawing/text-sheet.ts';
import { inputGuardArguments } from '../media/container-formats.ts';
import type { Profile } from './profile.ts';

type Size = Pick<Profile, 'width' | 'height'>;

/** The overlays of pictures. */
export interface PictureOverlay {
  readonly logo: DrawnLogo | null;
  /** The texts. ffmpeg reads their image from stdin. */
  readonly sheet: TextSheet | null;
}

export interface DrawnLogo extends Omit<Logo, 'uploadID'> {
  /** Signed http(s) address, or a path. */
  readonly sourceURL: string;
}

/** The pictures under the overlays. */
export interface DrawnPictures {
  /** Filters that return pictures of the size, in BT.709 of limited range. They name their input. */
  readonly filters: readonly string[];
  readonly size: Size;
  /** The time of the first picture within its item. */
  readonly startSeconds: number;
  readonly framesPerSecond: number;
}

const sheetInput = '-protocol_whitelist pipe -format_whitelist png_pipe -f png_pipe -threads 1 -i pipe:0'.split(' ');

/** The place of inputs among those of an ffmpeg. */
export interface InputPlace {
  /** The index of the first of them. */
  readonly first: number;
  /** The index of the sheet, which is one input for all items with texts on it; null: it is not an input yet. */
  readonly sheet: number | null;
}

/**
 * The ffmpeg inputs of an item's overlays, after that of the item: the logo, and the sheet if it is not an input yet.
 * @returns their place, and that of further inputs
 */
export function overlayInputs(overlay: PictureOverlay | null | undefined, { first, sheet: sheetBefore }: InputPlace) {
  const { logo = null, sheet = null } = overlay ?? {};
  const image = logo ? [...inputGuardArguments(logo.sourceURL, 'image'), '-threads', '1', '-i', logo.sourceURL] : [];
  const afterLogo = first + (logo ? 1 : 0);
  const isReadHere = sheet !== null && sheetBefore === null;
  const at = { first, sheet: isReadHere ? afterLogo : sheetBefore };
  const next = { first: afterLogo + (isReadHere ? 1 : 0), sheet: at.sheet };
  return { input: [...image, ...(isReadHere ? sheetInput : [])], at, next };
}

/** Filters that return the pictures with their overlays. @param place the place of the overlays' inputs */
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
  // Labels contain the index of the input, so that two items in one graph have different labels.
  const label = (name: string, index: number) => `[${name}${place.first}_${index}]`;
  const graph = above.map(({ made, at }, index) => {
    const [under, over] = [label('under', index), label('above', index)];
    return `${made}${over};${under}${over}overlay=${at}:format=yuv420`;
  });
  return [
    [filters.join(','), ...graph].reduce((before, next, index) => `${before}${label('under', index - 1)};${next}`),
  ];
}

/** The logo is scaled with premultiplied alpha, so that transparent pixels do not colour the edges. */
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

/** Filters that convert pictures with transparency to the colour space of the pictures under them. */
export const toPictures = 'scale=out_color_matrix=bt709:out_range=tv,format=yuva420p';

/** The filters of each text of a sheet, enabled for its time. */
function textsOf(
  { texts }: TextSheet,
  input: number,
  { size, startSeconds, framesPerSecond }: Omit<DrawnPictures, 'filters'>,
) {
  const running = runningLines(texts, size, framesPerSecond);
  return texts.map(({ x: still, y, width, height, left, top, fromSeconds, toSeconds, ticker }, index) => {
    const x = ticker ? runningLeft(running.get(index)!, size, { startSeconds, framesPerSecond, ...ticker }) : still;
    const from = `gte(t,${seconds(fromSeconds - startSeconds)})`;
    const time = toSeconds === null ? from : `${from}*lt(t,${seconds(toSeconds - startSeconds)})`;
    const made = `[${input}:v:0]trim=end_frame=1,crop=${width}:${height}:${left}:${top}:exact=1,${toPictures}`;
    return { made, at: `x='${x}':y=${y}:enable='${time}'` };
  });
}

interface RunningLine {
  /** Pixels behind the beginning of the first line. */
  readonly offset: number;
  /** Pixels after which it is repeated: it has then left the picture, and all other lines have begun. */
  readonly period: number;
}

/** The lines of a ticker, one after the other, by their index among the texts. */
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

/** The position of a line in each picture, by the picture's number in the run, so that it continues across items. */
function runningLeft(
  { offset, period }: RunningLine,
  { width }: Size,
  { runSeconds, startSeconds, framesPerSecond }: Running,
): string {
  const { pixelsPerFrame } = tickerPace(width, framesPerSecond);
  const first = Math.round((runSeconds + startSeconds) * framesPerSecond);
  return `${width}-mod((${first}+round(t*${framesPerSecond}))*${pixelsPerFrame}+${period - offset},${period})`;
}

/** A time for `enable`, a millisecond early, so that rounding does not exclude the picture of that time. */
function seconds(time: number): string {
  return (time - 0.001).toFixed(3);
}

/** A place inside the safe margins, as options of `overlay`. */
function placed(place: OverlayPlace, size: Size, sheet: TextSheet | null): string {
  const { left, right, top, bottom } = safeMargins[aspectOfSize(size)];
  const across = (percent: number) => Math.round((size.width * percent) / 100);
  const down = (percent: number) => Math.round((size.height * percent) / 100);
  const x = place.endsWith('Left') ? across(left) : `W-w-${across(right)}`;
  const isTop = place.startsWith('top');
  // The bar of a ticker at that edge comes first.
  const bar = sheet?.texts.find((text) => text.ticker === null && text.place.startsWith('top') === isTop);
  const between = Math.round((bar?.height ?? 0) * besideTicker);
  const y = isTop ? down(top) + between : `H-h-${down(bottom) + between}`;
  return `x=${place === 'top' || place === 'bottom' ? '(W-w)/2' : x}:y=${y}`;
}
