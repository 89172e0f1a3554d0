// What one import may take: bytes, time, memory, patience.

export interface ImportLimits {
  readonly maxBytes: number;
  /** The same where the source does not say beforehand how many bytes it has. */
  readonly maxBytesUnannounced: number;
  /** The time from the first claim to the end, over all workers and tries. */
  readonly totalSeconds: number;
  readonly maxRedirects: number;
  /** The time for the connection and the answer's headers, at each redirect. */
  readonly answerMs: number;
  /** In each such period a source has to send `minBytesPerPeriod`. Only time spent waiting for the source counts. */
  readonly periodMs: number;
  readonly minBytesPerPeriod: number;
  /** The import fails after this many tries in a row that got no further than one before them. */
  readonly maxFailures: number;
  /** The delay after the first try. Each later one is twice as long, up to `maxDelayMs`, with jitter. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

const gibibyte = 1024 ** 3;

export const importLimits: ImportLimits = {
  maxBytes: 100 * gibibyte,
  maxBytesUnannounced: 5 * gibibyte,
  // This is less than the day after which the store throws unfinished parts away.
  totalSeconds: 12 * 3600,
  maxRedirects: 10,
  answerMs: 30_000,
  periodMs: 30_000,
  minBytesPerPeriod: 256 * 1024,
  maxFailures: 8,
  firstDelayMs: 1000,
  maxDelayMs: 60_000,
};
