// What one connection takes of an encoder that others take from as well: a queue of its own, on its own time.
import { DestinationError } from '../destination/destination-error.ts';
import { aheadSeconds } from './message-queue.ts';
import type { EncodedMessage, MessageQueue, QueuedMessage } from './message-queue.ts';
import type { Profile } from '../ffmpeg/profile.ts';

/** A frame of sound, or a picture that may follow a sequence header. */
export interface Given {
  readonly messages: readonly EncodedMessage[];
  /** Null for sound. */
  readonly frame: number | null;
  readonly isKeyframe: boolean;
  /** How many frames of sound came before. */
  readonly soundBefore: number;
}

/** What a tap needs of the encoder. */
export interface TappedEncoder {
  readonly profile: Profile;
  /** Hands what comes next to all taps. @throws whatever keeps media from coming */
  giveNext(): Promise<void>;
  /** Lets a tap go. The encoder ends with the last one; then it resolves when no process is left. */
  leave(tap: Tap): Promise<void>;
  /** The time of a frame after the encoder's first one, in milliseconds. */
  timeOf(frame: number): number;
  /** How many frames of sound come before a picture: as many as leave the next one nearest to where it belongs. */
  soundBefore(frame: number): number;
}

export interface TapOptions {
  readonly encoder: TappedEncoder;
  /** A keyframe, or the encoder's first frame. */
  readonly startFrame: number;
  readonly audioSequenceHeader: Buffer;
  /** What is encoded and was given to nobody yet. */
  readonly ahead: Pick<MessageQueue, 'secondsInHand'>;
}

/** A connection that takes nothing for so long ends. What waits is bounded by that, and shared by all that wait. */
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
  /** It ends before the first keyframe from this frame on; null: it goes on. */
  #endsFrom: number | null = null;
  /** The keyframe before which it ends; null until it is known. */
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

  /** How much of what was encoded waits to be sent. */
  get secondsInHand(): number {
    return this.#picturesWaiting / this.#encoder.profile.framesPerSecond + this.#ahead.secondsInHand;
  }

  /** Queues what the encoder has given, as far as it is this connection's. @param sequenceHeader what it needs first */
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
   * The next messages in order of time: a frame of sound, or a picture, which follows a sequence header where that is
   * new. Null at the end.
   * @throws {DestinationError} when the connection took too little; whatever keeps media from coming, once everything
   * that came before is taken
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
   * Ends before a keyframe that is to be sent in `aheadSeconds` at the earliest.
   * @returns the frame of that keyframe, as soon as it is encoded; never where media fails before
   */
  endBeforeKeyframe(): Promise<number> {
    this.#endsFrom = this.#lastFrame + aheadSeconds * this.#encoder.profile.framesPerSecond;
    void this.#findEnd();
    return this.#ending.promise;
  }

  async #findEnd(): Promise<void> {
    // Whoever takes the messages meets what fails.
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
