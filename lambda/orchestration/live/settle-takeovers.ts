// Begins and ends takeovers by time: at planned times, in windows, after their grace, and after the death of an ingest.
import type { Pool } from 'pg';
import { databaseOn, inTransaction } from '../../data/database.ts';
import { fixedAheadSeconds } from '../../domain/live/takeover-plan.ts';
import { takeWindowOf } from '../../domain/live/block-windows.ts';
import { beginDueTakeover, followWindow, takeOverInWindow } from './due-takeovers.ts';
import type { KeptBlockWindows } from './kept-block-windows.ts';
import { endDueTakeover, endSession } from './takeovers.ts';

export interface SettleOptions {
  readonly newID: (prefix: string) => string;
  readonly clock: () => Date;
}

/** An ingest reports each session every two seconds. */
const silentAfterSeconds = 10;
const mostAtOnce = 100;

/** The ingest that calls. */
export interface SettlingIngest {
  /** The sessions that it still holds: it reports their ends itself, and looks after their windows. */
  readonly own: ReadonlySet<string>;
  readonly windows: KeptBlockWindows;
  /** False while other ingests may not have had the time to report. */
  readonly endsSilent: boolean;
}

/**
 * Called every second by each ingest, and by the sweep.
 * @param ingest null: the sweep calls
 */
export async function settleTakeovers(
  pool: Pool,
  { newID, clock }: SettleOptions,
  ingest: SettlingIngest | null = null,
): Promise<void> {
  const outside = databaseOn(pool);
  const { liveInputs, liveSessions, takeovers } = outside;
  const silent = (ingest?.endsSilent ?? true) ? await liveSessions.silentFor(silentAfterSeconds, mostAtOnce) : [];
  for (const { id } of silent) {
    if (ingest?.own.has(id)) continue;
    await inTransaction(pool, (data) => endSession(data, id, { reason: 'lost', stored: null, now: clock() }));
  }
  for (const due of await takeovers.toLookAgain(clock(), mostAtOnce)) {
    await inTransaction(pool, (data) => followWindow(data, due, clock()));
  }
  for (const due of await takeovers.due(fixedAheadSeconds, mostAtOnce)) {
    await inTransaction(pool, (data) => endDueTakeover(data, due, clock()));
  }
  for (const due of await takeovers.toBegin(fixedAheadSeconds, mostAtOnce)) {
    await inTransaction(pool, (data) => beginDueTakeover(data, due, clock()));
  }
  if (!ingest?.own.size) return;
  for (const input of await liveInputs.receivingInWindows([...ingest.own])) {
    const window = takeWindowOf(input, await ingest.windows.of(outside, input, clock()), clock());
    const work = { id: newID('tko'), input, window, now: clock() };
    if (window) await inTransaction(pool, (data) => takeOverInWindow(data, { ...work, window }));
  }
}
