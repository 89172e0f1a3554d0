// Makes the coarser points of series of the finest, an hour at a time.
import type { Pool } from 'pg';
import { inTransaction } from '../../data/database.ts';
import { coarser, tiers } from '../../domain/streams/series.ts';

/** Agents write what they measured within a minute, or later if the database was away. */
const lateMs = 5 * 60_000;
/** So many rows are read at once: each is an hour of a stream. */
const rowsAtOnce = 500;

/** Rolls up what is due, until the signal aborts. What is left then, the next call does. */
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
