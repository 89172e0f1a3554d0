// A user's thousandth piece of work comes after the first of all other users: commands, due times, imports.
import { beforeEach, describe, expect, it } from 'vitest';
import { databaseOn, inTransaction } from '../../lambda/data/database.ts';
import { all } from '../../lambda/data/shared/queryable.ts';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import { relayOutbox } from '../../lambda/ports/command-queue/outbox-relay.ts';
import { startConsumer } from '../ports/consumer.ts';
import { testDatabase } from '../support/database.ts';
import { clearCommands } from '../support/outbox-rows.ts';

const database = testDatabase();
const data = () => databaseOn(database.pool());

/** Stores a number of uploads of a user. @returns their ids */
async function uploadsOf(userID: string, count: number): Promise<string[]> {
  await data().users.ensureUser({ id: userID, email: `${userID}@example.com`, name: userID });
  const rows = await all<{ id: string }>(
    database.pool(),
    `insert into uploads (id, user_id, name, mime_type, type, object_key)
     select $1 || '_' || n, $1, 'x', 'video/mp4', 'video', $1 || '/' || n from generate_series(1, $2::int) n
     on conflict (id) do update set name = excluded.name returning id`,
    [userID, count],
  );
  return rows.map(({ id }) => id);
}
const probe = (ids: readonly string[]) =>
  data().outbox.sendAll(
    'media',
    ids.map((uploadID) => ({ task: 'probe_upload', uploadID }) as const),
  );

beforeEach(() => clearCommands(database));

describe('of commands', () => {
  /** The uploads of the commands in the order in which one consumer received them. */
  const consumed = async (count: number) => {
    const queue = createPostgresCommandQueue({ pool: database.pool(), log: () => {} });
    await using consumer = startConsumer(queue, 'media', undefined, { batchSize: 1 });
    await expect.poll(() => consumer.bodies().length).toBe(count);
    return consumer.bodies().map((body) => (body as { uploadID: string }).uploadID);
  };

  it('those of others come after the first of a user who has sent two hundred', async () => {
    await probe(await uploadsOf('usr_many', 200));
    await probe(await uploadsOf('usr_one', 1));
    await probe(await uploadsOf('usr_two', 2));
    const order = await consumed(203);
    expect(order.indexOf('usr_one_1')).toBeLessThan(3);
    expect(order.indexOf('usr_two_1')).toBeLessThan(4);
    expect(order.indexOf('usr_two_2')).toBeLessThan(7);
    const ofMany = order.filter((id) => id.startsWith('usr_many'));
    expect(ofMany).toEqual(await uploadsOf('usr_many', 200));
  });

  it('a user who comes later joins in, and does not overtake those who wait since before', async () => {
    await probe(await uploadsOf('usr_many', 20));
    await database.pool().query(`delete from outbox where turn < 10`);
    await probe(await uploadsOf('usr_late', 2));
    expect((await consumed(12)).slice(0, 4)).toEqual(['usr_many_11', 'usr_late_1', 'usr_many_12', 'usr_late_2']);
  });

  it('relays to queues elsewhere send first whose turn it is, and say whose work it is', async () => {
    await probe(await uploadsOf('usr_many', 300));
    await probe(await uploadsOf('usr_one', 1));
    const sent: (string | null)[] = [];
    const send = (_: string, rows: readonly { user_id: string | null }[]) => {
      sent.push(...rows.map(({ user_id: userID }) => userID));
      return Promise.resolve(new Map());
    };
    await relayOutbox(database.pool(), ['media'], send, () => {});
    expect(sent).toHaveLength(301);
    expect(sent.indexOf('usr_one')).toBeLessThan(3);
    expect(new Set(sent)).toEqual(new Set(['usr_many', 'usr_one']));
  });

  it('each knows whose work it is, whatever it names', async () => {
    const [uploadID] = await uploadsOf('usr_named', 1);
    const { outbox, streams, webhooks } = data();
    await database.pool().query(`insert into streams (id, user_id) values ('str_named', 'usr_named')`);
    await webhooks.insert({
      id: 'whk_named',
      userID: 'usr_named',
      clientID: null,
      url: 'https://example.com/',
      events: ['stream.state_changed'],
      sealedSecret: Buffer.from(''),
    });
    expect(await streams.find('usr_named', 'str_named')).not.toBeNull();
    await outbox.send({ queue: 'imports', body: { uploadID: uploadID! } });
    await outbox.send({ queue: 'publish-ffmpeg', body: { streamID: 'str_named' } });
    await outbox.send({ queue: 'webhooks', body: { webhookID: 'whk_named' } });
    await outbox.send({ queue: 'media', body: { task: 'delete_object', objectKey: 'uploads/usr_named/x' } });
    const rows = await all<{ user_id: string }>(database.pool(), 'select user_id from outbox');
    expect(rows.map(({ user_id: userID }) => userID)).toEqual(Array.from({ length: 4 }, () => 'usr_named'));
  });
});

