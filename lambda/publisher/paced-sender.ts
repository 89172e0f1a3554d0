// Sends messages when their time has come, by a steady clock, and notices a destination or an encoder that does not keep up.
import type { Figures } from './figures.ts';
import type { MessageQueue, QueuedMessage } from './message-queue.ts';
import { DestinationError } from './rtmp/destination-error.ts';
import type { RtmpPublisher } from './rtmp/rtmp-publisher.ts';

export interface SenderOptions {
  readonly publisher: RtmpPublisher;
  readonly messages: MessageQueue;
  readonly figures: Figures;
  /** Steady milliseconds at which the message with timestamp 0 is due. */
  readonly startMs: number;
  readonly steadyClock: () => number;
  /** The first picture has gone out and nothing of it waits here any more. */
  readonly onEvidence: () => void;
  /** Media is this much later than its time; called when that begins (true) and when it is over (false). */
  readonly onSlow: (slow: boolean) => void;
  readonly signal: AbortSignal;
}

/** Messages whose time comes within one tick go out with one write. */
const tickMs = 40;
/** Sent ahead of real time at the start, so that ingests and players have something in hand. */
const leadMs = 300;
/** So long without a byte taken, or behind the clock, and the destination or the encoder counts as stalled (operations, part 5). */
const slowAfterMs = 5000;
/** Further behind than this the connection is given up and begun anew at the present. */
const hopelesslyLateMs = 15_000;
/** Waiting in our socket: about as much as a few seconds of media; beyond it nothing more is written until the destination takes some. */
const maxQueuedBytes = 4 * 1024 * 1024;

/** Sends until the signal aborts (returns) or the connection ends, stalls or the media fails (throws whose fault it was). */
export async function sendPaced(options: SenderOptions): Promise<void> {
  const { publisher, messages, figures, steadyClock, signal } = options;
  const end = publisher.ended.then((error) => {
    throw error ?? new DestinationError('connection_lost');
  });
  end.catch(() => {});
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

  let pending: QueuedMessage[] = [];
  let sentMs = 0;
  let evident = false;
  let slow = false;
  let takenAtMs = steadyClock();
  let bytesBefore = publisher.bytesSent;

  while (!signal.aborted) {
    const dueMs = steadyClock() - options.startMs + leadMs;
    const batch: QueuedMessage[] = [];
    const mayWrite = publisher.bytesQueued < maxQueuedBytes;
    while (mayWrite && sentMs <= dueMs && batch.length < 200) {
      if (pending.length === 0) {
        const next = await Promise.race([messages.next(), end, aborted]);
        if (!next) return;
        pending = next;
      }
      sentMs = pending[0]!.timestampMs;
      if (sentMs > dueMs) break;
      batch.push(...pending);
      pending = [];
    }
    if (batch.length > 0) {
      publisher.send(batch);
      for (const { picture } of batch) if (picture) figures.frameSent(picture.frame, picture.occurrence);
    }
    figures.sent(publisher.bytesSent - bytesBefore);
    bytesBefore = publisher.bytesSent;

    const nowMs = steadyClock();
    if (publisher.bytesQueued === 0 || batch.length > 0) takenAtMs = nowMs;
    if (nowMs - takenAtMs > slowAfterMs) throw new DestinationError('timed_out');
    if (!evident && sentMs > 0 && publisher.bytesQueued === 0) {
      evident = true;
      options.onEvidence();
    }
    const lateMs = nowMs - options.startMs - sentMs;
    if (lateMs > slowAfterMs !== slow) options.onSlow((slow = !slow));
    if (lateMs > hopelesslyLateMs) throw new TooSlow();
    await Promise.race([delay(Math.max(1, tickMs - (steadyClock() - nowMs)), signal), end]);
  }
}

/** Ours: this machine does not encode the stream in real time. */
export class TooSlow extends Error {
  override name = 'TooSlow';
  readonly code = 'slower_than_real_time';
  readonly detail = 'The publisher does not encode this stream in real time.';
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
}
