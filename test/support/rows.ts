// Counts rows of tables, for tests in which nothing may be written or nothing may remain.
import { one } from '../../lambda/data/shared/queryable.ts';
import type { WithPool } from './database.ts';

/** The number of rows of all given tables together. */
export async function countRows({ pool }: WithPool, ...tables: readonly string[]): Promise<number> {
  const counts = tables.map((table) => `(select count(*) from ${table})`);
  const row = await one<{ count: string }>(pool(), `select (${counts.join(' + ')}) as count`, []);
  return Number(row!.count);
}

/** Whether a table still has the row with this id, regardless of the API. */
export async function isStored({ pool }: WithPool, table: string, id: string): Promise<boolean> {
  return (await one(pool(), `select id from ${table} where id = $1`, [id])) !== null;
}
