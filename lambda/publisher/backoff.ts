// How long to wait before connecting to a destination again.

const baseMs = 500;
const maxMs = 30_000;
/** A refused key is asked about rarely: platforms lock accounts that hammer. */
const refusedKeyMs = 15_000;

/**
 * Exponential with full jitter, up to 30 s.
 * @param failures in a row, 1 after the first
 * @param random uniform in [0, 1)
 * @returns milliseconds
 */
export function backoffMs(failures: number, keyRefused: boolean, random: () => number): number {
  const ceiling = Math.min(maxMs, baseMs * 2 ** Math.min(failures, 10));
  const floor = keyRefused ? refusedKeyMs : baseMs / 2;
  return Math.min(maxMs, floor + random() * ceiling);
}
