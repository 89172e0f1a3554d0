// The queue of one connection at a shared encoder, with timestamps of that connection.
import { DestinationError } from '../destination/destination-error.ts';
import { aheadSeconds } from './message-queue.ts';
import type { EncodedMessage, MessageQueue, QueuedMessage } from './message-queue.ts';
import type { Profile } from '../ffmpeg/profile.ts';

/** A frame of sound, or a picture, perhaps after a sequence header. */
export interface Given {
  readonly messages: readonly EncodedMessage[];
  /** Null for sound. */
  readonly frame: number | null;
  readonly isKeyframe: boolean;
  /** The number of frames of sound before it. */
  readonly soundBefore: number;
}

/** The encoder as a tap sees it. */
export interface TappedEncoder {
  readonly profile: Profile;
  /** Gives the next media to all taps. @throws the errors of the media */
  giveNext(): Promise<void>;
  /** Removes a tap. With the last one the encoder ends; then this resolves when no process is left. */
  leave(tap: Tap): Promise<void>;
  /** The time of a frame after the encoder's first one, in milliseconds. */
  timeOf(frame: number): number;
  /** The number of frames of sound before a picture, rounded so that the next one is closest to its exact time. */
  soundBefore(frame: number): number;
}

export interface TapOptions {
  readonly encoder: TappedEncoder;
  /** A keyframe, or the encoder's first frame. */
  readonly startFrame: number;
  readonly audioSequenceHeader: Buffer;
  /** Media that is encoded and not given to any tap yet. */
  readonly ahead: Pick<MessageQueue, 'secondsInHand'>;
}

/** A connection for which this much media waits ends. This limits the memory, which the waiting taps share. */
const mostWaitingSeconds = 20;

export class Tap {
  readonly startFrame: number;
  readonly audioSequenceHeader: Buffer;
  readonly #encoder: TappedEncoder;
  readonly #ahead: TapOptions['ahead'];
  readonly #firstSound: number;
  readonly #waiting: QueuedMessage[][] = [];
  #picturesWaiting = 0;
  #hasSequenceHeader = false;
  /** The last picture that the encoder gave. */
  #lastFrame: number;
  /** The tap ends before the first keyframe from this frame on; null: no end is wanted. */
  #endsFrom: number | null = null;
  /** The keyframe before which the tap ends; null until it is known. */
  #endFrame: number | null = null;
  readonly #ending = Promise.withResolvers<number>();
  #isComplete = false;
  #isTooSlow = false;
  #isClosed = false;
  #leaving: Promise<void> | null = null;

  constructor({ encoder, startFrame, audioSequenceHeader, ahead }: TapOptions) {
    this.#encoder = encoder;
    this.startFrame = startFrame;
    this.#lastFrame = startFrame;
    this.audioSequenceHeader = audioSequenceHeader;
    this.#ahead = ahead;
    this.#firstSound = encoder.soundBefore(startFrame);
  }

  /** Seconds of encoded media that wait to be sent. */
  get secondsInHand(): number {
    return this.#picturesWaiting / this.#encoder.profile.framesPerSecond + this.#ahead.secondsInHand;
  }

  /** Queues media of the encoder. @param sequenceHeader the header of the pictures, sent first if needed */
  give(given: Given, sequenceHeader: EncodedMessage | null): void {
    const { frame, messages, isKeyframe, soundBefore } = given;
    if (this.#isComplete || this.#isTooSlow) return;
    if (frame === null) {
      if (soundBefore >= this.#firstSound) this.#queue(messages);
      this.#endIfComplete(soundBefore + 1);
      return;
    }
    this.#lastFrame = frame;
    if (this.#endsFrom !== null && isKeyframe && frame >= this.#endsFrom && this.#endFrame === null) {
      this.#endFrame = frame;
      this.#ending.resolve(frame);
      this.#endIfComplete(soundBefore);
    }
    if (this.#endFrame !== null) return;
    const needsHeader = !this.#hasSequenceHeader && messages.length === 1 && sequenceHeader !== null;
    this.#queue(needsHeader ? [{ ...sequenceHeader, exactMs: messages[0]!.exactMs }, ...messages] : messages);
    this.#hasSequenceHeader = true;
    this.#picturesWaiting++;
    const { framesPerSecond } = this.#encoder.profile;
    if (this.#picturesWaiting <= mostWaitingSeconds * framesPerSecond) return;
    this.#isTooSlow = true;
    this.#waiting.length = 0;
  }

  #queue(messages: readonly EncodedMessage[]): void {
    const beganMs = this.#encoder.timeOf(this.startFrame);
    this.#waiting.push(
      messages.map(({ type, payload, picture, exactMs }) => {
        const timestampMs = Math.max(0, Math.round(exactMs - beganMs));
        return { type, payload, picture, timestampMs };
      }),
    );
  }

  #endIfComplete(soundGiven: number): void {
    if (this.#endFrame === null) return;
    this.#isComplete = soundGiven >= this.#encoder.soundBefore(this.#endFrame);
  }

  /**
   * The next messages in order of time: a frame of sound, or a picture, after a sequence header if that has changed.
   * Null at the end.
   * @throws {DestinationError} when the connection is too slow; the errors of the media, after the media before them
   */
  async next(): Promise<QueuedMessage[] | null> {
    for (;;) {
      if (this.#isTooSlow) throw new DestinationError('stalled');
      const messages = this.#waiting.shift();
      if (messages) {
        if (messages.at(-1)!.picture) this.#picturesWaiting--;
        return messages;
      }
      if (this.#isComplete) return null;
      if (this.#isClosed) throw new Error('the connection has left its encoder');
      await this.#encoder.giveNext();
    }
  }

  /**
   * Ends the tap before a keyframe that is sent in `aheadSeconds` at the earliest.
   * @returns the frame of that keyframe, as soon as it is encoded; never resolves if the media fails before
   */
  endBeforeKeyframe(): Promise<number> {
    this.#endsFrom = this.#lastFrame + aheadSeconds * this.#encoder.profile.framesPerSecond;
    void this.#findEnd();
    return this.#ending.promise;
  }

  async #findEnd(): Promise<void> {
    // `next` throws the failure.
    while (this.#endFrame === null && !this.#isClosed)
      await this.#encoder.giveNext().catch(() => {
        this.#isClosed = true;
      });
  }

  /** Leaves the encoder. Resolves, for the last connection, when no process is left. May be called again. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#leaving ??= this.#encoder.leave(this);
    return this.#leaving;
  }
}
