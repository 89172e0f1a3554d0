// The ffmpeg arguments by which any source is read: guarded, by as many threads as it may have.
import { availableParallelism } from 'node:os';
import { decodingThreads } from '../../domain/fleet/capacity.ts';
import type { DynamicRange } from '../../domain/shared/video-format.ts';
import { inputGuardArguments } from '../media/container-formats.ts';
import type { MediaKind } from '../media/container-formats.ts';

/** What every ffmpeg that works for a stream is told. */
export const quiet = '-nostdin -hide_banner -loglevel error'.split(' ');

/**
 * What pictures are taken for that do not name their colour matrix, as those of most H.264 encoders. ffmpeg by itself
 * would take them for BT.601 and shift the colours.
 */
export const assumedColourMatrix: Record<DynamicRange, string> = { sdr: 'bt709', pq: 'bt2020nc', hlg: 'bt2020nc' };

export interface InputOptions {
  /** The dynamic range of the source's moving pictures; null where these are not wanted. */
  readonly pictures: DynamicRange | null;
  readonly kind: MediaKind;
  readonly startSeconds: number;
  readonly decodeCost?: number | undefined;
  readonly background: boolean;
  /** What else ffmpeg is told of how it reads. */
  readonly reading?: readonly string[];
}

/** In the background nobody waits, sound is little work, and a still is one picture. */
const fewThreads = { background: 2, sound: 2, still: 1 } as const;

/** Each thread that decodes has pictures of its own, and ffmpeg would start one for each core, and one more. */
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
    // ffmpeg decodes from the keyframe before the start. What comes before the start gets negative times, from which
    // the filters know the frame that is on show at 0.
    startSeconds > 0 ? ['-noaccurate_seek', '-ss', startSeconds.toFixed(6)] : [],
    [...reading, '-i', sourceURL],
  ].flat();
}
