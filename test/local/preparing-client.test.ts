// Frequent statements of the local run are prepared, once on each connection; rare ones are not.
import { afterAll, expect, it } from 'vitest';
import { plansOnce, PreparingClient } from '../../bin/local/preparing-client.ts';
import { createPoolLike } from '../../lambda/data/shared/queryable.ts';
import { testDatabase } from '../support/database.ts';

const database = testDatabase();
const pools: { end(): Promise<void> }[] = [];
afterAll(() => Promise.all(pools.map((pool) => pool.end())));

function preparingPool() {
  const pool = createPoolLike(database.pool(), { max: 1, Client: PreparingClient, options: plansOnce });
  pools.push(pool);
  return pool;
}

const prepared = async (pool: ReturnType<typeof preparingPool>): Promise<string[]> => {
  const { rows } = await pool.query<{ statement: string }>('select statement from pg_prepared_statements');
  return rows.map(({ statement }) => statement);
};

it('a statement that is sent often is prepared, and answers the same', async () => {
  const pool = preparingPool();
  const often = 'select $1::int + 1 as next';
  for (let number = 0; number < 30; number++) {
    const { rows } = await pool.query<{ next: number }>(often, [number]);
    expect(rows).toEqual([{ next: number + 1 }]);
  }
  await pool.query('select $1::text as once', ['a']);
  expect(await prepared(pool)).toEqual([often]);
});

it('one plan serves all executions', async () => {
  const pool = preparingPool();
  for (let number = 0; number < 10; number++) await pool.query('select $1::int - 1 as before', [number]);
  const { rows } = await pool.query('select generic_plans > 5 as many, custom_plans from pg_prepared_statements');
  expect(rows).toEqual([{ many: true, custom_plans: 0 }]);
});

it('an error of a prepared statement is answered, and leaves it usable', async () => {
  const pool = preparingPool();
  const dividing = 'select 1 / $1::int as part';
  for (let number = 0; number < 20; number++) await pool.query(dividing, [1]);
  await expect(pool.query(dividing, [0])).rejects.toThrow('division by zero');
  expect((await pool.query(dividing, [1])).rows).toEqual([{ part: 1 }]);
});

it('a transaction is prepared like the rest', async () => {
  const pool = preparingPool();
  const client = await pool.connect();
  for (let number = 0; number < 20; number++) {
    await client.query('begin');
    await client.query('select $1::int * 2 as double', [number]);
    await client.query('rollback');
  }
  client.release();
  expect(await prepared(pool)).toEqual(['select $1::int * 2 as double']);
});

it('no more than so many are prepared', async () => {
  const pool = preparingPool();
  for (let text = 0; text < 400; text++)
    for (let times = 0; times < 11; times++) await pool.query(`select $1::int as column_${text}`, [1]);
  expect((await prepared(pool)).length).toBeLessThanOrEqual(300);
});
