// Rights of the live ingest in the database: a stranger in its process reaches takeovers and little else.
import { beforeAll, describe, expect, it } from 'vitest';
import { all } from '../../lambda/data/shared/queryable.ts';
import { grantRights } from '../../lambda/migrate/database-roles.ts';
import { liveIngestRole } from '../../lambda/migrate/environment.ts';
import { testDatabase } from '../support/database.ts';
import { liveIngestOn } from '../support/live-ingest-role.ts';

const database = testDatabase();
const { pool } = liveIngestOn(database);

it.each([
  'select email from users',
  'select sealed_stream_key from destinations',
  'select sealed_secret from webhooks',
  'select from api_keys',
  'select from signing_keys',
  'select from data_keys',
  'select from invoices',
  'select from uploads',
  `update streams set state = 'active'`,
  'update live_inputs set key_sha256 = null',
  `update webhooks set url = 'https://stranger.example/'`,
  'update outbox set body = body',
  'delete from live_inputs',
  'create table mine ()',
  'truncate takeovers',
])('the live ingest may not %s', async (statement) => {
  await expect(pool().query(statement)).rejects.toMatchObject({ code: '42501' });
});

it('the live ingest learns of a user whether there is a purchase, and others than the service do not', async () => {
  expect(await all(pool(), `select is_funded('nobody') as "isFunded"`)).toEqual([{ isFunded: false }]);
  const rights = `select has_function_privilege('public', 'is_funded(text)', 'execute') as "mayAnyone"`;
  expect(await all(database.pool(), rights)).toEqual([{ mayAnyone: false }]);
});

describe('rows that the live ingest may not write', () => {
  beforeAll(async () => {
    await database.pool().query(
      `with made as (
         insert into users (id, email, name)
         select n, n || '@example.org', 'x' from unnest(array['a', 'b']) n returning id),
       hooks as (
         insert into webhooks (id, user_id, url, events, sealed_secret)
         select 'hook of ' || id, id, 'https://example.org/', '{stream.state_changed}', '' from made),
       streams as (
         insert into streams (id, user_id, name, anchored_at)
         select 'stream of ' || id, id, 'x', now() from made returning id)
       insert into live_inputs (id, user_id, stream_id, name, takes, second_publisher, allow, stable_seconds,
         grace_seconds, delay_seconds)
       select 'input', 'a', 'stream of a', 'x', 'always', 'refuse', '{}', 4, 2, 8 from streams limit 1`,
    );
    await database.pool().query(
      `insert into events (id, user_id, type, subject_id, data)
       values ('evt_a', 'a', 'stream.state_changed', 'x', '{}')`,
    );
  });

  it.each([
    ['a command to delete an object', `insert into outbox (queue, body) values ('media', '{"task": "delete_object"}')`],
    [
      'an event of a payment',
      `insert into events (user_id, type, subject_id, data) values ('a', 'payment.paid', 'x', '{}')`,
    ],
    [
      'a delivery to another user',
      `insert into webhook_deliveries (event_id, webhook_id) values ('evt_a', 'hook of b')`,
    ],
    [
      'a takeover of a stream without the input',
      `insert into takeovers (id, stream_id, anchored_at, live_input_id) values ('tko', 'stream of b', now(), 'input')`,
    ],
  ])('%s', async (_row, statement) => {
    await expect(pool().query(statement)).rejects.toMatchObject({ code: '42501' });
  });

  it('are not those that it has to write', async () => {
    const written = async (statement: string) => (await pool().query(statement)).rowCount;
    expect(await written(`insert into outbox (queue, body) values ('webhooks', '{"incidents": ""}')`)).toBe(1);
    const delivery = `insert into webhook_deliveries (event_id, webhook_id) values ('evt_a', 'hook of a')`;
    expect(await written(delivery)).toBe(1);
  });
});

it('a right that the live ingest has no more is taken from it at the next migration', async () => {
  await database.pool().query(`grant select on users to ${liveIngestRole}`);
  await pool().query('select email from users');
  await grantRights(database.pool());
  await expect(pool().query('select email from users')).rejects.toMatchObject({ code: '42501' });
});

it('every table has a decision: most of them are out of reach of the live ingest', async () => {
  const reached = await all<{ name: string }>(
    database.pool(),
    `select c.relname as name from pg_class c
     where relkind = 'r' and relnamespace = 'public'::regnamespace
       and (has_any_column_privilege('${liveIngestRole}', oid, 'select')
         or has_any_column_privilege('${liveIngestRole}', oid, 'insert')) order by 1`,
  );
  expect(reached.map(({ name }) => name)).toEqual([
    'changes',
    'destinations',
    'events',
    'incident_signals',
    'incidents',
    'live_inputs',
    'live_recordings',
    'live_sessions',
    'outbox',
    'outputs',
    'programmes',
    'replicas',
    'stream_transitions',
    'streams',
    'takeover_intervals',
    'takeovers',
    'timeline_entries',
    'timeline_levels',
    'users',
    'webhook_deliveries',
    'webhooks',
  ]);
});
