// Commands about dead letters: queue commands that failed too often.
import * as z from 'zod';
import type { DeadLetter } from '../../ports/dead-letters/dead-letters.ts';
import { queueNames } from '../../ports/command-queue/queues.ts';
import type { QueueName } from '../../ports/command-queue/queues.ts';
import { operatorCommand, OperatorRefusal, shortText } from '../command.ts';
import type { Row } from '../command.ts';

const mostListed = 100;
const queueArg = z.enum(queueNames as [QueueName, ...QueueName[]], `is none of ${queueNames.join(', ')}`);

export const listDeadLetters = operatorCommand({
  noun: 'dead-letters',
  verb: 'list',
  summary: `lists dead commands of a queue: ${queueNames.join(', ')}`,
  changes: false,
  args: { queue: queueArg },
  async handle({ deadLetters }, { queue }) {
    const letters = await deadLetters.list(queue, mostListed);
    return {
      says: `Dead commands of ${queue}: ${letters.length === mostListed ? `the first ${mostListed}` : letters.length}.`,
      rows: letters.map(rowOf),
    };
  },
});

export const requeueDeadLetters = operatorCommand({
  noun: 'dead-letters',
  verb: 'requeue',
  summary: 'sends dead commands of a queue again: one by its id, or all',
  changes: true,
  args: { queue: queueArg, id: shortText },
  async handle({ deadLetters, isDry }, { queue, id }) {
    if (queue === 'timers')
      throw new OperatorRefusal('Timers only wake somebody up, and a sweep has done meanwhile what they were for.');
    const ids = id === 'all' ? null : [id];
    const letters = isDry
      ? (await deadLetters.list(queue, mostListed)).filter((letter) => ids?.includes(letter.id) ?? true)
      : await deadLetters.requeue(queue, ids, mostListed);
    if (letters.length === 0) throw new OperatorRefusal(`There is no such dead command of ${queue}.`);
    return {
      says: `Commands of ${queue} that are sent again: ${letters.length}.`,
      rows: letters.map(rowOf),
      subjects: letters.map((letter) => letter.id),
    };
  },
});

function rowOf({ id, sentAt, body }: DeadLetter): Row {
  return { id, sent: sentAt, command: body };
}
