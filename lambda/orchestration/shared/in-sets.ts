// Handles waiting rows in sets, each in a transaction of its own.
import type { Pool } from 'pg';
import { inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';

/**
 * Handles the rows that `next` finds and locks, set by set, until it finds none. A set that fails is retried in halves,
 * until each failing row is found. `except` leaves it out from then on, and all other rows are handled.
 * @param next finds at most `count` rows that are not among `except`
 * @param between waits before the next set. Its argument is the number of rows of the last one
 * @returns the number of handled rows
 * @throws the first failure, after all other rows were handled
 */
export async function inSets<Row extends { readonly id: string }>(
  pool: Pool,
  size: number,
  next: (data: Database, except: readonly string[], count: number) => Promise<readonly Row[]>,
  handle: (data: Database, rows: readonly Row[]) => Promise<void>,
  between: (handled: number) => Promise<void> = async () => {},
): Promise<number> {
  const failed = new Map<string, unknown>();
  let handled = 0;
  for (let count = size; ;) {
    let rows: readonly Row[] = [];
    try {
      await inTransaction(pool, async (data) => {
        rows = await next(data, [...failed.keys()], count);
        if (rows.length > 0) await handle(data, rows);
      });
      if (rows.length === 0) break;
      handled += rows.length;
      await between(rows.length);
      count = Math.min(size, count * 2);
    } catch (error) {
      const [first] = rows;
      if (first === undefined) throw error;
      if (rows.length === 1) failed.set(first.id, error);
      count = Math.ceil(rows.length / 2);
    }
  }
  const [failure] = failed.values();
  if (failure !== undefined) throw failure;
  return handled;
}
