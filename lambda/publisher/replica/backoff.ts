// How long to wait before connecting to a destination again, and when to give up.

/**
 * `usual`: delays grow exponentially with jitter, up to 30 s. `rare`: for a key that is refused, since platforms lock
 * accounts that try often. `eager`: for a server that did not answer at all, which no attempt can burden; once it
 * answers, every second counts.
 */
export type RetryPace = 'usual' | 'rare' | 'eager';

const baseMs = 500;
const maxMs = 30_000;
const floorMs: Readonly<Record<RetryPace, number>> = { usual: baseMs / 2, rare: 15_000, eager: baseMs / 2 };

/**
 * @param failures in a row, 1 after the first
 * @param random uniform in [0, 1)
 * @returns milliseconds
 */
export function backoffMs(failures: number, pace: RetryPace, random: () => number): number {
  const ceiling = pace === 'eager' ? baseMs : Math.min(maxMs, baseMs * 2 ** Math.min(failures, 10));
  return Math.min(maxMs, floorMs[pace] + random() * ceiling);
}

/** A connection that held this long after it had taken media was a good one: the next failure is the first again. */
const goodConnectionMs = 8000;
/** A key that was refused for this long is given up, and the stream fails. */
const refusedKeyFailsAfterMs = 15 * 60_000;

/** What the attempts of a replica to be connected have come to. Times are those of a steady clock. */
export class Attempts {
  #failures = 0;
  #refusedSinceMs: number | null = null;
  #tookMediaAtMs: number | null = null;

  /** The present attempt has led to a connection that takes media. */
  tookMedia(atMs: number): void {
    this.#tookMediaAtMs ??= atMs;
  }

  /** An attempt has led to a connection that ended as planned. */
  succeeded(): void {
    this.#failures = 0;
    this.#refusedSinceMs = null;
    this.#tookMediaAtMs = null;
  }

  /**
   * An attempt has failed, with the connection that it may have led to.
   * @returns how many failed in a row, and whether there is no hope for the next
   */
  failed(
    pace: RetryPace,
    beganMs: number,
    failedMs: number,
  ): { readonly failures: number; readonly isHopeless: boolean } {
    // Counted from the first media: a server that only let us wait has taken nothing.
    const wasGood = this.#tookMediaAtMs !== null && failedMs - this.#tookMediaAtMs > goodConnectionMs;
    this.#tookMediaAtMs = null;
    if (wasGood) this.#failures = 1;
    // A server that could not be reached has not refused anything, so the attempt does not count.
    else if (pace !== 'eager') this.#failures++;
    this.#refusedSinceMs = pace === 'rare' ? (this.#refusedSinceMs ?? beganMs) : null;
    return {
      failures: this.#failures,
      isHopeless: this.#refusedSinceMs !== null && failedMs - this.#refusedSinceMs > refusedKeyFailsAfterMs,
    };
  }
}
