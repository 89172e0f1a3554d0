// Finds damage and missing ends without decoding everything, by a file's last packets and by samples of it.
import { isOutOfMemory, runMediaTool, ToolError } from '../ffmpeg/media-tool.ts';
import type { MediaToolLimits, MediaToolResult } from '../ffmpeg/media-tool.ts';
import { inputGuardArguments } from './container-formats.ts';
import { MediaError, takesTooMuchMemory } from './media-error.ts';
import type { MediaKind } from './container-formats.ts';
import { isSourceUnreadable } from './source-fault.ts';
import type { Source, StreamStructure } from './structure.ts';

/**
 * The end of an open interval. Old builds of ffprobe need one: without it they read nothing or everything, depending on
 * uninitialized memory.
 */
const foreverSeconds = 1_000_000_000;
/** Limits for reading packets. A file without an index is read from beginning to end, though not decoded. */
const packetLimits: MediaToolLimits = { timeoutMs: 240_000, maxOutputBytes: 1024 * 1024 * 1024 };
/** Tolerance for rounded times. */
const roundingSeconds = 0.00001;
const decodeLimits: MediaToolLimits = { timeoutMs: 120_000, maxOutputBytes: 1024 * 1024 };
/** These two limit the work if ffmpeg cannot seek, or keyframes are far apart. */
const maxDecodedPictures = 600;
const maxDecodedSounds = 2000;
/** A larger share of undecodable packets is damage. A few at a seek point or an edit are not. */
const maxErrorRate = 0.5;

/**
 * Finds where streams end, in seconds on the file's own clock.
 * @param fromSeconds the time of the first packets to read; null for the beginning
 * @param sampleRate the sample rate of the sound, whose last packets may be padded
 * @returns by stream index, the end of each stream that has packets in this part
 * @throws {MediaError} when bytes are missing, or reading takes too long
 */
export async function readPacketEnds(
  { tools, sourceURL, signal }: Source,
  fromSeconds: number | null,
  sampleRate: number,
): Promise<Map<number, number>> {
  const probeArguments = [
    ['-hide_banner', '-loglevel', 'error'],
    inputGuardArguments(sourceURL, null),
    fromSeconds === null ? [] : ['-read_intervals', `${fromSeconds.toFixed(3)}%${foreverSeconds}`],
    ['-show_entries', 'packet=stream_index,pts_time,dts_time,duration_time:packet_side_data=discard_padding'],
    ['-of', 'csv=p=0'],
    sourceURL,
  ].flat();
  const ends = new Map<number, number>();
  const lastTimes = new Map<number, number>();
  const lastLengths = new Map<number, number>();
  const onLine = (line: string): void => {
    const [stream = NaN, pts = NaN, dts = NaN, duration = NaN, discarded = 0] = line.split(',').map(Number);
    const time = Number.isNaN(pts) ? dts : pts;
    if (Number.isNaN(time)) return;
    // Some formats have no durations. Then a packet lasts as long as the previous one.
    const lasts = duration > 0 ? duration : Math.max(0, time - (lastTimes.get(stream) ?? time));
    lastTimes.set(stream, time);
    // Encoders pad the last packet. Some formats give its duration without the padding, so it is shorter than others.
    const isWhole = lasts >= (lastLengths.get(stream) ?? lasts) - roundingSeconds;
    lastLengths.set(stream, lasts);
    const padding = isWhole && sampleRate > 0 ? Math.min(lasts, discarded / sampleRate) : 0;
    ends.set(stream, Math.max(ends.get(stream) ?? -Infinity, time + lasts - padding));
  };
  const options = { sourceURL, limits: packetLimits, onLine, signal };
  const result = await runMediaTool(tools.ffprobePath, probeArguments, options);
  assertReadable(result);
  if (/: partial file$/mu.test(result.log))
    throw new MediaError('truncated', 'The file is cut off: its index names media that is not there.');
  return ends;
}

export interface Sample {
  readonly kind: MediaKind;
  readonly streams: readonly StreamStructure[];
  /** Seconds from the start of the media; null for the beginning, which is read without seeking. */
  readonly fromSeconds: number | null;
  /** Length of the sample; absent: up to the end. */
  readonly seconds?: number;
  /** Whether the smallest error counts, as for a single picture. */
  readonly strict: boolean;
  /** The text for the user if the sample cannot be decoded. */
  readonly blame: string;
}

/** @throws {MediaError} damaged, when one of the sample's streams cannot be decoded there */
export async function decodeSample({ tools, sourceURL, signal }: Source, sample: Sample): Promise<void> {
  const { kind, streams, fromSeconds, seconds, strict, blame } = sample;
  const decodeArguments = [
    ['-nostdin', '-hide_banner', '-loglevel', 'error', '-filter_threads', '1'],
    ['-max_error_rate', String(strict ? 0 : maxErrorRate)],
    strict ? ['-xerror', '-err_detect', '+explode+crccheck'] : [],
    inputGuardArguments(sourceURL, kind),
    ['-threads', '1'],
    fromSeconds === null ? [] : ['-noaccurate_seek', '-ss', fromSeconds.toFixed(3)],
    ['-i', sourceURL],
    streams.flatMap(({ specifier }) => ['-map', specifier]),
    seconds === undefined ? [] : ['-t', String(seconds)],
    ['-frames:v', String(strict ? 1 : maxDecodedPictures)],
    ['-frames:a', String(maxDecodedSounds)],
    // framecrc writes one line per frame. Frames are scaled down, as checksums of large ones take time.
    ['-vf', 'scale=64:64', '-f', 'framecrc', 'pipe:1'],
  ].flat();
  const decoded = new Set<string>();
  const onLine = (line: string): void => {
    if (/^\d/u.test(line)) decoded.add(line.split(',')[0]!);
  };
  const options = { sourceURL, limits: decodeLimits, onLine, signal };
  const result = await runMediaTool(tools.ffmpegPath, decodeArguments, options);
  assertReadable(result);
  if (/Decoder .*not found|Unknown decoder|no decoder found/iu.test(result.log)) {
    const codecs = streams.map(({ codec }) => codec).join(' or ');
    throw new MediaError('unsupported', `The file's codec (${codecs}) is not supported.`);
  }
  if (result.code !== 0 || decoded.size < streams.length) throw new MediaError('damaged', blame);
}

function assertReadable(result: MediaToolResult): void {
  if (isSourceUnreadable(result.log)) throw new ToolError(`the source could not be read: ${result.log}`);
  if (result.overLimits)
    throw new MediaError('unsupported', 'The file takes too long to examine: it has no usable index, or is damaged.');
  if (isOutOfMemory(result.log)) throw takesTooMuchMemory();
}
