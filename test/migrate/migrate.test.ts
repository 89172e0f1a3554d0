// Migrations: each file is applied once and completely, even by parallel runs, and even after a killed one.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import type { Pool } from 'pg';
import { migrateAt } from '../../bin/local/run-database.ts';
import { all, createPool } from '../../lambda/data/shared/queryable.ts';
import { migrate } from '../../lambda/migrate/migrate.ts';
import { dropDatabase, onServer, urlOfDatabase } from '../support/database.ts';

let name: string;
let pool: Pool;
let folder: string;

beforeEach(async () => {
  name = `test_${randomUUID()}`;
  await onServer(inject('postgresURL'), `create database "${name}"`);
  pool = createPool({ connectionString: urlOfDatabase(inject('postgresURL'), name) });
  folder = await mkdtemp(join(tmpdir(), 'migrations-'));
});
afterEach(async () => {
  await pool.end();
  await dropDatabase(inject('postgresURL'), name);
  await rm(folder, { recursive: true });
});

const write = (file: string, sql: string) => writeFile(join(folder, file), sql);
/** The names of the migrations that have been applied. */
const applied = async () => {
  const rows = await all<{ name: string }>(pool, 'select name from migrations order by name');
  return rows.map((row) => row.name);
};
/** The names of all tables. */
const tables = async () => {
  const query = `select table_name as name from information_schema.tables where table_schema = 'public' order by 1`;
  return (await all<{ name: string }>(pool, query)).map((row) => row.name);
};

describe('the migrations of the service', () => {
  it('are applied in order, and none a second time', async () => {
    const first = await migrate(pool);
    expect(first).toEqual(first.toSorted());
    expect(first[0]).toBe('0001_shared.sql');
    const before = await tables();
    expect(await migrate(pool)).toEqual([]);
    expect(await tables()).toEqual(before);
    expect(await applied()).toEqual(first);
  });

  it('are applied once when four processes run them at once', async () => {
    const results = await Promise.all(Array.from({ length: 4 }, () => migrate(pool)));
    expect(results.flat()).toEqual(await applied());
    expect(results.filter((files) => files.length > 0)).toHaveLength(1);
  });
});

describe('a database that was migrated before the baseline', () => {
  /** The tables of the first of the former files, which are among those of the baseline. */
  beforeEach(async () => {
    await write(
      '0001_accounts.sql',
      'create table users (id text primary key); create table api_keys (id text primary key);',
    );
    await write('0002_library.sql', 'create table uploads (id text primary key);');
    await migrate(pool, folder);
    await pool.query(`insert into users values ('usr_1')`);
  });
  const former = {
    files: ['0001_accounts.sql', '0002_library.sql'],
    tables: ['api_keys', 'migrations', 'uploads', 'users'],
  };

  it('is refused in one sentence, and stays as it is', async () => {
    await expect(migrate(pool)).rejects.toThrow(
      /^The database was made by a release before the baseline of the schema, and cannot be brought up to date\.$/,
    );
    expect([await applied(), await tables()]).toEqual([former.files, former.tables]);
    expect(await all(pool, 'select id from users')).toEqual([{ id: 'usr_1' }]);
  });

  it('is refused by the local run, which says what to do', async () => {
    vi.stubEnv('DATABASE_URL', '');
    onTestFinished(() => void vi.unstubAllEnvs());
    const url = urlOfDatabase(inject('postgresURL'), name);
    await expect(migrateAt(url, '/home/ada/.local')).rejects.toThrow(
      /brought up to date\. Move \/home\/ada\/\.local away, or start once with npm start -- --fresh, which deletes it\.$/,
    );
    expect([await applied(), await tables()]).toEqual([former.files, former.tables]);
  });
});

it('a database that a newer release has migrated stays as it is', async () => {
  await migrate(pool);
  await pool.query(`insert into migrations (name) values ('9999_later.sql')`);
  expect(await migrate(pool)).toEqual([]);
});

it('a file that waits for a lock lets others pass, says so, and is applied when it is run again', async () => {
  await write('0001_first.sql', 'create table busy (id int);');
  await migrate(pool, folder);
  await write('0002_second.sql', 'create table new (id int); alter table busy add column more int;');
  const waits = { lockTimeoutMs: 50, attempts: 2 };
  const reader = await pool.connect();
  await reader.query('begin');
  await reader.query('select from busy');
  await expect(migrate(pool, folder, waits)).rejects.toThrow(
    /0002_second.sql did not get a lock within 50 ms, 2 times.*run again/,
  );
  expect([await applied(), await tables()]).toEqual([['0001_first.sql'], ['busy', 'migrations']]);
  const migrating = migrate(pool, folder, { ...waits, attempts: 1000 });
  const waiting = async () =>
    (await all(pool, `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`))
      .length;
  await expect.poll(waiting).toBe(1);
  // It passes the waiting statement, which times out first.
  await pool.query('select from busy');
  await reader.query('commit');
  reader.release();
  expect(await migrating).toEqual(['0002_second.sql']);
});

it('a file that fails leaves nothing, keeps those before it, and is applied once it is corrected', async () => {
  await write('0001_good.sql', 'create table good (id int);');
  await write('0002_bad.sql', 'create table half (id int); insert into nowhere values (1);');
  await expect(migrate(pool, folder)).rejects.toThrow('nowhere');
  expect(await applied()).toEqual(['0001_good.sql']);
  expect(await tables()).toEqual(['good', 'migrations']);
  await write('0002_bad.sql', 'create table half (id int);');
  expect(await migrate(pool, folder)).toEqual(['0002_bad.sql']);
});

it.each([
  ['a gap', ['0001_a.sql', '0003_c.sql'], '0003_c.sql'],
  ['a duplicate', ['0001_a.sql', '0002_b.sql', '0002_c.sql'], '0002_c.sql'],
  ['a beginning other than 1', ['0000_a.sql'], '0000_a.sql'],
  ['a number of another form', ['0001_a.sql', '2_b.sql'], '2_b.sql'],
])('%s in the numbers of files is refused by its name, before any file is applied', async (_, files, culprit) => {
  for (const file of files) await write(file, 'create table x (id int);');
  await expect(migrate(pool, folder)).rejects.toThrow(culprit);
  expect(await tables()).toEqual([]);
});

/** Takes the advisory lock 1. @returns a function that releases it */
async function takeLock(): Promise<() => Promise<void>> {
  const client = await pool.connect();
  await client.query('select pg_advisory_lock(1)');
  return async () => {
    await client.query('select pg_advisory_unlock(1)');
    client.release();
  };
}

/** Resolves once this many connections wait for advisory locks: that of a test, or that of other migrations. */
async function untilWaiting(count: number): Promise<void> {
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`;
  await expect.poll(() => all(pool, waiting)).toHaveLength(count);
}

/** Breaks the connection that runs the file 0002_long.sql. */
const killLongMigration = () =>
  pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and query like 'create table long%'`,
  );

it('a migration that is killed half way says why, and is finished by the next that runs', async () => {
  await write('0001_first.sql', 'create table first (id int);');
  await write('0002_long.sql', 'create table long (id int); select pg_advisory_xact_lock(1);');
  const giveLockBack = await takeLock();
  const killed = migrate(pool, folder).then(String, String);
  await untilWaiting(1);
  const next = migrate(pool, folder);
  await untilWaiting(2);
  await killLongMigration();
  expect(await killed).toMatch(/terminat/);
  await giveLockBack();
  expect(await next).toEqual(['0002_long.sql']);
  expect(await tables()).toEqual(['first', 'long', 'migrations']);
});
