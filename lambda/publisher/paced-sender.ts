// Sends messages when their time has come, by a steady clock, and notices a destination or an encoder that does not keep up.
import { DeliveryWatch, maxQueuedBytes, slowAfterMs } from './delivery-watch.ts';
import type { MessageQueue, QueuedMessage } from './message-queue.ts';
import { DestinationError } from './rtmp/destination-error.ts';
import type { Sending } from './stream-media.ts';

export interface SenderOptions extends Sending {
  readonly messages: Pick<MessageQueue, 'next' | 'close' | 'endBeforeKeyframe'>;
}

/** Messages whose time comes within one tick go out with one write. */
const tickMs = 40;
/** Sent ahead of real time at the start, so that ingests and players have something in hand. */
const leadMs = 300;
/** Further behind than this the connection is given up and begun anew at the present. */
const hopelesslyLateMs = 15_000;

/** Ours: this machine does not encode the stream in real time. */
export class TooSlow extends Error {
  override name = 'TooSlow';
  readonly code = 'slower_than_real_time';
  readonly detail = 'The publisher does not encode this stream in real time.';
}

/**
 * Sends until the connection ends, or its time is over.
 * @throws {DestinationError} when the destination ended it or takes nothing any more; {TooSlow}; whatever kept media from coming
 */
export async function sendPaced({
  publisher,
  messages,
  figures,
  startMs,
  steadyClock,
  onEvidence,
  onSlow,
  isOver,
  onEnding,
}: SenderOptions): Promise<void> {
  const ticker = new Ticker();
  let end: DestinationError | null | undefined;
  // One listener for the whole connection: racing a promise that lives for months at every tick would keep every race in memory.
  void publisher.ended.then(async (error) => {
    end = error;
    ticker.wake();
    await messages.close();
  });

  let asked: Promise<QueuedMessage[] | null> | null = null;
  let isEnding = false;
  let isAtEnd = false;
  let pending: QueuedMessage[] = [];
  let sentMs = 0;
  let isSlow = false;
  const watch = new DeliveryWatch({ publisher, figures, onEvidence }, steadyClock());

  while (end === undefined) {
    const tickStartMs = steadyClock();
    if (!isEnding && isOver()) {
      isEnding = true;
      void messages.endBeforeKeyframe().then(onEnding);
    }
    const dueMs = tickStartMs - startMs + leadMs;
    const batch: QueuedMessage[] = [];
    if (publisher.bytesQueued < maxQueuedBytes) {
      while (end === undefined && sentMs <= dueMs && sentMs - (batch[0]?.timestampMs ?? sentMs) < 1000) {
        if (pending.length === 0) pending = await nextInTime();
        if (pending.length === 0 || pending[0]!.timestampMs > dueMs) break;
        sentMs = pending[0]!.timestampMs;
        batch.push(...pending);
        pending = [];
      }
    }
    if (batch.length > 0) {
      publisher.send(batch);
      for (const { picture } of batch) {
        if (!picture) continue;
        figures.frameSent(picture.frame, picture.occurrence);
        watch.pictureSent();
      }
    }
    const nowMs = steadyClock();
    watch.check(nowMs);
    if (isAtEnd) return;
    const lateMs = nowMs - startMs - sentMs;
    const isHeldUp = lateMs > slowAfterMs && publisher.bytesQueued >= maxQueuedBytes;
    if (isHeldUp) throw new DestinationError('stalled');
    if (lateMs > slowAfterMs !== isSlow) {
      isSlow = !isSlow;
      onSlow(isSlow ? 'publisher' : null);
    }
    if (lateMs > hopelesslyLateMs) throw new TooSlow();
    // Behind its time: on at once, but never without giving the socket a turn.
    await ticker.sleep(Math.max(1, tickStartMs + (lateMs > 0 ? 1 : tickMs) - nowMs));
  }
  if (end) throw end;

  /** The next messages; none when they do not come within a tick, so that the clock is looked at even if they never come. */
  async function nextInTime(): Promise<QueuedMessage[]> {
    asked ??= messages.next();
    try {
      const came = await Promise.race([asked, ticker.sleep(tickMs)]);
      if (came === undefined) return [];
      asked = null;
      isAtEnd = came === null;
      return came ?? [];
    } catch (error) {
      // What ends the queue because the connection has ended is no failure of the media.
      if (end === undefined) throw error;
      return [];
    } finally {
      ticker.wake();
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
