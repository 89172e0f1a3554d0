// The command queue of one machine keeps the contract, wakes at once, and outlives outages of its database.
import { describe, expect, inject, test, vi } from 'vitest';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import { onServer, testDatabase } from '../support/database.ts';
import { commandQueueContract, writeCommands } from './command-queue-contract.ts';
import { bodyOf, startConsumer } from './consumer.ts';

/** Less than the interval at which a consumer looks without being woken. */
const wokenMs = 4000;
const ignoreLostConnection = () => {};

describe('Postgres command queue', () => {
  const database = testDatabase();
  const setUp = async () => {
    const pool = database.pool();
    await pool.query('truncate outbox');
    const logged: { event: string; fields: Record<string, unknown> }[] = [];
    const commandQueue = createPostgresCommandQueue({ pool, log: (event, fields) => logged.push({ event, fields }) });
    return { commandQueue, pool, logged };
  };
  const count = async (condition: string) => {
    const { rows } = await database
      .pool()
      .query<{ count: number }>(`select count(*)::int from outbox where ${condition}`);
    return rows[0]?.count;
  };

  commandQueueContract(async () => ({
    ...(await setUp()),
    deadCommands: async (queue) => (await count(`queue = '${queue}' and dead_at is not null`)) ?? 0,
  }));

  test('an idle consumer is woken by a commit', async () => {
    const { commandQueue, pool } = await setUp();
    await using consumer = startConsumer(commandQueue, 'media');
    for (const number of [1, 2, 3]) {
      await writeCommands(pool, 'media', [number]);
      await vi.waitFor(() => expect(consumer.bodies()).toHaveLength(number), { timeout: wokenMs });
    }
  });

  test('what was delivered and done leaves no row', async () => {
    const { commandQueue, pool } = await setUp();
    await writeCommands(pool, 'media', [1, 2, 3]);
    await using consumer = startConsumer(commandQueue, 'media');
    await vi.waitFor(() => expect(consumer.bodies()).toHaveLength(3));
    await consumer.stop();
    expect(await count('true')).toBe(0);
  });

  test('a handler that outlasts its visibility does not settle the delivery that followed', async () => {
    const { commandQueue, pool } = await setUp();
    await writeCommands(pool, 'media', ['slow']);
    const overtaken = Promise.withResolvers<void>();
    await using slow = startConsumer(
      commandQueue,
      'media',
      async ({ Records }) => {
        if (Records[0]?.attributes.ApproximateReceiveCount === '1') await overtaken.promise;
        return { batchItemFailures: [] };
      },
      { policy: { visibilitySeconds: 1, maxReceives: 5 } },
    );
    await vi.waitFor(() => expect(slow.received).toHaveLength(1));
    await using other = startConsumer(commandQueue, 'media', async () => {
      overtaken.resolve();
      await slow.stop();
      expect(await count('true')).toBe(1);
      return { batchItemFailures: [] };
    });
    await vi.waitFor(
      () => expect(other.received.map((record) => record.attributes.ApproximateReceiveCount)).toEqual(['2']),
      { timeout: wokenMs },
    );
    await other.stop();
    expect(await count('true')).toBe(0);
  });

  test('a consumer outlives its database, and is woken by commits again afterwards', async () => {
    const { commandQueue, pool, logged } = await setUp();
    pool.on('error', ignoreLostConnection);
    const name = new URL(database.url()).pathname.slice(1);
    await using consumer = startConsumer(commandQueue, 'media');
    await writeCommands(pool, 'media', ['before']);
    await vi.waitFor(() => expect(consumer.bodies()).toEqual(['before']));

    await onServer(inject('postgresURL'), `alter database "${name}" allow_connections false`);
    await onServer(
      inject('postgresURL'),
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
    await vi.waitFor(
      () =>
        expect(logged).toContainEqual({
          event: 'outbox_listener_disconnected',
          fields: expect.objectContaining({ failures: 2 }),
        }),
      { timeout: wokenMs },
    );
    await onServer(inject('postgresURL'), `alter database "${name}" allow_connections true`);

    await vi.waitFor(() => writeCommands(pool, 'media', ['after']), { timeout: wokenMs });
    await vi.waitFor(() => expect(consumer.received.map(bodyOf)).toEqual(['before', 'after']), { timeout: 10_000 });
    await writeCommands(pool, 'media', ['woken']);
    await vi.waitFor(() => expect(consumer.received.map(bodyOf)).toContain('woken'), { timeout: wokenMs });
    pool.off('error', ignoreLostConnection);
  }, 20_000);

  test('what is logged names commands and never shows them', async () => {
    const { commandQueue, pool, logged } = await setUp();
    await writeCommands(pool, 'media', ['a body']);
    await using consumer = startConsumer(commandQueue, 'media', async () =>
      Promise.reject(new Error('handler failed')),
    );
    await vi.waitFor(() => expect(logged).toHaveLength(1));
    expect(logged).toEqual([
      {
        event: 'commands_failed',
        fields: {
          queue: 'media',
          messageIds: consumer.received.map((record) => record.messageId),
          error: 'Error: handler failed',
        },
      },
    ]);
  });
});
