// What one import may take: bytes, time, memory, patience.

export interface ImportLimits {
  readonly maxBytes: number;
  /** From the first claim to the end, over all workers and tries. */
  readonly totalSeconds: number;
  readonly maxRedirects: number;
  /** For the connection and the answer's headers, of each redirect. */
  readonly answerMs: number;
  /** In each of these periods a source has to send `minBytesPerPeriod`; only time spent waiting for it counts. */
  readonly periodMs: number;
  readonly minBytesPerPeriod: number;
  /** Tries in a row that get no further than one before. */
  readonly maxFailures: number;
  /** Between tries: doubled from the first to the last, with jitter. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

const gibibyte = 1024 ** 3;

export const importLimits: ImportLimits = {
  maxBytes: 100 * gibibyte,
  // Below the day after which the store throws unfinished parts away.
  totalSeconds: 12 * 3600,
  maxRedirects: 10,
  answerMs: 30_000,
  periodMs: 30_000,
  minBytesPerPeriod: 256 * 1024,
  maxFailures: 8,
  firstDelayMs: 1000,
  maxDelayMs: 60_000,
};
