// Bounds the segments that a user's HLS destinations take and do not accept, over all streams of an agent.
import { unacceptedUploads } from '../../domain/shared/outbound-limits.ts';

const { mostOfUser, withinMs, rememberedMs } = unacceptedUploads;

/** The history of a user whose destination left a segment without acceptance. Times are in milliseconds. */
interface History {
  rememberedUntilMs: number;
  /** Connections that left a segment, or may leave one. */
  readonly atMs: number[];
}

/**
 * Segments without acceptance are no evidence, so no user pays for their traffic. A new start, an attempt and another
 * output would each send one more, so they count together. Decision D292.
 */
export class UnacceptedUploads {
  readonly #histories = new Map<string, History>();

  /** A connection of the user has ended with a segment that was not accepted. */
  record(userID: string): void {
    const nowMs = performance.now();
    for (const [known, { rememberedUntilMs }] of this.#histories) {
      if (rememberedUntilMs < nowMs) this.#histories.delete(known);
    }
    const history = this.#histories.get(userID) ?? { rememberedUntilMs: 0, atMs: [] };
    history.rememberedUntilMs = nowMs + rememberedMs;
    history.atMs.push(nowMs);
    this.#histories.set(userID, history);
  }

  /**
   * Resolves once one more connection of the user may send segments: at once, unless its destinations left segments
   * in the last minutes. @throws the signal's reason when aborted
   */
  async mayConnect(userID: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const nowMs = performance.now();
      const history = this.#histories.get(userID);
      if (!history || history.rememberedUntilMs < nowMs) return;
      const { atMs } = history;
      while (atMs.length > 0 && atMs[0]! + withinMs <= nowMs) atMs.shift();
      if (atMs.length < mostOfUser) {
        // It may leave another one. So streams that wait do not begin all at once.
        atMs.push(nowMs);
        return;
      }
      await passed(atMs[0]! + withinMs - nowMs, signal);
    }
  }
}

async function passed(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const abort = () => reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  await promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  });
}
