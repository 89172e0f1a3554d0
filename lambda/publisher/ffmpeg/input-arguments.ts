// The ffmpeg arguments for reading any source: guarded, and with a limited number of threads.
import { availableParallelism } from 'node:os';
import { decodingThreads } from '../../domain/fleet/capacity.ts';
import type { Orientation, SourceReading } from '../../domain/shared/source-reading.ts';
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
    pictures ? decoderArguments(pictures, reading) : [],
    heldArguments(reading),
    startArguments(startSeconds, reading),
    [...(options.options ?? []), '-i', sourceURL],
  ].flat();
}

/** The options of the decoder of pictures. */
export function decoderArguments(dynamicRange: DynamicRange, reading?: SourceReading): string[] {
  const { matrix = assumedColourMatrix[dynamicRange], alpha = 'usual' } = reading ?? {};
  return ['-colorspace', matrix, ...(alpha === 'usual' ? [] : ['-c:v', alpha])];
}

/** Filters that show what may be transparent on black. */
export const onBlack = ['format=gbrap', 'premultiply=inplace=1'];

/** The options that leave the turning of a still image to `stillFilters`. Newer builds turn more kinds of images. */
export function heldArguments({ orientation }: SourceReading = {}): string[] {
  return orientation === undefined ? [] : ['-noautorotate'];
}

/** The filters that turn a picture upright. */
const upright: Readonly<Record<Orientation, string>> = {
  2: 'hflip',
  3: 'hflip,vflip',
  4: 'vflip',
  5: 'transpose=cclock_flip',
  6: 'transpose=clock',
  7: 'transpose=clock_flip',
  8: 'transpose=cclock',
};

/** Filters that show a still image upright, and on black if it is transparent. */
export function stillFilters({ orientation }: SourceReading = {}): string[] {
  return [...onBlack, ...(orientation === undefined ? [] : [upright[orientation]])];
}

/** Filters that show moving pictures on black if they may be transparent; none for others. */
export function withoutAlpha({ alpha, matrix }: SourceReading = {}): string[] {
  if (alpha === undefined) return [];
  // Some decoders of transparency forget the matrix that the pictures are assumed to have.
  return [...(matrix ? [`setparams=colorspace=${matrix}`] : []), ...onBlack];
}

/**
 * Times up to this are decoded from the beginning. A search for a time before the first keyframe ends anywhere, in FLV
 * at the end of the file, and tracks often begin later than others. Decision D217.
 */
const unsearchedSeconds = 1;

/** The time in the file of a time of its content. */
function fileSeconds(startSeconds: number, reading?: SourceReading): number {
  return startSeconds + (reading?.fromSeconds ?? 0);
}

/** Seconds before the start at which decoding begins. */
export function leadOf(startSeconds: number, reading?: SourceReading): number {
  const seconds = fileSeconds(startSeconds, reading);
  if (seconds < unsearchedSeconds) return seconds;
  const { leadSeconds = 0, searchableSeconds = seconds } = reading ?? {};
  return Math.max(Math.min(seconds, leadSeconds), seconds - searchableSeconds);
}

/**
 * Seconds before a time at which decoding of sound begins. A search for the time ends at a packet that lacks the
 * packets it refers to, or at a picture that comes after the sound of its time. And some formats count in packets, to
 * which ffmpeg would round the time. MP3 refers to up to 511 bytes: at 8 kbit/s, half a second.
 */
const soundLeadSeconds = 0.5;

/** The way of reading the sound of a file alone. */
export function soundAlone(reading: SourceReading | null = null): SourceReading {
  const { searchableSeconds: _, ...shared } = reading ?? {};
  return { ...shared, leadSeconds: Math.max(shared.leadSeconds ?? 0, soundLeadSeconds) };
}

/**
 * Whether ffmpeg keeps the times of a file, counted from its beginning. After a search it would take the guessed times
 * of some packets for a clock that jumps, and move all that follow.
 */
export function keepsTimes(startSeconds: number, reading?: SourceReading): boolean {
  return reading?.leadSeconds !== undefined && fileSeconds(startSeconds, reading) > leadOf(startSeconds, reading);
}

/**
 * The options that make a file begin at a time of its content, which all readers use, with the filters of `fromStart`.
 * ffmpeg decodes from the keyframe before it. Pictures and sound before it get negative times, so filters know which
 * of them are due at 0.
 */
