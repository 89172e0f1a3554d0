// Counts the bytes that Postgres reads and answers for a request.
import { vi } from 'vitest';
import { one } from '../../lambda/data/shared/queryable.ts';
import type { WithPool } from './database.ts';

/** The bytes of a request: the rows that Postgres answers as JSON, and the pages of large values that it reads. */
export interface BytesOfRequest {
  readonly answered: number;
  readonly largeValues: number;
}

const pageBytes = 8192;

/**
 * Carries out a request that reads by the pool, and counts its bytes. No other request may run meanwhile.
 * @param table the table whose large values count
 */
export async function bytesOf(
  { pool }: WithPool,
  table: string,
  request: () => Promise<unknown>,
): Promise<BytesOfRequest> {
  const before = await pagesRead(pool(), table);
  const query = vi.spyOn(pool(), 'query');
  await request();
  const results = query.mock.results.map(({ value }) => value as Promise<{ rows?: unknown }>);
  query.mockRestore();
  const answers = await Promise.all(results);
  const answered = answers.reduce((sum, { rows }) => sum + Buffer.byteLength(JSON.stringify(rows ?? [])), 0);
  return { answered, largeValues: ((await pagesRead(pool(), table)) - before) * pageBytes };
}

/** Pages of large values that were read since the database was created, each as often as it was read. */
async function pagesRead(pool: ReturnType<WithPool['pool']>, table: string): Promise<number> {
  // Each connection reports its own count; the pause makes sure that each connection is queried.
  const report = () => pool.query('select pg_stat_force_next_flush(), pg_sleep(0.05)');
  await Promise.all(Array.from({ length: pool.options.max }, report));
  const sql = `select coalesce(toast_blks_hit, 0) + coalesce(toast_blks_read, 0) as pages
    from pg_statio_user_tables where relname = $1`;
  return (await one<{ pages: number }>(pool, sql, [table]))!.pages;
}
