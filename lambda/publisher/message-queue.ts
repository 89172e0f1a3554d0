// Merges a stream's pictures and its encoded sound into RTMP messages in order of time, a bounded while ahead of their sending.
import type { Occurrence } from '../domain/play-out.ts';
import type { AudioEncoder } from './ffmpeg/audio-encoder.ts';
import { audioFormat } from './ffmpeg/profile.ts';
import type { Profile } from './ffmpeg/profile.ts';
import type { FrameSource, TimedFrame } from './ffmpeg-media.ts';
import type { MediaMessage } from './rtmp/message.ts';

/** A message on its way, with what it means for the figures. Timestamps are milliseconds since the first frame of the connection. */
export interface QueuedMessage extends MediaMessage {
  /** Set on messages that carry a picture. */
  readonly picture: { readonly frame: number; readonly keyframe: boolean; readonly occurrence: Occurrence } | null;
}

/** How far ahead of its sending media is encoded: enough for a join on a busy machine, little enough to stop at once. */
const aheadSeconds = 1.5;

export class MessageQueue {
  readonly #source: FrameSource;
  readonly #encoder: AudioEncoder;
  readonly #profile: Profile;
  readonly #startFrame: number;
  readonly #frames: TimedFrame[] = [];
  #changed = Promise.withResolvers<void>();
  #failure: unknown = null;
  #stopped = false;
  #audioFramesRead = 0;
  #sequenceHeader: Buffer | null = null;
  #filling: Promise<void>;

  constructor(source: FrameSource, encoder: AudioEncoder, profile: Profile, startFrame: number) {
    this.#source = source;
    this.#encoder = encoder;
    this.#profile = profile;
    this.#startFrame = startFrame;
    this.#filling = this.#fill();
  }

  /** Resolves when the first picture is there. Rejects with what keeps it from being there. */
  async ready(): Promise<void> {
    while (this.#frames.length === 0) await this.#change();
  }

  /** The next messages in order of time: a picture with a new sequence header before it if need be, or a frame of sound. */
  async next(): Promise<QueuedMessage[]> {
    await this.ready();
    const head = this.#frames[0]!;
    const videoMs = this.#videoTimestampMs(head.frame);
    const audioMs = this.#audioTimestampMs(head);
    if (audioMs <= videoMs) {
      const payload = await this.#encoder.readFrame();
      // The encoder's first frame only primes decoders: it is silence from before the first sample.
      if (this.#audioFramesRead++ === 0) return this.next();
      return [{ type: 'audio', timestampMs: Math.max(0, audioMs), payload, picture: null }];
    }
    this.#frames.shift();
    this.#notify();
    const { frame, video, occurrence } = head;
    const messages: QueuedMessage[] = [];
    if (video.sequenceHeader && !this.#sequenceHeader?.equals(video.sequenceHeader)) {
      this.#sequenceHeader = video.sequenceHeader;
      messages.push({ type: 'video', timestampMs: videoMs, payload: video.sequenceHeader, picture: null });
    }
    messages.push({ type: 'video', timestampMs: videoMs, payload: video.payload, picture: { frame, keyframe: video.keyframe, occurrence } });
    return messages;
  }

  async close(): Promise<void> {
    this.#stopped = true;
    this.#notify();
    await Promise.all([this.#source.close(), this.#encoder.close()]);
    await this.#filling;
  }

  /** Absolute, from the grid: rounding never accumulates. */
  #videoTimestampMs(frame: number): number {
    return Math.round(((frame - this.#startFrame) * 1000) / this.#profile.framesPerSecond);
  }

  /** Sound is due with the picture that is shown at its time: later than decode order by the constant reordering delay. */
  #audioTimestampMs({ video }: TimedFrame): number {
    const delayMs = (this.#reorderingFrames(video) * 1000) / this.#profile.framesPerSecond;
    const samples = (this.#audioFramesRead - 1) * audioFormat.samplesPerAacFrame;
    return Math.round((samples * 1000) / audioFormat.sampleRate + delayMs);
  }

  #delayFrames: number | null = null;
  #reorderingFrames(first: TimedFrame['video']): number {
    return (this.#delayFrames ??= first.compositionFrames);
  }

  async #fill(): Promise<void> {
    try {
      while (!this.#stopped) {
        const timed = await this.#source.next();
        this.#encoder.write(timed.samples);
        this.#frames.push(timed);
        this.#notify();
        while (!this.#stopped && this.#frames.length >= aheadSeconds * this.#profile.framesPerSecond) await this.#change();
      }
    } catch (error) {
      this.#failure = error;
      this.#notify();
    }
  }

  async #change(): Promise<void> {
    if (this.#failure !== null && this.#frames.length === 0) throw this.#failure;
    await this.#changed.promise;
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
