// The ledger refuses inconsistent transactions.
import { beforeEach, describe, expect, it } from 'vitest';
import { databaseOn } from '../../../lambda/data/database.ts';
import { testDatabase } from '../../support/database.ts';

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

/** The references of a cause's transactions. */
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
