// Reads the body of a source, and checks its pace.
import type { Readable } from 'node:stream';
import { ImportError } from './import-error.ts';
import type { ImportLimits } from './import-limits.ts';

/**
 * Yields the body's bytes. The caller must destroy the body. Only time spent waiting for the source counts, not time in
 * which the reader is busy.
 * @throws {ImportError} cut_off, too_slow
 */
export async function* readSource(
  body: Readable,
  limits: Pick<ImportLimits, 'periodMs' | 'minBytesPerPeriod'>,
  steadyClock: () => number,
): AsyncGenerator<Buffer> {
  const { periodMs, minBytesPerPeriod } = limits;
  const chunks = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let waitedMs = 0;
  let bytes = 0;
  try {
    for (;;) {
      const beganMs = steadyClock();
      const silence = setTimeout(() => body.destroy(new ImportError('too_slow')), periodMs - waitedMs);
      const { done, value } = await chunks.next().finally(() => clearTimeout(silence));
      if (done) return;
      waitedMs += steadyClock() - beganMs;
      bytes += value.length;
      if (bytes >= minBytesPerPeriod) {
        waitedMs = 0;
        bytes = 0;
      }
      if (waitedMs >= periodMs) throw new ImportError('too_slow');
      yield value;
    }
  } catch (error) {
    throw error instanceof ImportError ? error : new ImportError('cut_off', { cause: error });
  }
}
