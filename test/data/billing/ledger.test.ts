// The ledger refuses what a ledger must refuse, and begins with the credits that were there before it.
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, inject, it } from 'vitest';
import { databaseOn } from '../../../lambda/data/database.ts';
import { createPool } from '../../../lambda/data/shared/queryable.ts';
import { migrate } from '../../../lambda/migrate/migrate.ts';
import { dropDatabase, onServer, testDatabase, urlOfDatabase } from '../../support/database.ts';

const database = testDatabase();
const userID = 'usr_1';
const at = new Date('2026-06-01T00:00:00Z');
let count = 0;

beforeEach(async () => {
  await databaseOn(database.pool()).users.ensureUser({ id: userID, email: 'a@example.com', name: 'A' });
});

const grant = (credits: number) =>
  databaseOn(database.pool()).invoices.ensurePaid({
    id: `inv_${++count}`,
    userID,
    type: 'adjustment',
    method: 'grant',
    cost: 0,
    credits,
  });
const take = (reference: string, credits: number) =>
  databaseOn(database.pool()).ledger.take({ userID, cause: 'usage', reference, credits, account: 'usage', at });

/** What the transactions of a cause refer to. */
async function referencesOf(cause: string): Promise<string[]> {
  const query = 'select reference from ledger_transactions where cause = $1';
  return (await database.pool().query<{ reference: string }>(query, [cause])).rows.map(({ reference }) => reference);
}

describe('the ledger', () => {
  it('refuses to be changed but by addition', async () => {
    await grant(5);
    for (const statement of [
      'update ledger_entries set amount = amount + 1',
      'delete from ledger_entries',
      'update ledger_transactions set at = now()',
      'delete from ledger_transactions',
    ]) {
      await expect(database.pool().query(statement)).rejects.toThrow('only added to');
    }
    await expect(database.pool().query('delete from users')).rejects.toThrow('violates foreign key');
  });

  it('refuses entries that do not balance, even added to a transaction of before', async () => {
    await grant(5);
    const { rows } = await database.pool().query('select max(id) as id from ledger_transactions');
    const addEntry = (amount: number) =>
      database.pool().query(`insert into ledger_entries values ($1, 'usage', null, $2)`, [rows[0].id, amount]);
    for (const amount of [1, -1]) await expect(addEntry(amount)).rejects.toThrow('sum up to zero');
  });

  it('writes a transaction once for its cause, and none without credits', async () => {
    await grant(100);
    expect(await Promise.all([take('1', 10), take('1', 10), take('1', 11)])).toEqual(
      expect.arrayContaining([true, false, false]),
    );
    expect(await take('2', 0)).toBe(false);
    expect(await referencesOf('usage')).toEqual(['1']);
  });
});

it('the migration that brings the ledger begins it with the credits that users had before', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  const source = join(import.meta.dirname, '../../../lambda/data/migrations');
  const files = readdirSync(source).sort();
  const billing = files.findIndex((name) => name.endsWith('_billing.sql'));
  const name = `test_ledger_${process.pid}`;
  await onServer(inject('postgresURL'), `create database "${name}"`);
  const pool = createPool({ connectionString: urlOfDatabase(inject('postgresURL'), name) });
  try {
    for (const file of files.slice(0, billing)) await copyFile(join(source, file), join(folder, file));
    await migrate(pool, folder);
    await pool.query(`insert into users (id, email, name) values ('u', 'u@example.com', 'U')`);
    await pool.query(
      `insert into invoices (id, user_id, type, method, state, cost, currency, credits, remaining_credits)
       values
         ('a', 'u', 'adjustment', 'grant', 'paid', 0, 'USD', 100000, 100000),
         ('b', 'u', 'credit_purchase', 'card', 'paid', 5, 'USD', 500, 500),
         ('c', 'u', 'credit_purchase', 'card', 'pending', 5, 'USD', 500, 0)`,
    );
    for (const file of files.slice(billing)) await copyFile(join(source, file), join(folder, file));
    await migrate(pool, folder);
    expect(await databaseOn(pool).reconciliation.differences()).toEqual([]);
    expect(await databaseOn(pool).creditAccounts.creditsLeft('u')).toBe(100_500);
  } finally {
    await pool.end();
    await dropDatabase(inject('postgresURL'), name);
    await rm(folder, { recursive: true });
  }
});
