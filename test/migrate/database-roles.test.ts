// Rights of the live ingest in the database: a stranger in its process reaches takeovers and little else.
import { expect, it } from 'vitest';
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
