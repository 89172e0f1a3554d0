// Migrates the schema of a database with the numbered SQL files in lambda/data/migrations.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';

/** Concurrent migrations take turns by this advisory lock. Nothing else uses its number. */
const migrationLock = 7_140_001;

/**
 * The time limit of waiting for a lock, in milliseconds. A statement that waits blocks all later ones, even reads. So
 * it gives up soon, and retries after the others.
 */
const lockTimeoutMs = 2000;
const attempts = 10;
/** PostgreSQL's codes for a lock timeout and a deadlock. */
const isHeldUp = new Set(['55P03', '40P01']);

/** The database has a schema from before the baseline, which replaced all earlier files. */
export class BeforeBaselineError extends Error {
  constructor() {
    super('The database was made by a release before the baseline of the schema, and cannot be brought up to date.');
  }
}

interface LockWaits {
  readonly lockTimeoutMs: number;
  readonly attempts: number;
}

/**
 * Applies the missing files in order, each with its row in `migrations` in one transaction. Several processes may call
 * it at once. Applied files are never edited: a change is a file with a new number.
 * @returns the names of the files that it applied
 * @param waits the time limit for locks, and the number of retries with a pause of the same length
 * @throws if the numbers have a gap or a duplicate, or a statement fails. A file that fails leaves no changes
 * @throws {BeforeBaselineError} if files were applied, but not the first one. The database stays unchanged
 */
export async function migrate(
  pool: Pool,
  folder = join(import.meta.dirname, '../data/migrations'),
  waits: LockWaits = { lockTimeoutMs, attempts },
): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  files.forEach((name, index) => {
    const expected = String(index + 1).padStart(4, '0');
    if (!name.startsWith(`${expected}_`)) throw new Error(`migration ${name} should have the number ${expected}`);
  });
  const client = await pool.connect();
  let failure: Error | undefined;
  const recordFailure = (error: Error) => void (failure = error);
  client.on('error', recordFailure);
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    await client.query(
      'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())',
    );
    const { rows } = await client.query<{ name: string }>('select name from migrations');
    const applied = new Set(rows.map((row) => row.name));
    const missing = files.filter((name) => !applied.has(name));
    if (applied.size > 0 && missing.includes(files[0]!)) throw new BeforeBaselineError();
    for (const name of missing) await apply(client, name, await readFile(join(folder, name), 'utf8'), waits);
    await client.query('select pg_advisory_unlock($1)', [migrationLock]);
    return missing;
  } catch (error) {
    recordFailure(error as Error);
    throw error;
  } finally {
    client.off('error', recordFailure);
    // The connection is closed after a failure, because it may be the cause. That rolls back and releases the lock.
    client.release(failure);
  }
}

async function apply(client: PoolClient, name: string, sql: string, waits: LockWaits): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await client.query('begin');
    try {
      await client.query(`set local lock_timeout = ${waits.lockTimeoutMs}`);
      await client.query('insert into migrations (name) values ($1)', [name]);
      await client.query(sql);
      await client.query('commit');
      return;
    } catch (error) {
      if (!isHeldUp.has((error as { code?: string }).code ?? '')) throw error;
      await client.query('rollback');
      if (attempt === waits.attempts)
        throw new Error(
          `migration ${name} did not get a lock within ${waits.lockTimeoutMs} ms, ${attempt} times: something holds ` +
            'its table for long. Nothing of it stays, and it can be run again.',
          { cause: error },
        );
      await setTimeout(waits.lockTimeoutMs);
    }
  }
}
