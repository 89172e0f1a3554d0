// A deletion of an upload reads a bounded number of rows, however many renditions the platform has.
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { databaseOn, inTransaction } from '../../../lambda/data/database.ts';
import { one } from '../../../lambda/data/shared/queryable.ts';
import type { MediaCommand } from '../../../lambda/data/shared/outbox.ts';
import { discardUpload } from '../../../lambda/orchestration/media/discard-uploads.ts';
import { createMediaWorker } from '../../../lambda/publisher/media-worker.ts';
import { testDatabase } from '../../support/database.ts';
import { insertUsers } from '../../support/stage-rows.ts';

const contents = 50_000;
const tables = ['renditions', 'uploads', 'inspections', 'media_claims'];

const database = testDatabase();
/** It has one connection, whose statistics are complete once it has written them. */
let pool: Pool;

beforeAll(async () => {
  pool = new Pool({ connectionString: database.url(), max: 1 });
  // The connection may still be closing when the database is dropped.
  pool.on('error', () => {});
  await insertUsers(pool, 1);
  // Without triggers, which would take long for all these rows.
  await pool.query('set session_replication_role = replica');
  await pool.query(
    `insert into uploads (id, user_id, name, mime_type, type, object_key, uploaded, probe_state, content_hash)
     select 'upl_' || n, 'usr_0', 'clip', 'video/mp4', 'video', 'uploads/' || n, true, 'completed', md5(n::text)
     from generate_series(1, $1::int) n`,
    [contents],
  );
  await pool.query(
    `insert into inspections (content_hash, user_id, turn, state)
     select content_hash, user_id, 1, 'completed' from uploads`,
  );
  await pool.query(
    `insert into renditions (content_hash, format, segment_count, segments_done, state)
     select content_hash, 'q_720p-f_30', 1, 1, 'ready' from uploads`,
  );
  await pool.query('set session_replication_role = origin');
}, 240_000);
afterAll(() => pool.end());

/** Carries out all commands that wait, whenever they are due. @returns their number */
async function carryOutAll(): Promise<number> {
  const handle = createMediaWorker({
    pool,
    objects: { delete: async () => {} } as never,
    tools: { ffmpegPath: '', ffprobePath: '' },
    encoderOf: async () => null as never,
    random: () => 0.5,
    limitFactor: 1,
    log: () => {},
  });
  for (let count = 0; ; count++) {
    const sent = await one<{ id: string; body: MediaCommand }>(
      pool,
      `delete from outbox where id = (select min(id) from outbox where queue = 'media') returning id, body`,
      [],
    );
    if (!sent) return count;
    const attributes = { ApproximateReceiveCount: '1' };
    const Records = [{ messageId: sent.id, body: JSON.stringify(sent.body), attributes }];
    expect(await handle({ Records } as unknown as Parameters<typeof handle>[0])).toEqual({ batchItemFailures: [] });
  }
}

/** Rows of the tables, and entries of their indexes, that this connection has read. */
async function rowsRead(): Promise<number> {
  await pool.query('select pg_stat_force_next_flush()');
  const row = await one<{ count: string }>(
    pool,
    `select sum(t.seq_tup_read + i.entries) as count
     from pg_stat_user_tables t, lateral (
       select coalesce(sum(idx_tup_read), 0) as entries from pg_stat_user_indexes i where i.relid = t.relid) i
     where t.relname = any ($1)`,
    [tables],
  );
  return Number(row!.count);
}

/** @returns rows that the deletion of an upload reads, with its commands, and the number of commands */
async function costOf(uploadID: string): Promise<{ rows: number; commands: number }> {
  const before = await rowsRead();
  await inTransaction(pool, async (data) => discardUpload(data, (await data.uploads.lockAny(uploadID))!));
  const commands = await carryOutAll();
  return { rows: (await rowsRead()) - before, commands };
}

it.each([
  ['before statistics are gathered', async () => {}],
  ['with statistics', async () => void (await pool.query('vacuum analyze'))],
])('a deletion reads few rows beside 50,000 renditions, %s', async (_, prepare) => {
  await prepare();
  const { rows: all } = await pool.query<{ id: string }>('select id from uploads order by id desc limit 2');
  const [empty, full] = [all[0]!.id, all[1]!.id];
  await pool.query('update uploads set content_hash = null where id = $1', [empty]);
  await carryOutAll();
  const [ofEmpty, ofFull] = [await costOf(empty), await costOf(full)];
  expect(ofEmpty.commands).toBe(2);
  expect(ofFull.commands).toBe(3);
  expect(ofEmpty.rows).toBeLessThan(100);
  expect(ofFull.rows).toBeLessThan(100);
  expect(await databaseOn(pool).orphanedRenditions.areLeft()).toBe(false);
});
