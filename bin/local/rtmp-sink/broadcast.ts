// A broadcast: the media that one publisher sends over one connection, with its facts and its viewers.
import type { ServerResponse } from 'node:http';
import { decodeAmf0, encodeAmf0 } from '../../../lambda/publisher/rtmp/amf0.ts';
import type { Amf0Object, Amf0Value } from '../../../lambda/publisher/rtmp/amf0.ts';
import { asObject } from '../../../lambda/publisher/rtmp/command.ts';
import { messageType } from '../../../lambda/publisher/rtmp/message.ts';
import type { RtmpMessage } from '../../../lambda/publisher/rtmp/message.ts';
import { BitrateMeter } from './bitrate-meter.ts';
import type { BroadcastFacts } from './channel.ts';
import { audioBodyFacts, videoBodyFacts } from './flv-body.ts';
import { flvTagType, flvHeader, flvTag } from './flv-writer.ts';
import { GopCache } from './gop-cache.ts';
import type { LiveTag } from './gop-cache.ts';
import { pictureFormat } from './h264-sps.ts';
import type { PictureFormat } from './h264-sps.ts';
import { Viewer } from './viewer.ts';

const setDataFrame = encodeAmf0(['@setDataFrame']);

export class Broadcast {
  readonly #connectedAt = new Date();
  #cache = new GopCache();
  readonly #viewers = new Set<Viewer>();
  readonly #bitrate = new BitrateMeter(performance.now());
  readonly #lastTimestampMs: { video: number | null; audio: number | null } = { video: null, audio: null };
  #metadata: Amf0Object = {};
  #picture: PictureFormat | null = null;
  #videoCodec: string | null = null;
  #audioCodec: string | null = null;
  #videoFrames = 0;
  #audioFrames = 0;
  #bytes = 0;
  #firstVideoAt: Date | null = null;
  #newestTimestampMs: number | null = null;
  #lastKeyframeMs: number | null = null;
  #keyframeIntervalMs: number | null = null;
  #timestampRegressions = 0;

  /** Handles a media or data message of the publisher. Ignores other messages. */
  receive({ type, timestampMs, payload }: RtmpMessage): void {
    if (type === messageType.dataAmf0) this.#receiveData(payload);
    else if (type === messageType.video && payload.length > 0) this.#receiveVideo(timestampMs, payload);
    else if (type === messageType.audio && payload.length > 0) this.#receiveAudio(timestampMs, payload);
  }

  /** Answers with an FLV file that lasts as long as the broadcast. */
  addViewer(response: ServerResponse): void {
    const hasVideo = this.#videoCodec !== null || this.#metadata['videocodecid'] !== undefined;
    const hasAudio = this.#audioCodec !== null || this.#metadata['audiocodecid'] !== undefined;
    const opening = Buffer.concat([flvHeader({ hasVideo, hasAudio }), ...this.#cache.opening()]);
    const viewer = new Viewer(response, { opening, waitsForKeyframe: !this.#cache.startsWithPicture });
    this.#viewers.add(viewer);
    response.once('close', () => this.#viewers.delete(viewer));
  }

  /** Ends every viewer's file, and keeps only the facts. */
  end(): void {
    for (const viewer of this.#viewers) viewer.end();
    this.#viewers.clear();
    this.#cache = new GopCache();
  }

  facts(): BroadcastFacts {
    return {
      connectedAt: this.#connectedAt,
      width: this.#picture?.width ?? asNumber(this.#metadata['width']),
      height: this.#picture?.height ?? asNumber(this.#metadata['height']),
      framerate: this.#picture?.framerate ?? asNumber(this.#metadata['framerate']),
      videoCodec: this.#videoCodec,
      audioCodec: this.#audioCodec,
      videoFrames: this.#videoFrames,
      audioFrames: this.#audioFrames,
      bytes: this.#bytes,
      bitrateKbps: this.#bitrate.kbps(performance.now()),
      firstVideoAt: this.#firstVideoAt,
      lastTimestampMs: this.#newestTimestampMs,
      keyframeIntervalMs: this.#keyframeIntervalMs,
      timestampRegressions: this.#timestampRegressions,
    };
  }

  #receiveVideo(timestampMs: number, body: Buffer): void {
    const { codec, content } = videoBodyFacts(body);
    this.#videoCodec = codec ?? this.#videoCodec;
    if (content === 'sequence header' && codec === 'h264') this.#picture = pictureFormat(body) ?? this.#picture;
    if (content === 'frame' || content === 'keyframe') {
      this.#videoFrames++;
      this.#firstVideoAt ??= new Date();
    }
    if (content === 'keyframe') {
      this.#keyframeIntervalMs = this.#lastKeyframeMs === null ? null : (timestampMs - this.#lastKeyframeMs) | 0;
      this.#lastKeyframeMs = timestampMs;
    }
    this.#count('video', timestampMs, body);
    this.#deliver({ kind: 'video', content, bytes: flvTag(flvTagType.video, timestampMs, body) });
  }

  #receiveAudio(timestampMs: number, body: Buffer): void {
    const { codec, content } = audioBodyFacts(body);
    this.#audioCodec = codec ?? this.#audioCodec;
    if (content === 'frame') this.#audioFrames++;
    this.#count('audio', timestampMs, body);
    this.#deliver({ kind: 'audio', content, bytes: flvTag(flvTagType.audio, timestampMs, body) });
  }

  #receiveData(payload: Buffer): void {
    const isStored = payload.subarray(0, setDataFrame.length).equals(setDataFrame);
    const body = isStored ? payload.subarray(setDataFrame.length) : payload;
    const [name, value] = decodeAmf0(body);
    if (name !== 'onMetaData') return;
    this.#metadata = asObject(value);
    this.#deliver({ kind: 'data', content: 'other', bytes: flvTag(flvTagType.data, 0, body) });
  }

  #count(kind: 'video' | 'audio', timestampMs: number, body: Buffer): void {
    this.#bytes += body.length;
    this.#bitrate.add(body.length, performance.now());
    const last = this.#lastTimestampMs[kind];
    // Timestamps wrap at 32 bits. As a signed 32-bit number, the difference is correct across the wrap too.
    const step = last === null ? 0 : (timestampMs - last) | 0;
    if (step < 0) this.#timestampRegressions++;
    this.#lastTimestampMs[kind] = last === null ? timestampMs : last + step;
    this.#newestTimestampMs = this.#lastTimestampMs[kind];
  }

  #deliver(tag: LiveTag): void {
    this.#cache.add(tag);
    for (const viewer of this.#viewers) viewer.send(tag);
  }
}

function asNumber(value: Amf0Value): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
