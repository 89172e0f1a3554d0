// A durable Postgres server of a test file, which tests kill as in a crash and restart at the same address.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { startDurablePostgres } from '../../bin/local/postgres/postgres.ts';
import type { RunningPostgres } from '../../bin/local/postgres/postgres.ts';
import { migrate } from '../../lambda/migrate/migrate.ts';
import type { TestDatabase } from './database.ts';
import { descendantsOf, survivorsOf } from './processes.ts';

export interface CrashingPostgres extends TestDatabase {
  /** Sends SIGKILL to all of its processes. Resolves when they have ended. */
  kill(): Promise<void>;
  /** Starts the server again after `kill`. */
  start(): Promise<void>;
}

const goneWithinMs = 5000;

/** Starts a server with a migrated database for the tests of the file or `describe` in which this is called. */
export function crashingPostgres(): CrashingPostgres {
  let folder: string;
  let server: RunningPostgres;
  let pool: Pool;
  const dataFolder = () => join(folder, 'postgres');

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crashing-postgres-'));
    server = await startDurablePostgres({ dataFolder: dataFolder(), restarts: false });
    pool = new Pool({ connectionString: server.url });
    pool.on('error', () => {});
    await migrate(pool);
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
    await rm(folder, { recursive: true });
  });

  return {
    pool: () => pool,
    url: () => server.url,
    async kill() {
      const pid = Number.parseInt(await readFile(join(dataFolder(), 'postmaster.pid'), 'utf8'), 10);
      const processes = await descendantsOf(pid);
      for (const each of [pid, ...processes.map((process) => process.pid)]) process.kill(each, 'SIGKILL');
      await server.exited;
      const survivors = await survivorsOf(processes, goneWithinMs);
      if (survivors.length > 0) throw new Error(`still there after SIGKILL: ${survivors.join(', ')}`);
    },
    async start() {
      const { url } = server;
      server = await startDurablePostgres({
        dataFolder: dataFolder(),
        restarts: false,
        port: Number(new URL(url).port),
      });
      if (server.url !== url) throw new Error('the port of the killed server was taken meanwhile');
    },
  };
}
