// Looks for the last packets of a file and decodes samples of it, to find damage and cut off ends without decoding everything.
import { runChild, ToolError } from '../ffmpeg/child.ts';
import type { FinishedRun, RunLimits } from '../ffmpeg/child.ts';
import { inputGuardArguments } from './container-formats.ts';
import { MediaError } from './media-error.ts';
import { isSourceUnreadable } from './source-fault.ts';
import type { Source, StreamStructure } from './structure.ts';

/** Old builds of ffprobe read nothing, or everything, where an interval has no end, by what happens to be in memory. */
const foreverSeconds = 1_000_000_000;
/** A file without an index is read from beginning to end, though not decoded. */
const packetLimits: RunLimits = { timeoutMs: 240_000, maxOutputBytes: 1024 * 1024 * 1024 };
const decodeLimits: RunLimits = { timeoutMs: 120_000, maxOutputBytes: 1024 * 1024 };
/** Bound the work where ffmpeg cannot seek, or keyframes are far apart. */
const maxDecodedPictures = 600;
const maxDecodedSounds = 2000;
/** More undecodable packets than this share are damage; a few at a seek point or an edit are not. */
const maxErrorRate = 0.5;

/**
 * Where each stream that has packets behind `fromSeconds` (null: the beginning) ends, by stream index. Seconds on the file's own clock.
 * @throws {MediaError} when bytes are missing, or reading takes too long
 */
export async function readPacketEnds(
  { tools, sourceURL, signal }: Source,
  fromSeconds: number | null,
): Promise<Map<number, number>> {
  const probeArguments = [
    '-hide_banner',
    '-loglevel',
    'error',
    ...inputGuardArguments(sourceURL),
    ...(fromSeconds === null ? [] : ['-read_intervals', `${fromSeconds.toFixed(3)}%${foreverSeconds}`]),
    '-show_entries',
    'packet=stream_index,pts_time,dts_time,duration_time',
    '-of',
    'csv=p=0',
    sourceURL,
  ];
  const ends = new Map<number, number>();
  const lastTimes = new Map<number, number>();
  const readPacket = (line: string): void => {
    const [stream = NaN, pts = NaN, dts = NaN, duration = NaN] = line.split(',').map(Number);
    const time = Number.isNaN(pts) ? dts : pts;
    if (Number.isNaN(time)) return;
    // Some formats have no durations: then a packet lasts as long as the one before it.
    const lasts = duration > 0 ? duration : Math.max(0, time - (lastTimes.get(stream) ?? time));
    lastTimes.set(stream, time);
    ends.set(stream, Math.max(ends.get(stream) ?? -Infinity, time + lasts));
  };
  const run = await runChild(tools.ffprobePath, probeArguments, sourceURL, packetLimits, readPacket, signal);
  assertReadable(run);
  if (/: partial file$/mu.test(run.log))
    throw new MediaError('truncated', 'The file is cut off: its index names media that is not there.');
  return ends;
}

export interface Sample {
  readonly streams: readonly StreamStructure[];
  /** Counted from the start of the media; null is the beginning, without any seeking. */
  readonly fromSeconds: number | null;
  /** Up to the end if not given. */
  readonly seconds?: number;
  /** Whether the smallest error counts, as it does when there is but one picture. */
  readonly strict: boolean;
}

/** @throws {MediaError} with `blame` when one of the streams cannot be decoded there */
export async function decodeSample({ tools, sourceURL, signal }: Source, sample: Sample, blame: string): Promise<void> {
  const decodeArguments = [
    '-nostdin',
    '-hide_banner',
    '-loglevel',
    'error',
    '-max_error_rate',
    String(sample.strict ? 0 : maxErrorRate),
    ...(sample.strict ? ['-xerror', '-err_detect', '+explode+crccheck'] : []),
    ...inputGuardArguments(sourceURL),
    ...(sample.fromSeconds === null ? [] : ['-noaccurate_seek', '-ss', sample.fromSeconds.toFixed(3)]),
    '-i',
    sourceURL,
    ...sample.streams.flatMap(({ specifier }) => ['-map', specifier]),
    ...(sample.seconds === undefined ? [] : ['-t', String(sample.seconds)]),
    '-frames:v',
    String(sample.strict ? 1 : maxDecodedPictures),
    '-frames:a',
    String(maxDecodedSounds),
    // One line for each frame; small, as checksums of large pictures take time.
    '-vf',
    'scale=64:64',
    '-f',
    'framecrc',
    'pipe:1',
  ];
  const decoded = new Set<string>();
  const readFrame = (line: string): void => {
    if (/^\d/u.test(line)) decoded.add(line.split(',')[0]!);
  };
  const run = await runChild(tools.ffmpegPath, decodeArguments, sourceURL, decodeLimits, readFrame, signal);
  assertReadable(run);
  if (/Decoder .*not found|Unknown decoder|no decoder found/iu.test(run.log)) {
    throw new MediaError(
      'unsupported',
      `The file's codec (${sample.streams.map(({ codec }) => codec).join(' or ')}) is not supported.`,
    );
  }
  if (run.code !== 0 || decoded.size < sample.streams.length) throw new MediaError('damaged', blame);
}

function assertReadable(run: FinishedRun): void {
  if (isSourceUnreadable(run.log)) throw new ToolError(`the source could not be read: ${run.log}`);
  if (run.overLimits)
    throw new MediaError('unsupported', 'The file takes too long to examine: it has no usable index, or is damaged.');
}
