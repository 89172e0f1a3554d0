// The local command queue fulfils the contract, wakes at once, and survives outages of its database.
import { describe, expect, inject, test, vi } from 'vitest';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import type { QueueName } from '../../lambda/ports/command-queue/queues.ts';
import { whileDatabaseIsAway } from '../support/database-outage.ts';
import { testDatabase } from '../support/database.ts';
import { clearCommands, countCommands } from '../support/outbox-rows.ts';
import { commandQueueContract, writeCommands } from './command-queue-contract.ts';
import { bodyOf, startConsumer } from './consumer.ts';

/** Time within which only a notified consumer gets a command: the others poll less often. */
const wokenMs = 4000;
const ignoreLostConnection = () => {};

describe('Postgres command queue', () => {
  const database = testDatabase();
  const setUp = async () => {
    const pool = database.pool();
    await clearCommands(database);
    const logged: { event: string; fields: Record<string, unknown> }[] = [];
    const commandQueue = createPostgresCommandQueue({ pool, log: (event, fields) => logged.push({ event, fields }) });
    return { commandQueue, pool, logged };
  };
  const deadCommands = async (queue: QueueName) => {
    const query = 'select from outbox where queue = $1 and dead_at is not null';
    return (await database.pool().query(query, [queue])).rowCount!;
  };

  commandQueueContract(async () => ({ ...(await setUp()), deadCommands }));

  test('an idle consumer is woken by a commit', async () => {
    const { commandQueue, pool } = await setUp();
    await using consumer = startConsumer(commandQueue, 'media');
    for (const number of [1, 2, 3]) {
      await writeCommands(pool, 'media', [number]);
      await vi.waitFor(() => expect(consumer.bodies()).toHaveLength(number), { timeout: wokenMs });
    }
  });

  test('a command counts as sent when it came due, like one that was relayed then', async () => {
    const { commandQueue, pool } = await setUp();
    const hour = '1 hour';
    await pool.query(
      `insert into outbox (queue, body, created_at, visible_at)
       values ('media', '1', now() - $1::interval, now() - $1::interval), ('media', '2', now() - $1::interval, now())`,
      [hour],
    );
    await using consumer = startConsumer(commandQueue, 'media');
    await expect.poll(() => consumer.received).toHaveLength(2);
    const hoursAgo = consumer.received.map(({ attributes }) =>
      Math.round((Date.now() - Number(attributes.SentTimestamp)) / 3_600_000),
    );
    expect(hoursAgo).toEqual([1, 0]);
  });

  test('a command that was delivered and done leaves no row', async () => {
    const { commandQueue, pool } = await setUp();
    await writeCommands(pool, 'media', [1, 2, 3]);
    await using consumer = startConsumer(commandQueue, 'media');
    await expect.poll(() => consumer.bodies()).toHaveLength(3);
    await consumer.stop();
    expect(await countCommands(database)).toBe(0);
  });

  test('a handler that takes too long does not settle the next delivery of its command', async () => {
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
    await expect.poll(() => slow.received).toHaveLength(1);
    await using other = startConsumer(commandQueue, 'media', async () => {
      overtaken.resolve();
      await slow.stop();
      expect(await countCommands(database)).toBe(1);
      return { batchItemFailures: [] };
    });
    await vi.waitFor(
      () => expect(other.received.map((record) => record.attributes.ApproximateReceiveCount)).toEqual(['2']),
      { timeout: wokenMs },
    );
    await other.stop();
    expect(await countCommands(database)).toBe(0);
  });

  test('a consumer outlives its database, and is woken by commits again afterwards', async () => {
    const { commandQueue, pool, logged } = await setUp();
    pool.on('error', ignoreLostConnection);
    await using consumer = startConsumer(commandQueue, 'media');
    await writeCommands(pool, 'media', ['before']);
    await expect.poll(() => consumer.bodies()).toEqual(['before']);

    const disconnectedTwice = {
      event: 'outbox_listener_disconnected',
      fields: expect.objectContaining({ failures: 2 }),
    };
    await whileDatabaseIsAway({ databaseURL: database.url(), serverURL: inject('postgresURL') }, () =>
      vi.waitFor(() => expect(logged).toContainEqual(disconnectedTwice), { timeout: wokenMs }),
    );

    await vi.waitFor(() => writeCommands(pool, 'media', ['after']), { timeout: wokenMs });
    await vi.waitFor(() => expect(consumer.received.map(bodyOf)).toEqual(['before', 'after']), { timeout: 10_000 });
    await writeCommands(pool, 'media', ['woken']);
    await vi.waitFor(() => expect(consumer.received.map(bodyOf)).toContain('woken'), { timeout: wokenMs });
    pool.off('error', ignoreLostConnection);
  }, 20_000);

  test('the log names commands by their ids, and never has their bodies', async () => {
    const { commandQueue, pool, logged } = await setUp();
    await writeCommands(pool, 'media', ['a body']);
    await using consumer = startConsumer(commandQueue, 'media', async () =>
      Promise.reject(new Error('handler failed')),
    );
    await expect.poll(() => logged).toHaveLength(1);
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
