// How long to wait before connecting to a destination again.

/**
 * `usual`: exponential with jitter, up to 30 s. `rare`: for a key that is refused, since platforms lock accounts that hammer. `eager`: where nothing
 * answered, nobody is hammered, and every second counts once something does.
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