export function startArguments(startSeconds: number, reading?: SourceReading): string[] {
  const from = fileSeconds(startSeconds, reading) - leadOf(startSeconds, reading);
  const times = keepsTimes(startSeconds, reading) ? ['-copyts', '-start_at_zero'] : [];
  return from > 0 ? [...times, '-noaccurate_seek', '-ss', from.toFixed(6)] : [];
}

/** The tracks of a file that a process reads. */
export type ReadTracks = 'pictures' | 'sound' | 'both';

interface Due {
  /** Absent: only those of the filter. */
  readonly tracks?: ReadTracks | undefined;
  /** Whether the process keeps times; absent: as this file needs it. */
  readonly isKept?: boolean | undefined;
}

/** The time at which a picture or a sample is due, as ffmpeg counts. */
export function dueSeconds(startSeconds: number, reading: SourceReading = {}, { tracks, isKept }: Due): number {
  const { picturesAfter = 0, soundAfter = 0 } = reading;
  const after = { pictures: picturesAfter, sound: soundAfter, both: Math.min(picturesAfter, soundAfter) };
  const hasFileTimes = isKept ?? keepsTimes(startSeconds, reading);
  const counted = hasFileTimes ? fileSeconds(startSeconds, reading) : leadOf(startSeconds, reading);
  return counted - after[tracks ?? 'pictures'];
}

/**
 * The first filters of a file that begins at a time. They are none of ffmpeg's options for times: beyond 10 s those
 * would count as a clock that jumps.
 */
export function fromStart(
  filter: 'setpts' | 'asetpts',
  startSeconds: number,
  reading?: SourceReading,
  { tracks = filter === 'setpts' ? 'pictures' : 'sound', isKept }: Due = {},
): string[] {
  const seconds = dueSeconds(startSeconds, reading, { tracks, isKept });
  if (seconds === 0) return [];
  const moved = `PTS${seconds > 0 ? '-' : '+'}${Math.abs(seconds).toFixed(6)}/TB`;
  // Some formats count in pictures, which would round the time to whole ones.
  if (filter === 'setpts') return ['settb=AVTB', `setpts=${moved}`];
  // The filter cuts fractions of samples off, so that parts of one file would lie up to a sample apart.
  return [`asetpts=floor(${moved}+0.5)`];
}

/** ffmpeg's name of the pictures of an input. V is the first stream of moving pictures. Cover art does not count. */
export function picturesIn(input: number, reading?: SourceReading): string {
  return `${input}:${reading?.pictures ?? 'V:0'}`;
}

/** ffmpeg's name of the sound of an input; of its left channel, if the right one is another track. */
export function soundIn(input: number, reading?: SourceReading): string {
  return `${input}:${reading?.sound ?? 'a:0'}`;
}

/** Arguments that take the sound of the only input, from a time on, through filters. */
export function soundArguments(
  startSeconds: number,
  filters: readonly string[],
  reading?: SourceReading,
  tracks?: ReadTracks,
): string[] {
  if (reading?.right !== undefined)
    return ['-filter_complex', `${soundGraph(startSeconds, filters, reading, tracks)}[sound]`, '-map', '[sound]'];
  const begun = fromStart('asetpts', startSeconds, reading, { tracks });
  return ['-map', soundIn(0, reading), '-af', [...begun, ...filters].join(',')];
}

/** The filter graph that takes the sound of the first input, from a time on, through filters. */
export function soundGraph(
  startSeconds: number,
  filters: readonly string[],
  reading?: SourceReading,
  tracks?: ReadTracks,
): string {
  const begun = fromStart('asetpts', startSeconds, reading, { tracks });
  if (reading?.right === undefined) return `[${soundIn(0, reading)}]${[...begun, ...filters].join(',')}`;
  // Tracks are joined by their samples, whatever their times, so both have to begin at the same one.
  const aligned = [...begun, 'aresample=async=1:first_pts=0:min_comp=0.00001'].join(',');
  const stereo = ['join=inputs=2:channel_layout=stereo', ...filters].join(',');
  return `[${soundIn(0, reading)}]${aligned}[left];[0:${reading.right}]${aligned}[right];[left][right]${stereo}`;
}
