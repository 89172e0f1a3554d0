// Migrations: each file once and whole, whoever runs them, however often, and whatever happened to the one before.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import type { Pool } from 'pg';
import { createPool } from '../../lambda/data/queryable.ts';
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
const applied = async () => (await pool.query('select name from migrations order by name')).rows.map((row) => row.name);
const tables = async () =>
  (
    await pool.query(`select table_name from information_schema.tables where table_schema = 'public' order by 1`)
  ).rows.map((row) => row.table_name);

describe('the migrations of the service', () => {
  it('apply in order, and a second time not at all', async () => {
    const first = await migrate(pool);
    expect(first).toEqual(first.toSorted());
    expect(first[0]).toBe('0001_accounts.sql');
    const before = await tables();
    expect(await migrate(pool)).toEqual([]);
    expect(await tables()).toEqual(before);
    expect(await applied()).toEqual(first);
  });

  it('apply once when four run them at once', async () => {
    const results = await Promise.all(Array.from({ length: 4 }, () => migrate(pool)));
    expect(results.flat()).toEqual(await applied());
    expect(results.filter((files) => files.length > 0)).toHaveLength(1);
  });
});

it('leaves nothing of a file that fails, keeps those before it, and finishes when it is corrected', async () => {
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
])('refuses %s in the numbers by the name of the file, before anything is applied', async (_, files, culprit) => {
  for (const file of files) await write(file, 'create table x (id int);');
  await expect(migrate(pool, folder)).rejects.toThrow(culprit);
  expect(await tables()).toEqual([]);
});

it('is finished by the next when it is killed half way, and neither hangs nor hides why it ended', async () => {
  await write('0001_first.sql', 'create table first (id int);');
  await write('0002_long.sql', 'create table long (id int); select pg_advisory_xact_lock(1);');
  const blocker = await pool.connect();
  await blocker.query('select pg_advisory_lock(1)');
  const waiting = `select pid from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`;
  const killed = migrate(pool, folder).then(String, String);
  await expect.poll(async () => (await pool.query(waiting)).rowCount).toBe(1);
  const next = migrate(pool, folder);
  await expect.poll(async () => (await pool.query(waiting)).rowCount).toBe(2);
  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'create table long%'`,
  );
  expect(await killed).toMatch(/terminat/);
  await blocker.query('select pg_advisory_unlock(1)');
  blocker.release();
  expect(await next).toEqual(['0002_long.sql']);
  expect(await tables()).toEqual(['first', 'long', 'migrations']);
});
