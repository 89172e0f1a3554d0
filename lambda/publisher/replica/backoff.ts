// The delay before a destination is connected to again, and when to give up.

/**
 * `usual`: delays grow exponentially with jitter, up to 30 s. `rare`: for a refused key, since platforms lock accounts
 * that try often. `eager`: for a server that did not answer at all, which attempts do not burden; once it answers,
 * every second counts. Decision D70. `wary`: for a server that sent far more than a server has to, or took
 * segments and accepted none, as each attempt costs work or traffic that is paid for by others.
 */
export type RetryPace = 'usual' | 'rare' | 'eager' | 'wary';

const baseMs = 500;
const maxMs = 30_000;
const floorMs: Readonly<Record<RetryPace, number>> = {
  usual: baseMs / 2,
  rare: 15_000,
  eager: baseMs / 2,
  wary: 15_000,
};

/**
 * @param failures in a row, 1 after the first
 * @param random uniform in [0, 1)
 * @returns milliseconds
 */
export function backoffMs(failures: number, pace: RetryPace, random: () => number): number {
  const ceiling = pace === 'eager' ? baseMs : Math.min(maxMs, baseMs * 2 ** Math.min(failures, 10));
  return Math.min(maxMs, floorMs[pace] + random() * ceiling);
}

/** After a connection that lasted this long after its first media, the next failure counts as the first. */
const goodConnectionMs = 8000;
/** The stream fails after its key was refused for this long. */
const refusedKeyFailsAfterMs = 15 * 60_000;

/** The history of a replica's connection attempts. Times are those of a steady clock. */
export class Attempts {
  #failures = 0;
  #refusedSinceMs: number | null = null;
  #tookMediaAtMs: number | null = null;

  /** The current attempt has led to a connection that takes media. */
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
   * An attempt, or the connection that it led to, has failed.
   * @returns the number of failures in a row, and whether to give up
   */
  failed(
    pace: RetryPace,
    beganMs: number,
    failedMs: number,
  ): { readonly failures: number; readonly isHopeless: boolean } {
    // Counted from the first media: a server that accepted the connection but took no media was not good.
    const wasGood = this.#tookMediaAtMs !== null && failedMs - this.#tookMediaAtMs > goodConnectionMs;
    this.#tookMediaAtMs = null;
    if (wasGood) this.#failures = 1;
    // An unreachable server has refused nothing, so the attempt does not count.
    else if (pace !== 'eager') this.#failures++;
    this.#refusedSinceMs = pace === 'rare' ? (this.#refusedSinceMs ?? beganMs) : null;
    return {
      failures: this.#failures,
      isHopeless: this.#refusedSinceMs !== null && failedMs - this.#refusedSinceMs > refusedKeyFailsAfterMs,
    };
  }
}
