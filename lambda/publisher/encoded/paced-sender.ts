// Sends encoded messages when they are due, and notices a destination or an encoder that does not keep up.
import { DeliveryWatch, maxQueuedBytes, slowAfterMs } from '../replica/delivery-watch.ts';
import { TooSlow } from '../replica/faults.ts';
import type { Sending } from '../replica/stream-media.ts';
import { DestinationError } from '../destination/destination-error.ts';
import { MediaInHand } from './media-in-hand.ts';
import type { QueuedMessage } from './message-queue.ts';
import type { Tap } from './tap.ts';

export interface SenderOptions extends Sending {
  readonly messages: Pick<Tap, 'next' | 'close' | 'endBeforeKeyframe' | 'secondsInHand'>;
  readonly framesPerSecond: number;
  /** Bytes of one second of media. */
  readonly bytesPerSecond: number;
}

/** Messages that are due within one tick are sent with one write. */
const tickMs = 40;
/** Media is sent this long ahead of real time, so that ingests and players always have a reserve. */
const leadMs = 300;
/** One write holds no more media than this. */
const maxBatchMs = 1000;
/** A sender further behind than this gives the connection up. The next one begins at the present. */
const hopelesslyLateMs = 15_000;

/**
 * Sends until the connection ends, or its time is over.
 * @throws {DestinationError} when the destination closed the connection or accepts nothing
 * @throws {TooSlow} when the media does not come in real time; any other error of the media
 */
export async function sendPaced(options: SenderOptions): Promise<void> {
  await new PacedSender(options).run();
}

class PacedSender {
  readonly #options: SenderOptions;
  readonly #watch: DeliveryWatch;
  readonly #inHand: MediaInHand;
  readonly #ticker = new Ticker();
  /** The error that ended the connection; null if it ended without one; undefined while it is open. */
  #end: DestinationError | null | undefined;
  /** The pending request for the next messages. */
  #asked: Promise<QueuedMessage[] | null> | null = null;
  /** Messages that are not due yet. */
  #pending: QueuedMessage[] = [];
  /** The timestamp of the last message sent. */
  #sentMs = 0;
  #isEnding = false;
  #isAtEnd = false;
  #isSlow = false;

  constructor(options: SenderOptions) {
    const { publisher, figures, onEvidence, steadyClock } = options;
    this.#options = options;
    this.#watch = new DeliveryWatch({ publisher, figures, onEvidence }, steadyClock());
    this.#inHand = new MediaInHand(options.onShort);
  }

  async run(): Promise<void> {
    const { publisher, messages, steadyClock } = this.#options;
    // One listener serves the whole connection, which may last for months: racing `ended` at every tick would keep
    // every race in memory.
    void publisher.ended.then(async (error) => {
      this.#end = error;
      this.#ticker.wake();
      await messages.close();
    });
    while (this.#end === undefined) {
      const tickStartMs = steadyClock();
      this.#endInTime();
      this.#send(await this.#takeDue(tickStartMs));
      const nowMs = steadyClock();
      this.#watch.check(nowMs);
      if (this.#isAtEnd) return;
      const lateMs = this.#judge(nowMs);
      // A sender that is late continues at once, but gives the socket a turn.
      const nextTickMs = tickStartMs + (lateMs > 0 ? 1 : tickMs);
      await this.#ticker.sleep(Math.max(1, nextTickMs - nowMs));
    }
    if (this.#end) throw this.#end;
  }

  /** Lets the messages end before a keyframe once the connection's time is over. */
  #endInTime(): void {
    const { messages, prepareEnd, onEnding } = this.#options;
    if (this.#isEnding || !prepareEnd()) return;
    this.#isEnding = true;
    void messages.endBeforeKeyframe().then(onEnding);
  }

  /** The messages that are due, at most `maxBatchMs` of them. None while the socket is full. */
  async #takeDue(nowMs: number): Promise<QueuedMessage[]> {
    const { startMs } = this.#options;
    const batch: QueuedMessage[] = [];
    if (this.#isBackedUp) return batch;
    const dueMs = nowMs - startMs + leadMs;
    const batchMs = () => this.#sentMs - (batch[0]?.timestampMs ?? this.#sentMs);
    while (this.#end === undefined && this.#sentMs <= dueMs && batchMs() < maxBatchMs) {
      if (this.#pending.length === 0) this.#pending = await this.#nextInTime();
      const [first] = this.#pending;
      if (!first || first.timestampMs > dueMs) break;
      this.#sentMs = first.timestampMs;
      batch.push(...this.#pending);
      this.#pending = [];
    }
    return batch;
  }

  #send(batch: readonly QueuedMessage[]): void {
    const { publisher, figures } = this.#options;
    // A closing connection sends nothing, so nothing is counted.
    if (batch.length === 0 || !publisher.isOpen) return;
    publisher.send(batch);
    for (const { picture } of batch) {
      if (!picture) continue;
      figures.frameSent(picture.frame, picture.occurrence, 1, picture.soundStandIn);
      this.#watch.pictureSent();
    }
  }

  /** Whether the limit of media that may wait for the destination is reached. */
  get #isBackedUp(): boolean {
    const { publisher, bytesPerSecond } = this.#options;
    return publisher.bytesQueued >= maxQueuedBytes + publisher.heldSeconds * bytesPerSecond;
  }

  /** @returns milliseconds that the sender is behind the clock; negative if it is ahead */
  #judge(nowMs: number): number {
    const { startMs, onSlow, figures, messages, framesPerSecond } = this.#options;
    const lateMs = nowMs - startMs - this.#sentMs;
    const inHandSeconds = messages.secondsInHand - lateMs / 1000;
    figures.inHand(inHandSeconds);
    figures.late(Math.max(0, Math.floor((lateMs * framesPerSecond) / 1000)));
    const isSlow = lateMs > slowAfterMs;
    const isBackedUp = this.#isBackedUp;
    if (isBackedUp) this.#inHand.leaveOut();
    else this.#inHand.sample(inHandSeconds, nowMs);
    if (isSlow && isBackedUp) throw new DestinationError('stalled');
    if (isSlow !== this.#isSlow) {
      this.#isSlow = isSlow;
      onSlow(isSlow ? 'publisher' : null);
    }
    if (lateMs > hopelesslyLateMs) throw new TooSlow();
    return lateMs;
  }

  /** The next messages; none if they do not come within a tick, so that the clock is checked meanwhile. */
  async #nextInTime(): Promise<QueuedMessage[]> {
    this.#asked ??= this.#options.messages.next();
    try {
      const came = await Promise.race([this.#asked, this.#ticker.sleep(tickMs)]);
      if (came === undefined) return [];
      this.#asked = null;
      this.#isAtEnd = came === null;
      return came ?? [];
    } catch (error) {
      // The queue was closed because the connection has ended, so this is no failure of the media.
      if (this.#end !== undefined) return [];
      throw error;
    } finally {
      this.#ticker.wake();
    }
  }
}

/** One sleeper that can be woken. */
class Ticker {
  #wake: () => void = () => {};

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  wake(): void {
    this.#wake();
  }
}
