// Sends messages when their time has come, and notices a destination or an encoder that does not keep up.
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
  /** How many bytes are a second of the media. */
  readonly bytesPerSecond: number;
}

/** Messages whose time comes within one tick go out with one write. */
const tickMs = 40;
/** Media is sent this long ahead of real time, so that ingests and players always have something in hand. */
const leadMs = 300;
/** One write holds no more media than this. */
const maxBatchMs = 1000;
/** When the sender is further behind than this, it gives the connection up; the next one begins at the present. */
const hopelesslyLateMs = 15_000;

/**
 * Sends until the connection ends, or its time is over.
 * @throws {DestinationError} when the destination ended the connection or takes nothing any more
 * @throws {TooSlow} when the media does not come in real time
 * @throws whatever else kept media from coming
 */
export async function sendPaced(options: SenderOptions): Promise<void> {
  await new PacedSender(options).run();
}

class PacedSender {
  readonly #options: SenderOptions;
  readonly #watch: DeliveryWatch;
  readonly #inHand: MediaInHand;
  readonly #ticker = new Ticker();
  /** How the connection ended; undefined while it stands. */
  #end: DestinationError | null | undefined;
  /** The answer of the queue that is being waited for. */
  #asked: Promise<QueuedMessage[] | null> | null = null;
  /** Messages that have come and whose time has not. */
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
      // A sender that is late goes on at once, but never without giving the socket a turn.
      const nextTickMs = tickStartMs + (lateMs > 0 ? 1 : tickMs);
      await this.#ticker.sleep(Math.max(1, nextTickMs - nowMs));
    }
    if (this.#end) throw this.#end;
  }

  /** When the time of the connection is over, makes the messages end before a keyframe. */
  #endInTime(): void {
    const { messages, prepareEnd, onEnding } = this.#options;
    if (this.#isEnding || !prepareEnd()) return;
    this.#isEnding = true;
    void messages.endBeforeKeyframe().then(onEnding);
  }

  /** The messages whose time has come, `maxBatchMs` of them at most. While the socket is full, there are none. */
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
    // What a closing connection does not take was not sent.
    if (batch.length === 0 || !publisher.isOpen) return;
    publisher.send(batch);
    for (const { picture } of batch) {
      if (!picture) continue;
      figures.frameSent(picture.frame, picture.occurrence, 1, picture.soundStandIn);
      this.#watch.pictureSent();
    }
  }

  /** Whether as much media as may waits for the destination already. */
  get #isBackedUp(): boolean {
    const { publisher, bytesPerSecond } = this.#options;
    return publisher.bytesQueued >= maxQueuedBytes + publisher.heldSeconds * bytesPerSecond;
  }

  /** @returns by how many milliseconds the sender is behind the clock; negative while it is ahead */
  #judge(nowMs: number): number {
    const { startMs, onSlow, figures, messages, framesPerSecond } = this.#options;
    const lateMs = nowMs - startMs - this.#sentMs;
    const inHandSeconds = messages.secondsInHand - lateMs / 1000;
    figures.inHand(inHandSeconds);
    figures.late(Math.max(0, Math.floor((lateMs * framesPerSecond) / 1000)));
    const isSlow = lateMs > slowAfterMs;
    const isBackedUp = this.#isBackedUp;
    if (isBackedUp) this.#inHand.leaveOut();
    else this.#inHand.note(inHandSeconds, nowMs);
    if (isSlow && isBackedUp) throw new DestinationError('stalled');
    if (isSlow !== this.#isSlow) {
      this.#isSlow = isSlow;
      onSlow(isSlow ? 'publisher' : null);
    }
    if (lateMs > hopelesslyLateMs) throw new TooSlow();
    return lateMs;
  }

  /** The next messages. None if they do not come within a tick: the clock is looked at even if they never come. */
  async #nextInTime(): Promise<QueuedMessage[]> {
    this.#asked ??= this.#options.messages.next();
    try {
      const came = await Promise.race([this.#asked, this.#ticker.sleep(tickMs)]);
      if (came === undefined) return [];
      this.#asked = null;
      this.#isAtEnd = came === null;
      return came ?? [];
    } catch (error) {
      // The queue was closed because the connection has ended: that is no failure of the media.
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
