// Rows that a test locks from a connection of its own, and the transactions that wait for locks meanwhile.
import type { Pool } from 'pg';
import { onTestFinished, vi } from 'vitest';
import { createPoolLike } from '../../lambda/data/shared/queryable.ts';

export interface HeldRows {
  /** Number of transactions of the database that wait for a lock. */
  waits(): Promise<number>;
  untilWaiting(count: number): Promise<unknown>;
  release(): Promise<void>;
}

/** Locks rows until they are released, or the test ends. */
export async function holdRows(likePool: Pool, table: 'streams' | 'uploads', ...ids: string[]): Promise<HeldRows> {
  const pool = createPoolLike(likePool, { max: 1 });
  const client = await pool.connect();
  await client.query('begin');
  await client.query(`select from ${table} where id = any ($1) for update`, [ids]);
  let isHeld = true;
  const waits = async () => {
    // Within a transaction, Postgres shows what its first look has seen.
    await client.query('select pg_stat_clear_snapshot()');
    const { rows } = await client.query<{ waits: number }>(
      `select count(*)::int as waits from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows[0]!.waits;
  };
  const release = async () => {
    if (!isHeld) return;
    isHeld = false;
    await client.query('rollback');
    client.release();
    await pool.end();
  };
  onTestFinished(release);
  return {
    waits,
    untilWaiting: (count) => vi.waitUntil(async () => (await waits()) >= count, { timeout: 4000 }),
    release,
  };
}
