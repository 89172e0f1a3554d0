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

it('says whether others have work that waits or is under way, and not whether its user has', async () => {
  const { outbox } = databaseOn(database.pool());
  await database.pool().query('delete from outbox');
  const ask = async (userID: string, queue: string) => {
    const command = `insert into outbox (queue, body, user_id) values ($1, '{}', $2)`;
    await database.pool().query(command, [queue, userID]);
  };
  await ask('usr_b', 'media');
  await ask('usr_a', 'webhooks');
  expect(await outbox.hasWorkOfOthers('usr_b')).toBe(false);
  expect(await outbox.hasWorkOfOthers('usr_a')).toBe(true);
  expect(await outbox.hasWorkOfOthers('usr_c')).toBe(true);
  await ask('usr_a', 'imports');
  expect(await outbox.hasWorkOfOthers('usr_b')).toBe(true);
});
