// Rolls series up: makes the coarser points from the finest ones, an hour at a time.
import type { Pool } from 'pg';
import { inTransaction } from '../../data/database.ts';
import { coarser, tiers } from '../../domain/streams/series.ts';

/** The delay after the end of a row: agents write within a minute, or later if the database was unreachable. */
const lateMs = 5 * 60_000;
/** The most rows in one transaction. Each is an hour of a stream. */
const rowsAtOnce = 500;

/** Rolls up all due rows, until the signal aborts. The next call continues. */
export async function rollUpSeries(pool: Pool, now: Date, signal: AbortSignal): Promise<void> {
  const endedBefore = new Date(now.getTime() - lateMs);
  for (let rolled = rowsAtOnce; rolled === rowsAtOnce && !signal.aborted;) {
    rolled = await inTransaction(pool, async (data) => {
      const outputs = await data.series.takeUnrolled(endedBefore, rowsAtOnce);
      for (const tier of [tiers['5m'], tiers['1h']]) {
        const made = outputs.map((output) => ({ ...output, points: coarser(output.points, tier.stepSeconds) }));
        await data.series.write(tier, made);
      }
      return outputs.length;
    });
  }
}
