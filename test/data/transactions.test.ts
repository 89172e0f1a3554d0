// Transactions: all or nothing, retried after a deadlock; a lost connection ends neither the process nor the pool.
import { beforeEach, expect, it } from 'vitest';
import { databaseOn, inChange, inTransaction } from '../../lambda/data/database.ts';
import { ChangeRefused } from '../../lambda/data/shared/change-bounds.ts';
import { createPool } from '../../lambda/data/shared/queryable.ts';
import type { Queryable } from '../../lambda/data/shared/queryable.ts';
import { breakConnectionsOf } from '../support/database-outage.ts';
import { testDatabase } from '../support/database.ts';

const database = testDatabase();
const ensure = (data: ReturnType<typeof databaseOn>, id: string) => data.users.ensureUser({ id, email: id, name: id });
const userIDs = async () => (await database.pool().query('select id from users order by id')).rows.map((row) => row.id);

beforeEach(() => database.pool().query('truncate users cascade'));

it('a transaction writes all of its changes, or none', async () => {
  await expect(
    inTransaction(database.pool(), async (data) => {
      await ensure(data, 'a');
      throw new Error('changed my mind');
    }),
  ).rejects.toThrow('changed my mind');
  expect(await userIDs()).toEqual([]);
  expect(await inTransaction(database.pool(), async (data) => (await ensure(data, 'a')).id)).toBe('a');
  expect(await userIDs()).toEqual(['a']);
});

it('a transaction that Postgres ended for a deadlock is run again', async () => {
  for (const id of ['a', 'b']) await ensure(databaseOn(database.pool()), id);
  let runs = 0;
  let holding = 0;
  const bothHold = Promise.withResolvers<void>();
  const oneIsDone = Promise.withResolvers<void>();
  const crossing = async (first: string, second: string) => {
    await inTransaction(database.pool(), async (data) => {
      // An immediate retry could run into the same deadlock again.
      if (++runs > 2) await oneIsDone.promise;
      await ensure(data, first);
      if (++holding === 2) bothHold.resolve();
      await bothHold.promise;
      await ensure(data, second);
    });
    oneIsDone.resolve();
  };
  await Promise.all([crossing('a', 'b'), crossing('b', 'a')]);
  expect(runs).toBe(3);
});

it('a transaction whose connection is lost fails, and later ones on the pool do not', async () => {
  const pool = createPool({ connectionString: database.url(), max: 1, application_name: 'to be lost' });
  const lost = Promise.withResolvers<void>();
  pool.on('remove', () => lost.resolve());
  await expect(
    inTransaction(pool, async (data) => {
      await ensure(data, 'a');
      await breakConnectionsOf(database, 'to be lost');
      await ensure(data, 'b');
    }),
  ).rejects.toThrow(/terminat|connection/i);
  await lost.promise;
  expect(await userIDs()).toEqual([]);
  expect((await ensure(databaseOn(pool), 'c')).id).toBe('c');
  await pool.end();
});

it('a change that runs again has one turn until it ends, and leaves its connection without bounds', async () => {
  const pool = createPool({ connectionString: database.url(), max: 2 });
  const bounds = { subject: 'one at a time', userID: null, atOnce: 1, lockWaitSeconds: 5, statementSeconds: 30 };
  const change = (work: () => Promise<unknown>) => inChange(pool, bounds, work);
  let runs = 0;
  await change(async () => {
    if (++runs < 3) throw Object.assign(new Error('in favour of another'), { code: '40001' });
    await expect(change(async () => {})).rejects.toThrow(ChangeRefused);
    await expect(inChange(pool, { ...bounds, subject: 'another' }, async () => 'done')).resolves.toBe('done');
  });
  expect(runs).toBe(3);
  await expect(change(async () => 'done')).resolves.toBe('done');
  const shown = await Promise.all([1, 2].map(() => pool.query('show lock_timeout')));
  expect(shown.map(({ rows }) => rows)).toEqual([[{ lock_timeout: '0' }], [{ lock_timeout: '0' }]]);
  await pool.end();
});

it('statements of transactions may take 30 s, and others as long as the pool says', async () => {
  const pool = createPool({ connectionString: database.url(), max: 1, statement_timeout: 10_000 });
  const clientOf = (db: Queryable) => db;
  const shownBy = async (db: Queryable) => (await db.query('show statement_timeout')).rows[0];
  expect(await inTransaction(pool, shownBy, clientOf)).toEqual({ statement_timeout: '30s' });
  const ofChange = await pool.query(`begin; select begin_change('user', 1, 5000); show statement_timeout; commit`);
  expect([ofChange].flat()[2]!.rows).toEqual([{ statement_timeout: '30s' }]);
  expect(await shownBy(pool)).toEqual({ statement_timeout: '10s' });
  await pool.end();
});
