// Finds damage and missing ends without decoding everything, by a file's last packets and by samples of it.
import { fromStart, startArguments } from '../ffmpeg/input-arguments.ts';
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
const packetLimits: MediaToolLimits = { timeoutMs: 180_000, maxOutputBytes: 1024 * 1024 * 1024 };
/** Tolerance for rounded times. */
const roundingSeconds = 0.00001;
const decodeLimits: MediaToolLimits = { timeoutMs: 120_000, maxOutputBytes: 1024 * 1024 };
/** These two limit the work if ffmpeg cannot seek, or keyframes are far apart. */
const maxDecodedPictures = 600;
const maxDecodedSounds = 2000;
/** A larger share of undecodable packets is damage. A few at a seek point or an edit are not. */
const maxErrorRate = 0.5;

/** The packets of one stream, in the part of the file that was read. */
export interface StreamPackets {
  /**
   * The end of the stream in seconds on the file's own clock. If the clock jumps, the parts count as one after the
   * other, as ffmpeg plays them.
   */
  readonly endSeconds: number;
  /** The time of the last packet, which may last long. */
  readonly lastSeconds: number;
  /** The time at which the last packet is decoded, which is the time of the packet if its file has no other. */
  readonly lastDecodedSeconds: number;
  /** The longest time from a keyframe to the next one, or to the end. */
  readonly keyframeSeconds: number;
  /** The longest time from the decoding of a keyframe until it is shown. */
  readonly keyframeDelaySeconds: number;
  /** The longest time of packets at one place of the file, as those in a page of Ogg. */
  readonly placeSeconds: number;
  readonly hasJumps: boolean;
}

/**
 * Reads the times of packets from a time on.
 * @param fromSeconds the time of the first packets to read; null for the beginning
 * @param sampleRate the sample rate of the sound, whose last packets may be padded
 * @returns by stream index, the streams that have packets in this part; null if reading takes too long
 * @throws {MediaError} when bytes are missing
 */
export async function readPackets(
  { tools, sourceURL, signal }: Source,
  fromSeconds: number | null,
  sampleRate: number,
): Promise<Map<number, StreamPackets> | null> {
  const probeArguments = [
    ['-hide_banner', '-loglevel', 'error'],
    inputGuardArguments(sourceURL, null),
    fromSeconds === null ? [] : ['-read_intervals', `${fromSeconds.toFixed(3)}%${foreverSeconds}`],
    ['-show_entries', 'packet=stream_index,pts_time,dts_time,duration_time,pos,flags:packet_side_data=discard_padding'],
    ['-of', 'csv=p=0'],
    sourceURL,
  ].flat();
  const streams = new Map<number, PacketClock>();
  const onLine = (line: string): void => {
    const [stream = '', pts, dts, duration, place = '', flags = '', discarded = 0] = line.split(',');
    const clock = streams.get(Number(stream)) ?? new PacketClock(sampleRate);
    if (clock.add(Number(pts), Number(dts), Number(duration), place, flags.startsWith('K'), Number(discarded)))
      streams.set(Number(stream), clock);
  };
  const options = { sourceURL, limits: packetLimits, onLine, signal };
  const result = await runMediaTool(tools.ffprobePath, probeArguments, options);
  if (result.overLimits && !isSourceUnreadable(result.log)) return null;
  assertReadable(result);
  if (/: partial file$/mu.test(result.log))
    throw new MediaError('truncated', 'The file is cut off: its index names media that is not there.');
  return streams;
}

/**
 * ffmpeg continues a clock that goes back by more than the first of these, or forward by more than the last. Packets
 * without a decoding time go back in time wherever pictures refer to later ones.
 */
const jumpSeconds = { back: 0.1, reordered: 2, forward: 10 } as const;

/** Follows the times of one stream's packets. */
class PacketClock implements StreamPackets {
  endSeconds = -Infinity;
  lastSeconds = -Infinity;
  lastDecodedSeconds = -Infinity;
  keyframeDelaySeconds = 0;
  placeSeconds = 0;
  hasJumps = false;
  #place: string | null = null;
  #placeFrom = 0;
  readonly #sampleRate: number;
  #longestSeconds = 0;
  #keyframeAt: number | null = null;
  #lastTime: number | null = null;
  #lastLength: number | null = null;
  /** The end of the last packet in decoding order, and how far it was moved to follow on the one before it. */
  #next: number | null = null;
  #movedBy = 0;
  #isReordered = false;

  constructor(sampleRate: number) {
    this.#sampleRate = sampleRate;
  }

