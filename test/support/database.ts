// A migrated Postgres database for each test file.
import { randomUUID } from 'node:crypto';
import { Client, Pool } from 'pg';
import { afterAll, beforeAll, inject } from 'vitest';
import { startThrowawayPostgres } from '../../bin/local/postgres/postgres.ts';
import type { RunningPostgres } from '../../bin/local/postgres/postgres.ts';
import { createRoles } from '../../lambda/migrate/database-roles.ts';
import { migrate } from '../../lambda/migrate/migrate.ts';

/** Objects with a pool of connections to a test's database: test databases, and everything built on one. */
export interface WithPool {
  /** Only within tests and hooks: the database exists from `beforeAll` on. The pool ends after the tests. */
  readonly pool: () => Pool;
}

export interface TestDatabase extends WithPool {
  /** The URL of the database, for code under test that opens its own connections. */
  url(): string;
}

/**
 * Clones the migrated database before the tests of the calling file or `describe`, and drops the clone after them.
 */
export function testDatabase(): TestDatabase {
  const name = `test_${randomUUID()}`;
  let database: { pool: Pool; url: string } | undefined;

  beforeAll(async () => {
    const postgresURL = inject('postgresURL');
    await onServer(
      postgresURL,
      `create database "${name}" template "${inject('templateDatabase')}" strategy file_copy`,
    );
    const url = urlOfDatabase(postgresURL, name);
    const pool = new Pool({ connectionString: url });
    // Connections that are still closing when the database is dropped report errors, which can be ignored.
    pool.on('error', () => {});
    database = { pool, url };
  });
  afterAll(async () => {
    if (!database) return;
    await database.pool.end();
    await dropDatabase(inject('postgresURL'), name);
  });

  const made = () => {
    if (!database) throw new Error('the test database exists only within tests and hooks');
    return database;
  };
  return { pool: () => made().pool, url: () => made().url };
}

/**
 * Starts a server for the calling file, with a migrated database. Transactions of other databases on one server delay
 * the removal of dead rows, so tests that count blocks have none beside them.
 */
export function databaseOfOwnServer(): TestDatabase {
  let server: RunningPostgres;
  let pool: Pool;
  beforeAll(async () => {
    server = await startThrowawayPostgres();
    pool = new Pool({ connectionString: server.url });
    pool.on('error', () => {});
    await migrate(pool);
    await createRoles(pool);
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });
  return { pool: () => pool, url: () => server.url };
}

/** The URL of another database on the same server, for the same user. */
export function urlOfDatabase(postgresURL: string, database: string): string {
  const url = new URL(postgresURL);
  url.pathname = `/${database}`;
  return url.href;
}

/** Drops a database with the connections that still use it. */
export async function dropDatabase(postgresURL: string, database: string): Promise<void> {
  await onServer(postgresURL, `drop database if exists "${database}" with (force)`);
}

/** Runs one statement on a connection of its own. */
export async function onServer(postgresURL: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: postgresURL });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
