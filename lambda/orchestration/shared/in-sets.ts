// Handles everything that waits in sets, each in a transaction of its own.
import type { Pool } from 'pg';
import { inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';

/**
 * Handles what `next` finds and locks, set by set, until `next` finds nothing. A set that fails is tried again in
 * halves, so that what fails by itself is found, and left out from then on, by `except`; all else is handled.
 * @param next finds so many at most that are not among `except`
 * @returns how many were handled
 * @throws the first failure, once everything else was handled
 */
export async function inSets<Row extends { readonly id: string }>(
  pool: Pool,
  size: number,
  next: (data: Database, except: readonly string[], count: number) => Promise<readonly Row[]>,
  handle: (data: Database, rows: readonly Row[]) => Promise<void>,
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
