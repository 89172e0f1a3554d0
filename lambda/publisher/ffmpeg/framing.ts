// The ffmpeg filters that fit a picture of any shape into the frame of a profile, for both backends and single frames.
import { framingNamed } from '../../domain/playout/look.ts';
import type { FramingName } from '../../domain/playout/look.ts';
import type { Profile } from './profile.ts';

type Size = Pick<Profile, 'width' | 'height'>;

/** Filters in the order of these fields. */
export interface FramingFilters {
  /** Filters before the scaling. */
  readonly cut: readonly string[];
  /** The size of the scaling, as options of `scale`. */
  readonly size: string;
  /** Filters after the scaling, in BT.709 with square pixels. */
  readonly surround: readonly string[];
}

/** @param framing undefined: black bars */
export function framingFilters(framing: FramingName | undefined, profile: Size): FramingFilters {
  const { width, height } = profile;
  const { mode, colour } = framingNamed(framing);
  if (mode === 'crop') return { cut: [cutTo(profile)], size: `w=${width}:h=${height}`, surround: [] };
  // `dar` is the display's aspect ratio, which includes non-square pixels. ffmpeg has already rotated the picture.
  const scaledWidth = `max(2,trunc(min(${width},${height}*dar)/2+0.5)*2)`;
  const scaledHeight = `max(2,trunc(min(${height},${width}/dar)/2+0.5)*2)`;
  const size = `w='${scaledWidth}':h='${scaledHeight}'`;
  if (framing === undefined) return { cut: [], size, surround: [`pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2`] };
  return { cut: [], size, surround: [inFrontOf(mode === 'blur' ? blurred(profile) : filled(colour, profile))] };
}

/** Cuts out the middle of a picture in the shape of a frame. It is cut before it is scaled, to save memory. */
function cutTo({ width, height }: Size): string {
  const cutWidth = `min(iw,max(2,ih*${width}/${height}/sar))`;
  const cutHeight = `min(ih,max(2,iw*sar*${height}/${width}))`;
  return `crop=w='${cutWidth}':h='${cutHeight}'`;
}

/** A graph that puts a filtered copy of the picture behind the picture. */
function inFrontOf(behind: readonly string[]): string {
  return [
    'split[whole][copy]',
    `[copy]${[...behind, 'setsar=1'].join(',')}[behind]`,
    '[behind][whole]overlay=x=(W-w)/2:y=(H-h)/2:format=yuv420',
  ].join(';');
}

/** The background is made at this fraction of the size, so that blurring is cheap. */
const blurredPart = 16;

/** A background: the picture itself, filling the frame, blurred and darkened. */
function blurred({ width, height }: Size): string[] {
  const even = (length: number) => 2 * Math.round(length / blurredPart / 2);
  return [
    cutTo({ width, height }),
    `scale=${even(width)}:${even(height)}:flags=area`,
    "gblur=sigma=2.5,lutyuv=y='16+(val-16)*0.65'",
    `scale=${width}:${height}:flags=bicubic`,
  ];
}

/** A background of one colour. The filter `pad` would use the colours of BT.601 in ffmpeg before version 7. */
function filled(colour: string, { width, height }: Size): string[] {
  const [y, u, v] = codesOf(colour);
  return [`scale=${width}:${height}:flags=neighbor`, `lutyuv=y=${y}:u=${u}:v=${v}`];
}

/** The codes of a colour (`#rrggbb`) in BT.709 of limited range, 8 bits (BT.709-6, 3). */
function codesOf(colour: string): [number, number, number] {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255);
  const luma = 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
  const codes = [16 + 219 * luma, 128 + (224 * (blue! - luma)) / 1.8556, 128 + (224 * (red! - luma)) / 1.5748];
  return codes.map(Math.round) as [number, number, number];
}
