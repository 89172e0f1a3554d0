// The local command queue, flooded by one user: the cost of others' commands then, and that none is overlooked.
import type { Pool } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import { testDatabase } from '../support/database.ts';
import { bodyOf, startConsumer } from './consumer.ts';

const database = testDatabase();
const flood = 100_000;
const lanes = { count: 2, ofUser: 1, ofUnfunded: 2 } as const;
/** Limit of pages. A read of all commands of the flooding user needs thousands. */
const mostBuffers = 100;
const eventually = { timeout: 20_000, interval: 20 };

const sendOf = (userID: string, count: number, agoSeconds = 0) =>
  database.pool().query(
    `insert into outbox (queue, body, user_id, turn, visible_at)
     select 'media', to_jsonb($1 || ' ' || n), $1, n, now() - make_interval(secs => $3)
     from generate_series(1, $2::int) n`,
    [userID, count, agoSeconds],
  );

interface Plan {
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

/** A pool that records the number of pages that each outbox statement that skips a user reads. */
function explaining(pool: Pool, buffers: number[]): Pool {
  const query = async (text: string, values: unknown[]) => {
    if (!/from outbox/.test(text) || !Array.isArray(values?.at(-1))) return pool.query(text, values);
    const client = await pool.connect();
    await client.query('begin');
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (analyze, buffers, format json) ${text}`,
      values,
    );
    await client.query('rollback');
    client.release();
    const { Plan: plan } = rows[0]!['QUERY PLAN'][0];
    buffers.push(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']);
    return pool.query(text, values);
  };
  return new Proxy(pool, { get: (target, name) => (name === 'query' ? query : Reflect.get(target, name)) });
}

test('with 100,000 commands of one user, looking for those of others reads a few pages', async () => {
  const pool = database.pool();
  await pool.query('delete from outbox');
  // A turn and a notification for each would take a minute.
  await pool.query('alter table outbox disable trigger user');
  await sendOf('usr_many', flood, 60);
  await pool.query('alter table outbox enable trigger user');
  await pool.query('analyze outbox');
  const buffers: number[] = [];
  const queue = createPostgresCommandQueue({ pool: explaining(pool, buffers), log: () => {} });
  const ending = Promise.withResolvers<void>();
  const consumer = startConsumer(
    queue,
    'media',
    async ({ Records }) => {
      // Only the flooding user's file takes long.
      if (String(bodyOf(Records[0]!)).startsWith('usr_many')) await ending.promise;
      return { batchItemFailures: [] };
    },
    { lanes },
  );
  onTestFinished(() => {
    ending.resolve();
    return consumer.stop();
  });
  const received = () => consumer.received.map((record) => String(bodyOf(record)));
  await vi.waitFor(() => expect(received()).toEqual(['usr_many 1']), eventually);
  // Its first pass has found no commands of others.
  await vi.waitFor(() => expect(buffers.length).toBeGreaterThanOrEqual(2), eventually);
  for (const user of ['usr_a', 'usr_z']) {
    await sendOf(user, 1);
    await vi.waitFor(() => expect(received().at(-1)).toBe(`${user} 1`), eventually);
  }
  expect(received()).toHaveLength(3);
  expect(Math.max(...buffers)).toBeLessThan(mostBuffers);
}, 60_000);

test('a lane that becomes free while the queue is asked is not overlooked', async () => {
  const pool = database.pool();
  await pool.query('delete from outbox');
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const query = async (text: string, values: unknown[]) => {
    const result = await pool.query(text, values);
    // The claim that skips the user with a busy lane: its answer is in transit when the lane becomes free.
    const isLeaving = /from outbox/.test(text) && (values.at(-1) as unknown[])?.includes?.('usr_a');
    if (isLeaving && text.includes('update outbox')) {
      asked.resolve();
      await answer.promise;
    }
    return result;
  };
  const slow = new Proxy(pool, { get: (target, name) => (name === 'query' ? query : Reflect.get(target, name)) });
  const queue = createPostgresCommandQueue({ pool: slow, log: () => {} });
  const first = Promise.withResolvers<void>();
  await sendOf('usr_a', 2);
  await using consumer = startConsumer(
    queue,
    'media',
    async () => {
      await first.promise;
      return { batchItemFailures: [] };
    },
    { lanes },
  );
  await asked.promise;
  first.resolve();
  await expect.poll(async () => (await pool.query(`select from outbox where user_id = 'usr_a'`)).rowCount).toBe(1);
  answer.resolve();
  // A consumer without a notification polls again after five seconds.
  await vi.waitFor(() => expect(consumer.received).toHaveLength(2), { timeout: 4000, interval: 20 });
});
