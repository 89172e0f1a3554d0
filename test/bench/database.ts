// A migrated database for a bench, on a temporary server.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { startDurablePostgres, startThrowawayPostgres } from '../../bin/local/postgres/postgres.ts';
import type { RunningPostgres } from '../../bin/local/postgres/postgres.ts';
import { createPool } from '../../lambda/data/shared/queryable.ts';
import { migrate } from '../../lambda/migrate/migrate.ts';

/**
 * RDS uses a quarter of the memory, and prod has an instance with 8 GiB. As on RDS, the server counts what statements
 * cost.
 */
const productionSettings = {
  shared_buffers: '2GB',
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
  'pg_stat_statements.track': 'top',
};

type Work = (pool: Pool) => Promise<void>;

/**
 * Creates a database that never waits for a disk, and drops it with its server when the work is done.
 * @param connections limit of connections of its pool
 */
export async function withDatabase(connections: number, work: Work): Promise<void> {
  await withServer(await startThrowawayPostgres(), connections, work);
}

/** Creates a database on a server with the settings of production: commits reach the disk, and rows are vacuumed. */
export async function withProductionDatabase(connections: number, work: Work): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-postgres-'));
  try {
    const server = { dataFolder: join(folder, 'data'), settings: productionSettings };
    await withServer(await startDurablePostgres(server), connections, work);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function withServer(postgres: RunningPostgres, connections: number, work: Work): Promise<void> {
  const pool = createPool({ connectionString: postgres.url, max: connections, idleTimeoutMillis: 0 });
  try {
    await migrate(pool);
    await work(pool);
  } finally {
    await pool.end();
    await postgres.stop();
  }
}
