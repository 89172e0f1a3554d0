// The commands that wait in the outbox, as tests see them, and changes that tests make to them.
import type { Command } from '../../lambda/data/shared/outbox.ts';
import { all } from '../../lambda/data/shared/queryable.ts';
import type { WithPool } from './database.ts';

type QueueName = Command['queue'];
type BodyOf<Name extends QueueName> = Extract<Command, { queue: Name }>['body'];

/** The bodies of the commands to a queue, in the order in which they were sent. */
export async function commandsTo<Name extends QueueName>({ pool }: WithPool, queue: Name): Promise<BodyOf<Name>[]> {
  const rows = await all<{ body: BodyOf<Name> }>(pool(), 'select body from outbox where queue = $1 order by id', [
    queue,
  ]);
  return rows.map(({ body }) => body);
}

/** The number of waiting commands in all queues, due or not. */
export async function countCommands({ pool }: WithPool): Promise<number> {
  return (await all(pool(), 'select from outbox')).length;
}

/** The number of due commands in a queue. */
export async function countDueCommands({ pool }: WithPool, queue: QueueName): Promise<number> {
  return (await all(pool(), 'select from outbox where queue = $1 and visible_at <= now()', [queue])).length;
}

/** Makes every command to a queue due now. */
export async function makeCommandsDue({ pool }: WithPool, queue: QueueName): Promise<void> {
  await pool().query('update outbox set visible_at = now() where queue = $1', [queue]);
}

/** Deletes all commands, so that a test sees only later ones. */
export async function clearCommands({ pool }: WithPool): Promise<void> {
  await pool().query('delete from outbox');
}

/** Removes all commands to a queue from the outbox. @returns their bodies, in no order */
export async function takeCommands<Name extends QueueName>({ pool }: WithPool, queue: Name): Promise<BodyOf<Name>[]> {
  const rows = await all<{ body: BodyOf<Name> }>(pool(), 'delete from outbox where queue = $1 returning body', [queue]);
  return rows.map(({ body }) => body);
}
