// The ffmpeg arguments for reading any source: guarded, and with a limited number of threads.
import { availableParallelism } from 'node:os';
import { decodingThreads } from '../../domain/fleet/capacity.ts';
import type { SourceReading } from '../../domain/shared/source-reading.ts';
import type { DynamicRange } from '../../domain/shared/video-format.ts';
import { inputGuardArguments } from '../media/container-formats.ts';
import type { MediaKind } from '../media/container-formats.ts';

/** Arguments of every ffmpeg that works for a stream. */
export const quiet = '-nostdin -hide_banner -loglevel error'.split(' ');

/**
 * The colour matrix of pictures without one, as most H.264 encoders write them. ffmpeg's own default is BT.601, which
 * would shift the colours.
 */
export const assumedColourMatrix: Record<DynamicRange, string> = { sdr: 'bt709', pq: 'bt2020nc', hlg: 'bt2020nc' };

export interface InputOptions {
  /** The dynamic range of the source's moving pictures; null if they are not wanted. */
  readonly pictures: DynamicRange | null;
  readonly kind: MediaKind;
  /** Absent: the usual way. */
  readonly reading?: SourceReading | undefined;
  readonly startSeconds: number;
  readonly decodeCost?: number | undefined;
  readonly background: boolean;
  /** Further options of the input. */
  readonly options?: readonly string[];
}

/** Threads for work in the background, for sound, and for a still image. */
const fewThreads = { background: 2, sound: 2, still: 1 } as const;

/** Threads for decoding. Each has its own pictures in memory, and ffmpeg's default is the number of cores plus one. */
function threadsFor({ kind, background, decodeCost }: InputOptions): number {
  if (kind === 'image') return fewThreads.still;
  if (background) return fewThreads.background;
  if (kind === 'audio') return fewThreads.sound;
  return Math.min(decodingThreads(decodeCost ?? null), availableParallelism() + 1);
}

export function inputArguments(sourceURL: string, options: InputOptions): string[] {
  const { kind, pictures, reading, startSeconds } = options;
  const threads = String(threadsFor(options));
  return [
    quiet,
    ['-filter_threads', threads],
    inputGuardArguments(sourceURL, kind),
    ['-threads', threads],
    pictures ? ['-colorspace', matrixOf(pictures, reading)] : [],
    startArguments(startSeconds, reading),
    [...(options.options ?? []), '-i', sourceURL],
  ].flat();
}

/** The matrix of pictures that state none. */
export function matrixOf(dynamicRange: DynamicRange, reading?: SourceReading): string {
  return reading?.matrix ?? assumedColourMatrix[dynamicRange];
}

/** Seconds before the start at which decoding begins. */
export function leadOf(startSeconds: number, reading?: SourceReading): number {
  return Math.min(startSeconds, reading?.leadSeconds ?? 0);
}

/**
 * The options that make a file begin at a time, which all readers use, with the filters of `fromLead`. ffmpeg decodes
 * from the keyframe before it. Pictures and sound before it get negative times, so filters know which of them are due
 * at 0.
 */
export function startArguments(startSeconds: number, reading?: SourceReading): string[] {
  const from = startSeconds - leadOf(startSeconds, reading);
  return from > 0 ? ['-noaccurate_seek', '-ss', from.toFixed(6)] : [];
}

/**
 * The first filter of a file that begins at a time. It is none of ffmpeg's options for times: beyond 10 s those would
 * count as a clock that jumps.
 */
export function fromLead(filter: 'setpts' | 'asetpts', startSeconds: number, reading?: SourceReading): string[] {
  const lead = leadOf(startSeconds, reading);
  return lead > 0 ? [`${filter}=PTS-${lead.toFixed(6)}/TB`] : [];
}

/** ffmpeg's name of the pictures of an input. V is the first stream of moving pictures. Cover art does not count. */
export function picturesIn(input: number, reading?: SourceReading): string {
  return `${input}:${reading?.pictures ?? 'V:0'}`;
}

/** ffmpeg's name of the sound of an input. */
export function soundIn(input: number, reading?: SourceReading): string {
  return `${input}:${reading?.sound ?? 'a:0'}`;
}
