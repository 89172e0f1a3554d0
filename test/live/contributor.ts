// A contributor for tests: clips as contributed tags, sent to an encoder by a clock that may run fast.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { pictureOffsetMs, soundOffsetMs } from '../../lambda/domain/playout/prepared-play-out.ts';
import type { ContributedTag } from '../../lambda/live/contribution.ts';
import type { LiveFailure } from '../../lambda/live/live-failure.ts';
import { flvStart, flvTag } from '../../lambda/live/media-tags.ts';
import { openSessionEncoder } from '../../lambda/live/session-encoder.ts';
import type { LiveSegment } from '../../lambda/live/segment-encoder.ts';
import type { SessionEncoder, SessionEncoderOptions } from '../../lambda/live/session-encoder.ts';
import type { LiveSource } from '../../lambda/domain/live/live-source.ts';
import { flvTagType, readFlvTags } from '../../lambda/publisher/ffmpeg/flv-reader.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { chunkedBytes, chunkHeaderBytes } from '../../lambda/publisher/prepared/delta-chunks.ts';
import { maxHeaderBytes, readSegmentHeader } from '../../lambda/publisher/prepared/segment-format.ts';
import { mediaChunkSize } from '../../lambda/publisher/rtmp/message.ts';
import { fastEncoder } from '../support/media-samples.ts';

