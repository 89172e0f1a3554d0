// The outbox accepts commands of every queue.
import { expect, it } from 'vitest';
import type { Command } from '../../../lambda/data/shared/outbox.ts';
import { databaseOn } from '../../../lambda/data/database.ts';
import { queueNames } from '../../../lambda/ports/command-queue/queues.ts';
import { testDatabase } from '../../support/database.ts';

const database = testDatabase();

it.each(queueNames)('takes a command of the queue %s, which the check of its table has to allow', async (queue) => {
  await databaseOn(database.pool()).outbox.send({ queue, body: {} } as unknown as Command);
  const { rows } = await database.pool().query('select queue from outbox where queue = $1', [queue]);
  expect(rows).toEqual([{ queue }]);
});