describe('of due times', () => {
  it('the first of everybody come before the second of a user who has a thousand', async () => {
    await uploadsOf('usr_many', 1);
    await uploadsOf('usr_one', 1);
    const { pool } = database;
    await pool().query(
      `insert into streams (id, user_id)
       select 'str_many_' || n, 'usr_many' from generate_series(1, 1000) n union all select 'str_one', 'usr_one'`,
    );
    await pool().query(
      `insert into due_times (stream_id, kind, due_at)
       select id, 'duration_over', now() - case user_id when 'usr_one' then interval '1 s' else interval '1 min' end
       from streams where user_id in ('usr_many', 'usr_one')`,
    );
    const places = new Map<string, number>();
    const lockNext = async (place: number, except: readonly string[]) => {
      const locked = await inTransaction(pool(), async (tx) => {
        const { due } = await tx.dueTimes.lockNext('ends', place, { except, most: 3, isPlannedAlone: false });
        return due;
      });
      for (const { stream } of locked) places.set(stream.user_id, place);
      return locked.map(({ id }) => id);
    };
    const found = [...(await lockNext(1, [])), ...(await lockNext(2, []))];
    expect(found).toContain('str_one');
    expect(found.filter((id) => id.startsWith('str_many'))).toHaveLength(places.size === 1 ? 2 : 3);
    expect(await lockNext(places.get('usr_one')!, ['str_one'])).not.toContain('str_one');
  });

  it('of one kind are locked while thousands of another kind are due for longer', async () => {
    await uploadsOf('usr_items', 1);
    const { pool } = database;
    await pool().query(
      `insert into streams (id, user_id) select 'str_items_' || n, 'usr_items' from generate_series(1, 200) n`,
    );
    await pool().query(
      `insert into due_times (stream_id, kind, due_at)
       select id, 'item_start', now() - interval '1 hour' from streams where user_id = 'usr_items'
       union all select 'str_items_1', 'schedule_end', now() - interval '1 s'`,
    );
    const found = [];
    const next = { except: [], most: 100, isPlannedAlone: false };
    for (const place of [1, 2])
      found.push(...(await inTransaction(pool(), (tx) => tx.dueTimes.lockNext('ends', place, next))).due);
    expect(found.filter(({ stream }) => stream.user_id === 'usr_items').map(({ kind }) => kind)).toEqual([
      'schedule_end',
    ]);
  });

  it('of a stream with a programme are locked alone, in their turn', async () => {
    await uploadsOf('usr_planner', 1);
    const { pool } = database;
    await pool().query(
      `insert into streams (id, user_id, planned_tracks)
       select 'str_plan_' || n, 'usr_planner', case when n in (3, 4) then array['video'] end
       from generate_series(1, 6) n`,
    );
    await pool().query(
      `insert into due_times (stream_id, kind, due_at)
       select id, 'schedule_start', now() - interval '1 min' + right(id, 1)::int * interval '1 s'
       from streams where user_id = 'usr_planner'`,
    );
    const sets: string[][] = [];
    const fired: string[] = [];
    for (const place of [1, 2])
      for (let isCut = true; isCut;) {
        const next = { except: fired, most: 100, isPlannedAlone: true };
        const set = await inTransaction(pool(), (tx) => tx.dueTimes.lockNext('starts', place, next));
        ({ isCut } = set);
        const ids = set.due.map(({ id }) => id);
        if (ids.length > 0) sets.push(ids);
        fired.push(...ids);
      }
    expect(sets).toEqual([['str_plan_1', 'str_plan_2'], ['str_plan_3'], ['str_plan_4'], ['str_plan_5', 'str_plan_6']]);
  });
});