export const format = { quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' } as const;

export interface ClipOptions {
  readonly seconds: number;
  readonly size?: string;
  readonly rate?: string;
  /** Null: no sound. */
  readonly sound?: readonly string[] | null;
  /** Encoder options of the pictures. */
  readonly video?: readonly string[];
  /** Filters after the flashes. */
  readonly filters?: readonly string[];
  /** Expression of `aevalsrc` in place of the beeps. */
  readonly tone?: string;
}

/** Flashes and beeps every second, after 0.4 s, for a tenth of a second. */
const flash = 'between(mod(t\\,1)\\,0.399\\,0.5)';

/** The tags of a clip whose picture flashes and whose sound beeps at the same moments. */
export async function clip({ ffmpegPath }: MediaTools, options: ClipOptions): Promise<ContributedTag[]> {
  const {
    seconds,
    size = '320x180',
    rate = '30',
    sound = ['-c:a', 'aac', '-ar', '48000', '-ac', '2'],
    filters = [],
  } = options;
  const { video = ['-preset', 'ultrafast', '-g', '60', '-bf', '0'] } = options;
  const drawn = [
    `testsrc2=s=${size}:r=${rate}:d=${seconds}`,
    "drawbox=color=black:t=fill:enable='not(" + flash + ")'",
    "drawbox=color=white:t=fill:enable='" + flash + "'",
    ...filters,
  ];
  const { tone = `0.8*sin(2*PI*1000*t)*${flash}` } = options;
  const heard = `aevalsrc='${tone}':s=48000:d=${seconds}`;
  const { stdout } = await promisify(execFile)(
    ffmpegPath,
    [
      ['-nostdin', '-v', 'error', '-f', 'lavfi', '-i', drawn.join(',')],
      sound ? ['-f', 'lavfi', '-i', heard, ...sound] : [],
      ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', ...video, '-fps_mode', 'passthrough', '-f', 'flv', '-'],
    ].flat(),
    { encoding: 'buffer', maxBuffer: 2 ** 28 },
  );
  const read = async (type: ContributedTag['type']): Promise<ContributedTag[]> => {
    const tags: ContributedTag[] = [];
    for await (const { timestampMs, body } of readFlvTags(Readable.from([stdout]), flvTagType[type]))
      tags.push({ type, timestampMs, body });
    return tags;
  };
  const tags = [...(await read('video')), ...(await read('audio'))];
  return tags.sort((one, other) => one.timestampMs - other.timestampMs);
}

/** A tag, and the time at which it arrives. */
export interface Arrival {
  readonly atMs: number;
  readonly tag: ContributedTag;
}

/** Tags that arrive at their own times. */
export function onTime(tags: readonly ContributedTag[]): Arrival[] {
  return tags.map((tag) => ({ atMs: tag.timestampMs, tag }));
}

export interface Encoded {
  readonly segments: readonly LiveSegment[];
  /** Milliseconds of the clock at which each segment came. */
  readonly times: readonly number[];
  readonly posters: readonly Buffer[];
  readonly sources: readonly LiveSource[];
  readonly failure: LiveFailure | null;
}

export interface SendOptions extends Partial<
  Pick<SessionEncoderOptions, 'format' | 'encoder' | 'targetLUFS' | 'onSegment'>
> {
  /** Most seconds of the encoder's clock for a real one. */
  readonly speed?: number;
  /** Whether the clock waits for the encoder, so that a slow machine is not late. */
  readonly waits?: boolean;
  /** Time at which the session ends, if it is not the last arrival's. */
  readonly untilMs?: number;
  /** Called before each arrival. */
  readonly before?: (session: SessionEncoder, arrival: Arrival) => void | Promise<void>;
}

/** The clock is ahead of the encoder by less than the time after which the encoder would give media up. */
const mostAheadMs = 2200;
const stepMs = 20;

/** Sends tags to an encoder until their end, or until it fails. */
export async function send(
  tools: MediaTools,
  arrivals: readonly Arrival[],
  options: SendOptions = {},
): Promise<Encoded> {
  const { speed = 5, waits = true, untilMs = arrivals.at(-1)?.atMs ?? 0, before, ...others } = options;
  let nowMs = 0;
  const segments: LiveSegment[] = [];
  const times: number[] = [];
  const posters: Buffer[] = [];
  const sources: LiveSource[] = [];
  let failure: LiveFailure | null = null;
  const session = openSessionEncoder({
    tools,
    format,
    encoder: fastEncoder,
    targetLUFS: null,
    onPoster: (poster) => posters.push(poster),
    onSource: (source) => sources.push(source),
    onFailed: (error) => (failure = error),
    steadyClock: () => nowMs,
    log: () => {},
    ...others,
    onSegment: (segment) => {
      segments.push(segment);
      times.push(nowMs);
      others.onSegment?.(segment);
    },
  });
  const startMs = performance.now();
  const advance = async (toMs: number) => {
    while (nowMs < toMs && !failure) {
      const waitMs = nowMs / speed - (performance.now() - startMs);
      if (waitMs > 1) await delay(waitMs);
      else if (waits && nowMs > session.encodedSeconds * 1000 + mostAheadMs) await delay(5);
      else nowMs = Math.min(toMs, nowMs + stepMs);
    }
  };
  for (const arrival of arrivals) {
    await advance(arrival.atMs);
    if (failure) break;
    await before?.(session, arrival);
    session.receive(arrival.tag);
  }
  await advance(untilMs);
  await session.end();
  return { segments, times, posters, sources, failure };
}

/** The messages of a segment: pictures, and the sound that belongs to each. */
export function messagesOf({ bytes }: Pick<LiveSegment, 'bytes'>) {
  const header = readSegmentHeader(bytes.subarray(0, maxHeaderBytes));
  const media = bytes.subarray(header.mediaStart);
  const groups = Array.from({ length: header.groupCount }, (_, group) => {
    const [from, end] = [header.groupOffsets[group]!, header.groupOffsets[group + 1]!];
    const soundFrom = from + header.videoBytes[group]!;
    return { picture: bodiesIn(media.subarray(from, soundFrom))[0]!, sound: bodiesIn(media.subarray(soundFrom, end)) };
  });
  return { header, groups };
}

function bodiesIn(bytes: Buffer): Buffer[] {
  const bodies: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const message = bytes.subarray(at, at + chunkedBytes(bytes.subarray(at)));
    const pieces: Buffer[] = [];
    for (let from = chunkHeaderBytes; from < message.length; from += mediaChunkSize + 1)
      pieces.push(message.subarray(from, from + mediaChunkSize));
    bodies.push(Buffer.concat(pieces));
    at += message.length;
  }
  return bodies;
}

/** Writes segments as an FLV file, as their receiver would record them. */
export async function writeFLV(path: string, segments: readonly LiveSegment[]): Promise<string> {
  const pieces: Buffer[] = [flvStart('video')];
  pieces[0]![4] = 5;
  let pictures = 0;
  let sounds = 0;
  for (const segment of segments) {
    const { header, groups } = messagesOf(segment);
    const rate = header.framesPerSecond!;
    if (pictures === 0) {
      pieces.push(
        ...flvTag('video', 0, header.videoSequenceHeader!),
        ...flvTag('audio', 0, header.audioSequenceHeader),
      );
    }
    for (const { picture, sound } of groups) {
      pieces.push(...flvTag('video', pictureOffsetMs(pictures, rate), picture));
      // Pictures are shown one frame after their decoding.
      for (const body of sound)
        pieces.push(...flvTag('audio', soundOffsetMs(sounds++) + pictureOffsetMs(1, rate), body));
      pictures += 1;
    }
  }
  await writeFile(path, Buffer.concat(pieces));
  return path;
}
