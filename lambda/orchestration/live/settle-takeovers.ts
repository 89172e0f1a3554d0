// Ends takeovers by time: after sessions whose ingest died, and when their grace or planned time is over.
import type { Pool } from 'pg';
import { databaseOn, inTransaction } from '../../data/database.ts';
import { endDueTakeover, endSession } from './takeovers.ts';

/** An ingest reports each session every two seconds. */
const silentAfterSeconds = 10;
/** A planned end is fixed this long before, when agents can still follow. */
const endsAheadSeconds = 12;
const mostAtOnce = 100;

/**
 * Called every second by each ingest, and by the sweep.
 * @param options.own sessions that this ingest still holds: it reports their ends itself
 * @param options.endsSilent false while other ingests may not have had the time to report
 */
export async function settleTakeovers(
  pool: Pool,
  clock: () => Date,
  { own, endsSilent }: { readonly own: ReadonlySet<string>; readonly endsSilent: boolean } = {
    own: new Set(),
    endsSilent: true,
  },
): Promise<void> {
  const { liveSessions, takeovers } = databaseOn(pool);
  const silent = endsSilent ? await liveSessions.silentFor(silentAfterSeconds, mostAtOnce) : [];
  for (const { id } of silent) {
    if (own.has(id)) continue;
    await inTransaction(pool, (data) => endSession(data, id, { reason: 'lost', stored: null, now: clock() }));
  }
  for (const due of await takeovers.due(endsAheadSeconds, mostAtOnce)) {
    await inTransaction(pool, (data) => endDueTakeover(data, due, clock()));
  }
}
