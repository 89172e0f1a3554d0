// Bounds the segments that a user's HLS destinations take and do not accept, over all streams of an agent.
import { unacceptedUploads } from '../../domain/shared/outbound-limits.ts';

const { mostOfUser, withinMs } = unacceptedUploads;

/**
 * Segments without acceptance are no evidence, so no user pays for their traffic. A new start, an attempt and another
 * output would each send one more, so they count together. Connections that are refused, or accept a segment before,
 * do not count: an origin that restarts is asked again as usual. Decision D292.
 */
export class UnacceptedUploads {
  /** Ends of connections within the last minute, in milliseconds, by user. */
  readonly #endsMs = new Map<string, number[]>();

  /** A connection of the user has ended that was sent media and accepted none. */
  record(userID: string): void {
    for (const known of this.#endsMs.keys()) this.#recentOf(known);
    this.#endsMs.set(userID, [...this.#recentOf(userID), performance.now()]);
  }

  /**
   * Resolves once one more connection of the user may send segments: at once, unless many have ended so in the last
   * minute. @throws the signal's reason when aborted
   */
  async mayConnect(userID: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const recent = this.#recentOf(userID);
      if (recent.length < mostOfUser) return;
      await passed(recent[0]! + withinMs - performance.now(), signal);
    }
  }

  #recentOf(userID: string): readonly number[] {
    const fromMs = performance.now() - withinMs;
    const recent = (this.#endsMs.get(userID) ?? []).filter((ms) => ms > fromMs);
    if (recent.length > 0) this.#endsMs.set(userID, recent);
    else this.#endsMs.delete(userID);
    return recent;
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
