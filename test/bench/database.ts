// A database of its own for a bench: on a server that is thrown away, and migrated.
import type { Pool } from 'pg';
import { startThrowawayPostgres } from '../../bin/local/postgres/postgres.ts';
import { createPool } from '../../lambda/data/queryable.ts';
import { migrate } from '../../lambda/migrate/migrate.ts';

/** Makes a database, and drops it with its server when the work is done. @param connections of its pool at most */
export async function withDatabase(connections: number, work: (pool: Pool) => Promise<void>): Promise<void> {
  const postgres = await startThrowawayPostgres();
  const pool = createPool({ connectionString: postgres.url, max: connections });
  try {
    await migrate(pool);
    await work(pool);
  } finally {
    await pool.end();
    await postgres.stop();
  }
}
