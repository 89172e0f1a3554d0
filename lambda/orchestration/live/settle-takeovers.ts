// Begins and ends takeovers by time: at planned times, in windows, after their grace, and after the death of an ingest.
import type { Pool } from 'pg';
import { databaseOn, inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
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
/** Each look computes for up to a third of a second, before the takeovers that are due have their turn. */
const mostLooksAtOnce = 10;

/** The failure of a session or takeover, which its user's data may have caused. */
export interface SettleFailure {
  readonly id: string;
  readonly error: unknown;
}

/** The ingest that calls. */
export interface SettlingIngest {
  /** The sessions that it still holds: it reports their ends itself, and looks after their windows. */
  readonly own: ReadonlySet<string>;
  readonly windows: KeptBlockWindows;
  /** False while other ingests may not have had the time to report. */
  readonly endsSilent: boolean;
}

/**
 * Called every second by each ingest, and by the sweep. Streams that another transaction has locked are left for the
 * next call, so that no user waits for the plan of another one.
 * @param ingest null: the sweep calls
 * @returns the failures, after all others had their turn
 * @throws if the database does not answer
 */
export async function settleTakeovers(
  pool: Pool,
  { newID, clock }: SettleOptions,
  ingest: SettlingIngest | null = null,
): Promise<readonly SettleFailure[]> {
  const outside = databaseOn(pool);
  const { liveInputs, liveSessions, takeovers } = outside;
  const failures: SettleFailure[] = [];
  const inTurn = async <Row extends { readonly id: string }>(
    rows: readonly Row[],
    work: (data: Database, row: Row) => Promise<void>,
  ) => {
    for (const row of rows) {
      try {
        await inTransaction(pool, (data) => work(data, row));
      } catch (error) {
        failures.push({ id: row.id, error });
        await outside.now();
      }
    }
  };

  const silent = (ingest?.endsSilent ?? true) ? await liveSessions.silentFor(silentAfterSeconds, mostAtOnce) : [];
  const ofOthers = silent.filter(({ id }) => !ingest?.own.has(id));
  await inTurn(ofOthers, (data, session) => endSilentSession(data, session, clock()));
  const looks = await takeovers.toLookAgain(clock(), mostLooksAtOnce);
  await inTurn(looks, (data, due) => followWindow(data, due, clock()));
  const ending = await takeovers.due(fixedAheadSeconds, mostAtOnce);
  await inTurn(ending, (data, due) => endDueTakeover(data, due, clock()));
  const beginning = await takeovers.toBegin(fixedAheadSeconds, mostAtOnce);
  await inTurn(beginning, (data, due) => beginDueTakeover(data, due, clock()));
  if (!ingest?.own.size) return failures;
  await inTurn(await liveInputs.receivingInWindows([...ingest.own]), async (data, input) => {
    const window = takeWindowOf(input, await ingest.windows.of(outside, input, clock()), clock());
    if (window) await takeOverInWindow(data, { id: newID('tko'), input, window, now: clock() });
  });
  return failures;
}

/** Ends a session that no ingest reports any more. */
async function endSilentSession(
  data: Database,
  { id, live_input_id: inputID }: { readonly id: string; readonly live_input_id: string },
  now: Date,
): Promise<void> {
  const streamID = await data.takeovers.streamOf(inputID);
  if (streamID !== null && (await data.streams.lockFree([streamID])).length === 0) return;
  await endSession(data, id, { reason: 'lost', stored: null, now });
}
