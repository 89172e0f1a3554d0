// Whether a user is funded: one rule, in statements and in the function of the live ingest. Decision D287.
import { beforeAll, expect, it } from 'vitest';
import { isFunded } from '../../../lambda/data/shared/funded.ts';
import { all } from '../../../lambda/data/shared/queryable.ts';
import { testDatabase } from '../../support/database.ts';
import { liveIngestOn } from '../../support/live-ingest-role.ts';

const database = testDatabase();
const { pool } = liveIngestOn(database);

// One user has no invoice; each of the others has a single one, and its id describes it.
beforeAll(async () => {
  await database.pool().query(
    `with made as (
       select concat_ws(' ', type, state, credits) as id, type, state, credits
       from unnest(array['credit_purchase', 'free_credits', 'adjustment']) type,
         unnest(array['pending', 'paid', 'cancelled', 'expired', 'refunded']) state,
         unnest(array[-100, 0, 99.9999, 100]) credits),
     users as (
       insert into users (id, email, name)
       select id, id, 'x' from made union all values ('none', 'none', 'x'))
     insert into invoices (id, user_id, type, method, state, cost, currency, credits, remaining_credits)
     select id, id, type, 'grant', state, 0, 'USD', credits, 0 from made`,
  );
});

it('100 credits that were bought or given by an operator fund a user, also for the live ingest', async () => {
  const funded = ['adjustment paid 100', 'credit_purchase paid 100'];
  const users = await all<{ id: string }>(
    database.pool(),
    `select id from users where ${isFunded('users.id')} order by id`,
  );
  expect(users.map(({ id }) => id)).toEqual(funded);
  const asIngest = await all<{ id: string }>(pool(), 'select id from users where is_funded(id) order by id');
  expect(asIngest.map(({ id }) => id)).toEqual(funded);
});