  get keyframeSeconds(): number {
    return Math.max(this.#longestSeconds, this.endSeconds - (this.#keyframeAt ?? this.endSeconds));
  }

  /** @returns whether the packet has a time */
  add(pts: number, dts: number, duration: number, place: string, isKeyframe: boolean, discarded: number): boolean {
    if (Number.isNaN(pts) && Number.isNaN(dts)) return false;
    const wasReordered = this.#isReordered;
    this.#isReordered = Number.isNaN(dts);
    const back = wasReordered || this.#isReordered ? jumpSeconds.reordered : jumpSeconds.back;
    this.#follow(this.#isReordered ? pts : dts, duration, back);
    const time = (Number.isNaN(pts) ? dts : pts) + this.#movedBy;
    // Some formats have no durations. Then a packet lasts as long as the previous one.
    const lasts = duration > 0 ? duration : Math.max(0, time - (this.#lastTime ?? time));
    this.#lastTime = time;
    // Encoders pad the last packet. Some formats give its duration without the padding, so it is shorter than others.
    const isWhole = lasts >= (this.#lastLength ?? lasts) - roundingSeconds;
    this.#lastLength = lasts;
    const padding = isWhole && this.#sampleRate > 0 ? Math.min(lasts, discarded / this.#sampleRate) : 0;
    this.endSeconds = Math.max(this.endSeconds, time + lasts - padding);
    this.lastSeconds = Math.max(this.lastSeconds, time);
    this.lastDecodedSeconds = (Number.isNaN(dts) ? pts : dts) + this.#movedBy;
    if (place !== this.#place) [this.#place, this.#placeFrom] = [place, time];
    this.placeSeconds = Math.max(this.placeSeconds, time + lasts - this.#placeFrom);
    if (isKeyframe) {
      this.#longestSeconds = Math.max(this.#longestSeconds, time - (this.#keyframeAt ?? time));
      this.#keyframeAt = time;
      // A missing time is not a number, and changes nothing.
      if (pts - dts > this.keyframeDelaySeconds) this.keyframeDelaySeconds = pts - dts;
    }
    return true;
  }

  #follow(decodedAt: number, duration: number, back: number): void {
    const next = this.#next ?? decodedAt;
    const ahead = decodedAt + this.#movedBy - next;
    if (ahead < -back || ahead > jumpSeconds.forward) {
      this.#movedBy -= ahead;
      this.hasJumps = true;
    }
    this.#next = decodedAt + this.#movedBy + (duration > 0 ? duration : 0);
  }
}

/** Packets whose times give the framerate. */
const countedPackets = 400;

/** Pictures per second by their times, near the beginning of the file; null: there are fewer than two. */
export async function measureFramerate(
  { tools, sourceURL, signal }: Source,
  { index }: StreamStructure,
): Promise<number | null> {
  const probeArguments = [
    ['-hide_banner', '-loglevel', 'error', '-select_streams', String(index)],
    inputGuardArguments(sourceURL, null),
    ['-read_intervals', `%+#${countedPackets}`, '-show_entries', 'packet=pts_time,dts_time', '-of', 'csv=p=0'],
    sourceURL,
  ].flat();
  const times: number[] = [];
  const onLine = (line: string): void => {
    const time = line
      .split(',')
      .map(Number)
      .find((seconds) => !Number.isNaN(seconds));
    if (time !== undefined) times.push(time);
  };
  assertReadable(
    await runMediaTool(tools.ffprobePath, probeArguments, { sourceURL, limits: packetLimits, onLine, signal }),
  );
  const seconds = Math.max(...times) - Math.min(...times);
  return seconds > 0 ? Math.round(((times.length - 1) / seconds) * 1000) / 1000 : null;
}

export interface Sample {
  readonly kind: MediaKind;
  readonly streams: readonly StreamStructure[];
  /** Seconds from the start of the media; null for the beginning, which is read without seeking. */
  readonly fromSeconds: number | null;
  /** From `SourceReading`. */
  readonly leadSeconds?: number | undefined;
  /** Length of the sample; absent: up to the end. */
  readonly seconds?: number;
  /** Whether the smallest error counts, as for a single picture. */
  readonly strict: boolean;
}

/** @returns whether all streams of the sample can be decoded there */
export async function decodesSample({ tools, sourceURL, signal }: Source, sample: Sample): Promise<boolean> {
  const { kind, streams, fromSeconds, leadSeconds, seconds, strict } = sample;
  const [start, reading] = [fromSeconds ?? 0, leadSeconds === undefined ? {} : { leadSeconds }];
  // The decoder of TIFF would take every tag that it does not need for an error. It logs damage.
  const isLogged = strict && streams.some(({ codec }) => codec === 'tiff');
  const decodeArguments = [
    ['-nostdin', '-hide_banner', '-loglevel', 'error', '-filter_threads', '1'],
    ['-max_error_rate', String(strict ? 0 : maxErrorRate)],
    strict ? ['-xerror', '-err_detect', isLogged ? '+crccheck' : '+explode+crccheck'] : [],
    inputGuardArguments(sourceURL, kind),
    ['-threads', '1'],
    startArguments(start, reading),
    ['-i', sourceURL],
    streams.flatMap(({ specifier }) => ['-map', specifier]),
    seconds === undefined ? [] : ['-t', String(seconds)],
    ['-frames:v', String(strict ? 1 : maxDecodedPictures)],
    ['-frames:a', String(maxDecodedSounds)],
    // framecrc writes one line per frame. Frames are scaled down, as checksums of large ones take time.
    ['-vf', [...fromStart('setpts', start, reading), 'scale=64:64'].join(',')],
    ['-af', [...fromStart('asetpts', start, reading), 'anull'].join(',')],
    ['-f', 'framecrc', 'pipe:1'],
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
  return result.code === 0 && decoded.size === streams.length && (!isLogged || result.log === '');
}

/** The error when examining reached its limits of time or output. */
export function takesTooLong(): MediaError {
  return new MediaError('unsupported', 'The file takes too long to examine: it has no usable index, or is damaged.');
}

function assertReadable(result: MediaToolResult): void {
  if (isSourceUnreadable(result.log)) throw new ToolError(`the source could not be read: ${result.log}`);
  if (result.overLimits) throw takesTooLong();
  if (isOutOfMemory(result.log)) throw takesTooMuchMemory();
}
