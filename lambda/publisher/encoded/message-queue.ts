// Merges a stream's pictures and its encoded sound into RTMP messages in order of time, ahead of their sending.
import type { AudioEncoder } from '../ffmpeg/audio-encoder.ts';
import { audioFormat } from '../ffmpeg/profile.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import type { FrameSource, TimedFrame } from './ffmpeg-media.ts';
import type { MediaMessage } from '../rtmp/message.ts';

/**
 * A message to be sent, with the data for figures. Its timestamp is in milliseconds since the first frame of the
 * connection.
 */
export interface QueuedMessage extends MediaMessage {
  /** Null for messages without a picture: sound and sequence headers. */
  readonly picture: Pick<TimedFrame, 'frame' | 'occurrence' | 'soundStandIn'> | null;
}

/** An encoded message. Its timestamp counts from the encoder's first frame. */
export interface EncodedMessage extends QueuedMessage {
  /** The timestamp before it is rounded. */
  readonly exactMs: number;
  readonly isKeyframe: boolean;
}

/** Seconds that media is encoded ahead: enough for a join on a busy machine, and little to discard at the end. */
export const aheadSeconds = 1.5;

/** The time of a message. It is rounded from its exact time, so that rounding errors do not add up. */
function at(exactMs: number): Pick<EncodedMessage, 'exactMs' | 'timestampMs'> {
  return { exactMs, timestampMs: Math.round(exactMs) };
}

export class MessageQueue {
  readonly #source: FrameSource;
  readonly #encoder: AudioEncoder;
  readonly #profile: Profile;
  readonly #startFrame: number;
  readonly #pictures: TimedFrame[] = [];
  readonly #sound: Buffer[] = [];
  readonly #filling: Promise<unknown>;
  #soundTaken = 0;
  /** Frames between the decoding and the display of a picture. Sound is sent this much later, to be in sync. */
  #compositionDelayFrames = 0;
  #sequenceHeader: Buffer | null = null;
  #changed = Promise.withResolvers<void>();
  #failure: unknown = null;
  #closed = false;
  #closing: Promise<void> | null = null;

  constructor(source: FrameSource, encoder: AudioEncoder, profile: Profile, startFrame: number) {
    this.#source = source;
    this.#encoder = encoder;
    this.#profile = profile;
    this.#startFrame = startFrame;
    this.#filling = Promise.all([this.#fillPictures(), this.#fillSound()]);
  }

  /**
   * Resolves when the first picture is encoded.
   * @throws {MediaError} {ToolError}, or an error once the queue is closed
   */
  async ready(): Promise<void> {
    while (this.#pictures.length === 0) await this.#nextChange();
    this.#compositionDelayFrames ||= this.#pictures[0]!.video.compositionDelayFrames;
  }

  /** Seconds of encoded media that wait to be sent. */
  get secondsInHand(): number {
    return this.#pictures.length / this.#profile.framesPerSecond;
  }

  /**
   * The next messages in order of time: a frame of sound, or a picture, after a sequence header if that has changed.
   * @throws the errors of `ready`, after the media before the failure
   */
  async next(): Promise<EncodedMessage[]> {
    await this.ready();
    const head = this.#pictures[0]!;
    const videoTime = at(this.#videoMs(head.frame));
    const audioTime = at(this.#audioMs());
    if (audioTime.timestampMs <= videoTime.timestampMs) {
      while (this.#sound.length === 0) await this.#nextChange();
      this.#soundTaken++;
      return [{ type: 'audio', ...audioTime, payload: this.#sound.shift()!, picture: null, isKeyframe: false }];
    }
    this.#pictures.shift();
    this.#notify();
    const { frame, video, occurrence, soundStandIn } = head;
    const picture: EncodedMessage = {
      type: 'video',
      ...videoTime,
      payload: video.payload,
      picture: { frame, occurrence, soundStandIn },
      isKeyframe: video.keyframe,
    };
    if (!video.sequenceHeader || this.#sequenceHeader?.equals(video.sequenceHeader)) return [picture];
    this.#sequenceHeader = video.sequenceHeader;
    return [{ type: 'video', ...videoTime, payload: video.sequenceHeader, picture: null, isKeyframe: false }, picture];
  }

  /** Ends both sources; a pending `next` throws. Resolves when no process is left. May be called again. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#closed = true;
    this.#notify();
    await Promise.all([this.#source.close(), this.#encoder.close()]);
    await this.#filling;
  }

  #videoMs(frame: number): number {
    return ((frame - this.#startFrame) * 1000) / this.#profile.framesPerSecond;
  }

  #audioMs(): number {
    const playedMs = (this.#soundTaken * audioFormat.samplesPerAacFrame * 1000) / audioFormat.sampleRate;
    return playedMs + (this.#compositionDelayFrames * 1000) / this.#profile.framesPerSecond;
  }

  async #fillPictures(): Promise<void> {
    try {
      while (!this.#closed) {
        const timed = await this.#source.next();
        this.#encoder.write(timed.samples);
        this.#pictures.push(timed);
        this.#notify();
        while (!this.#closed && this.#pictures.length >= aheadSeconds * this.#profile.framesPerSecond)
          await this.#changed.promise;
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Takes all sound of the encoder. The pictures limit it: each brings the encoder only its share of samples. */
  async #fillSound(): Promise<void> {
    try {
      // The encoder's first frame only primes decoders: it holds the time before the first sample.
      await this.#encoder.readFrame();
      while (!this.#closed) {
        this.#sound.push(await this.#encoder.readFrame());
        this.#notify();
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#notify();
  }

  async #nextChange(): Promise<void> {
    if (this.#closed) throw new Error('the queue is closed');
    if (this.#failure !== null) throw this.#failure;
    await this.#changed.promise;
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
