// The local timers fulfil the contract, and a new time survives the delivery of the old one.
import { describe, expect, test } from 'vitest';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import { createOutboxTimers } from '../../lambda/ports/timers/outbox-timers.ts';
import { testDatabase } from '../support/database.ts';
import { clearCommands } from '../support/outbox-rows.ts';
import { startConsumer } from './consumer.ts';
import { timersContract } from './timers-contract.ts';

describe('outbox timers', () => {
  const database = testDatabase();
  const setUp = async () => {
    const pool = database.pool();
    await clearCommands(database);
    const armed = async () => (await pool.query('select from outbox where timer_id is not null')).rows.length;
    return {
      timers: createOutboxTimers(pool),
      commandQueue: createPostgresCommandQueue({ pool, log: () => {} }),
      armed,
    };
  };

  timersContract(setUp);

  test('a timer armed again by its own handler fires again', async () => {
    const { timers, commandQueue, armed } = await setUp();
    await timers.arm('heartbeat', new Date(), 1);
    await using consumer = startConsumer(commandQueue, 'timers', async ({ Records }) => {
      if (Records[0]?.body === '1') await timers.arm('heartbeat', new Date(), 2);
      return { batchItemFailures: [] };
    });
    await expect.poll(() => consumer.bodies()).toEqual([1, 2]);
    await expect.poll(() => armed()).toBe(0);
  });
});
