// The ffmpeg arguments for reading any source: guarded, and with a limited number of threads.
import { availableParallelism } from 'node:os';
import { decodingThreads } from '../../domain/fleet/capacity.ts';
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
  readonly startSeconds: number;
  readonly decodeCost?: number | undefined;
  readonly background: boolean;
  /** Further options for reading. */
  readonly reading?: readonly string[];
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
  const { kind, pictures, startSeconds, reading = [] } = options;
  const threads = String(threadsFor(options));
  return [
    quiet,
    ['-filter_threads', threads],
    inputGuardArguments(sourceURL, kind),
    ['-threads', threads],
    pictures ? ['-colorspace', assumedColourMatrix[pictures]] : [],
    // ffmpeg decodes from the keyframe before the start. Pictures before the start get negative times, so the filters
    // know which one is shown at 0.
    startSeconds > 0 ? ['-noaccurate_seek', '-ss', startSeconds.toFixed(6)] : [],
    [...reading, '-i', sourceURL],
  ].flat();
}
