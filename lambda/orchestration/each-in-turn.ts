// Handles everything that waits, one stream after the other, each in a transaction of its own.
import type { Pool } from 'pg';
import { inTransaction } from '../data/database.ts';
import type { Database } from '../data/database.ts';

/**
 * Handles what `next` finds and locks, until `next` finds nothing. A stream whose turn fails is left out from then on,
 * by `except`, so that all others have their turn.
 * @returns how many turns were taken
 * @throws the first failure, once everything else had its turn
 */
export async function eachInTurn<Row extends { readonly stream_id: string }>(
  pool: Pool,
  next: (data: Database, except: readonly string[]) => Promise<Row | null>,
  handle: (data: Database, row: Row) => Promise<void>,
): Promise<number> {
  const failed = new Map<string, unknown>();
  for (let taken = 0; ; taken++) {
    const turn: { row?: Row | null } = {};
    try {
      await inTransaction(pool, async (data) => {
        turn.row = await next(data, [...failed.keys()]);
        if (turn.row) await handle(data, turn.row);
      });
    } catch (error) {
      if (!turn.row) throw error;
      failed.set(turn.row.stream_id, error);
    }
    if (turn.row) continue;
    const [failure] = failed.values();
    if (failure !== undefined) throw failure;
    return taken;
  }
}
