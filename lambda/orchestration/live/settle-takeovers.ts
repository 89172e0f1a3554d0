// Begins and ends takeovers by time: at planned times, in windows, after their grace, and after the death of an ingest.
import type { Pool } from 'pg';
import { databaseOn, inTransaction } from '../../data/database.ts';
import { fixedAheadSeconds } from '../../domain/live/takeover-plan.ts';
import { takeWindowOf } from '../../domain/live/block-windows.ts';
import { beginDueTakeover, takeOverInWindow } from './due-takeovers.ts';
import { endDueTakeover, endSession } from './takeovers.ts';

export interface SettleOptions {
  readonly newID: (prefix: string) => string;
  readonly clock: () => Date;
}

/** An ingest reports each session every two seconds. */
const silentAfterSeconds = 10;
const mostAtOnce = 100;

/**
 * Called every second by each ingest, and by the sweep.
 * @param options.own sessions that this ingest still holds: it reports their ends itself, and looks after their
 * windows
 * @param options.endsSilent false while other ingests may not have had the time to report
 */
export async function settleTakeovers(
  pool: Pool,
  { newID, clock }: SettleOptions,
  { own, endsSilent }: { readonly own: ReadonlySet<string>; readonly endsSilent: boolean } = {
    own: new Set(),
    endsSilent: true,
  },
): Promise<void> {
  const { liveInputs, liveSessions, takeovers } = databaseOn(pool);
  const silent = endsSilent ? await liveSessions.silentFor(silentAfterSeconds, mostAtOnce) : [];
  for (const { id } of silent) {
    if (own.has(id)) continue;
    await inTransaction(pool, (data) => endSession(data, id, { reason: 'lost', stored: null, now: clock() }));
  }
  for (const due of await takeovers.due(fixedAheadSeconds, mostAtOnce)) {
    await inTransaction(pool, (data) => endDueTakeover(data, due, clock()));
  }
  for (const due of await takeovers.toBegin(fixedAheadSeconds, mostAtOnce)) {
    await inTransaction(pool, (data) => beginDueTakeover(data, due, clock()));
  }
  if (own.size === 0) return;
  for (const input of await liveInputs.receivingInWindows([...own])) {
    const window = await takeWindowOf(input, input.programmes, clock());
    const work = { id: newID('tko'), input, window, now: clock() };
    if (window) await inTransaction(pool, (data) => takeOverInWindow(data, { ...work, window }));
  }
}
