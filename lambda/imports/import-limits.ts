// The limits of one import: bytes, time, retries.
import { maxBytesInParts } from '../domain/media/upload-parts.ts';

export interface ImportLimits {
  readonly maxBytes: number;
  /** Most bytes if the source does not announce the size. */
  readonly maxBytesUnannounced: number;
  /** The time from the first claim to the end, over all workers and attempts. After a turn it begins again. */
  readonly totalSeconds: number;
  /** The turn of an import that continues later after its stored parts. Decision D286. */
  readonly turnSeconds: number;
  /** The turn of an import that has stored no part in it, or begins again later. */
  readonly longTurnSeconds: number;
  readonly maxRedirects: number;
  /** The time for the connection and the answer's headers, at each redirect. */
  readonly answerMs: number;
  /** In each period the source must send `minBytesPerPeriod`. Only time spent waiting for the source counts. */
  readonly periodMs: number;
  readonly minBytesPerPeriod: number;
  /** The import fails after this many attempts in a row without progress. */
  readonly maxFailures: number;
  /** The delay after the first failure. Each further one is twice as long, up to `maxDelayMs`, with jitter. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

const gibibyte = 1024 ** 3;

export const importLimits: ImportLimits = {
  maxBytes: maxBytesInParts,
  maxBytesUnannounced: 5 * gibibyte,
  // Less than the day after which the store deletes unfinished parts.
  totalSeconds: 12 * 3600,
  turnSeconds: 600,
  longTurnSeconds: 3600,
  maxRedirects: 10,
  answerMs: 30_000,
  periodMs: 30_000,
  // 140 kbit/s, less than any DSL line sends. A part then takes 16 minutes at most.
  minBytesPerPeriod: 512 * 1024,
  maxFailures: 8,
  firstDelayMs: 1000,
  maxDelayMs: 60_000,
};
