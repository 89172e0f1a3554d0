// Measures a piece of a content with ffmpeg's own filters, all in one pass, and adds up the results.
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { SourceReading } from '../../domain/shared/source-reading.ts';
import { overlapSeconds, shortestSeconds } from '../../domain/media/measurements.ts';
import type { Measurements } from '../../domain/media/measurements.ts';
import { describeExit, examiningMemoryMiB, isOutOfMemory, startMediaTool, ToolError } from '../ffmpeg/media-tool.ts';
import { decoderArguments, fromStart, picturesIn } from '../ffmpeg/input-arguments.ts';
import { soundArguments, startArguments, withoutAlpha } from '../ffmpeg/input-arguments.ts';
import { toStereo } from '../ffmpeg/item-arguments.ts';
import { inputGuardArguments } from '../media/container-formats.ts';
import { isSourceUnreadable } from '../media/source-fault.ts';
import type { Source } from '../media/structure.ts';
import { PictureReader, SoundReader } from './metadata-lines.ts';

/** The tracks of a content. */
export interface Tracks {
  readonly hasPictures: boolean;
  readonly hasSound: boolean;
  /** The average; null if unknown, or without pictures. */
  readonly framerate: number | null;
  /** Absent: the usual way. */
  readonly reading?: SourceReading | undefined;
  /** The end of the content; absent: that of the file, which may differ from the measured duration. */
  readonly endSeconds?: number | undefined;
}

export interface PieceTimes {
  /** A piece ends after this time, if it has made progress. */
  readonly usualMs: number;
  /** It ends after this time in any case. */
  readonly longestMs: number;
}

export interface Piece {
  readonly measured: Measurements;
  /** `end`: the rest was measured. `stuck`: no progress is possible. */
  readonly reached: 'more' | 'end' | 'stuck';
}

const readAheadBytes = 64 * 1024;
/** How often the time and the progress of a piece are checked. */
const lookEveryMs = 250;
/** If one track is this far behind the other, it has ended: tracks are interleaved in a file. */
const apartSeconds = 30;

/** The beginning of the next piece, in seconds. */
export function nextFrom({ picturesUntil, soundUntil }: Measurements, { hasPictures, hasSound }: Tracks): number {
  const until = [...(hasPictures ? [picturesUntil] : []), ...(hasSound ? [soundUntil] : [])];
  return Math.max(0, Math.max(Math.min(...until), Math.max(...until) - apartSeconds) - overlapSeconds);
}

/**
 * Measures the next piece, from the end of earlier measurements on.
 * @throws {ToolError} when the source cannot be read, or ffmpeg was killed; the signal's reason
 */
export async function measurePiece(
  { tools, sourceURL, signal }: Source,
  tracks: Tracks,
  before: Measurements,
  { usualMs, longestMs }: PieceTimes,
): Promise<Piece> {
  signal.throwIfAborted();
  const fromSeconds = nextFrom(before, tracks);
  const pictures = new PictureReader(before, fromSeconds, tracks.framerate);
  const sound = new SoundReader(before, fromSeconds);
  const measured = () => sound.addTo(pictures.addTo(before));
  const tool = startMediaTool(tools.ffmpegPath, measuringArguments(sourceURL, tracks, fromSeconds), {
    sourceURL,
    readAheadBytes,
    hasSecondOutput: true,
    signal,
    background: true,
    memoryMiB: examiningMemoryMiB,
  });
  tool.stdin.end();
  const beganMs = performance.now();
  let isOver = false;
  const hasProgress = () => nextFrom(measured(), tracks) > nextFrom(before, tracks) + overlapSeconds;
  const looking = setInterval(() => {
    const tookMs = performance.now() - beganMs;
    if (tookMs < usualMs || (tookMs < longestMs && !hasProgress())) return;
    isOver = true;
    void tool.end();
  }, lookEveryMs);
  await Promise.all([readLines(tool.stdout, pictures), readLines(tool.secondOutput, sound)]);
  const exit = await tool.exited;
  clearInterval(looking);
  signal.throwIfAborted();
  const log = tool.log();
  if (isOver) return { measured: measured(), reached: hasProgress() ? 'more' : 'stuck' };
  if (isOutOfMemory(log)) return { measured: measured(), reached: 'stuck' };
  if (exit.brokenOff || isSourceUnreadable(log)) throw new ToolError(describeExit(exit, log));
  return { measured: measured(), reached: 'end' };
}

async function readLines(output: Readable, reader: PictureReader | SoundReader): Promise<void> {
  for await (const line of createInterface({ input: output })) reader.read(line);
}

function measuringArguments(
  sourceURL: string,
  { hasPictures, hasSound, reading, endSeconds }: Tracks,
  fromSeconds: number,
): string[] {
  const untilEnd = (filter: 'trim' | 'atrim') =>
    endSeconds === undefined ? [] : [`${filter}=end=${(endSeconds - fromSeconds).toFixed(6)}`];
  const tracks = hasPictures && hasSound ? 'both' : hasSound ? 'sound' : 'pictures';
  const toNowhere = ['-f', 'null', '-'];
  const pictures = [
    ...fromStart('setpts', fromSeconds, reading, { tracks }),
    ...untilEnd('trim'),
    narrow,
    ...withoutAlpha(reading),
    ...pictureFilters,
  ];
  return [
    '-nostdin -hide_banner -loglevel error -filter_threads 1'.split(' '),
    inputGuardArguments(sourceURL, hasPictures ? 'video' : 'audio'),
    ['-threads', '1', ...(hasPictures ? decoderArguments('sdr', reading) : [])],
    [...startArguments(fromSeconds, reading), '-i', sourceURL],
    hasPictures
      ? ['-map', picturesIn(0, reading), '-vf', pictures.join(','), '-fps_mode', 'passthrough', ...toNowhere]
      : [],
    hasSound
      ? [...soundArguments(fromSeconds, [...untilEnd('atrim'), ...soundFilters], reading, tracks), ...toNowhere]
      : [],
  ].flat();
}

/** Filters that print these values at once, each in one write. */
const print = (filter: 'metadata' | 'ametadata', pipe: 1 | 3, keys: readonly string[]): string[] =>
  keys.map((key) => `${filter}=mode=print:key=lavfi.${key}:file='pipe\\:${pipe}':direct=1`);

/**
 * The detection of interlacing compares lines, so pictures keep their height; only columns are averaged. A picture is
 * black if all of it but specks is, and frozen if no more changes than encoders leave in a still. With ffmpeg's default
 * threshold, idet mistakes moving patterns for interlacing.
 */
const narrow = "scale=w='min(160,iw)':h=ih:flags=area";
const pictureFilters = [
  'idet=intl_thres=1.5',
  `blackdetect=d=${shortestSeconds.black}:pic_th=0.98:pix_th=0.06`,
  `freezedetect=n=0.002:d=${shortestSeconds.frozen}`,
  ...print('metadata', 1, [
    'idet.multiple.current_frame',
    'black_start',
    'black_end',
    'freezedetect.freeze_start',
    'freezedetect.freeze_end',
  ]),
];

/** ebur128 makes new frames of 100 ms, without the metadata of earlier filters, so it comes before them. */
const soundFilters = [
  toStereo,
  'ebur128=peak=true:metadata=1',
  ...print('ametadata', 3, ['r128.M', 'r128.S', 'r128.true_peak']),
  `silencedetect=n=-60dB:d=${shortestSeconds.silent}`,
  ...print('ametadata', 3, ['silence_start', 'silence_end']),
];
