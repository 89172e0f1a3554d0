// The command queue of AWS fulfils the contract, and loses no command that SQS does not accept.
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import type { Log } from '../../lambda/log.ts';
import { queueNames } from '../../lambda/ports/command-queue/queues.ts';
import type { QueueName } from '../../lambda/ports/command-queue/queues.ts';
import { createSQSCommandQueue } from '../../lambda/ports/command-queue/sqs-command-queue.ts';
import { findAWSEmulator } from '../support/aws-emulator.ts';
import { testDatabase } from '../support/database.ts';
import { clearCommands, makeCommandsDue } from '../support/outbox-rows.ts';
import { commandQueueContract, maxReceives, writeCommands } from './command-queue-contract.ts';
import { startConsumer } from './consumer.ts';

const emulator = await findAWSEmulator();

describe.skipIf(emulator.missing)(`SQS command queue ${emulator.note}`, { timeout: 30_000 }, () => {
  const sqs = new SQSClient(emulator.clientConfig);
  const database = testDatabase();
  afterAll(() => emulator.stop());

  const createQueue = async (name: string, deadLetterARN?: string) => {
    const Attributes =
      deadLetterARN === undefined
        ? {}
        : { RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadLetterARN, maxReceiveCount: maxReceives }) };
    const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes }));
    const attributes = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
    return { url: QueueUrl, arn: attributes.Attributes?.QueueArn };
  };
  const messagesIn = async (QueueUrl: string) => {
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] }),
    );
    return Number(Attributes?.ApproximateNumberOfMessages);
  };
  const setUp = async () => {
    const pool = database.pool();
    await clearCommands(database);
    const prefix = randomUUID();
    const made = await Promise.all(
      queueNames.map(async (queue) => {
        const dead = await createQueue(`${prefix}-${queue}-dead`);
        return { queue, dead: dead.url, url: (await createQueue(`${prefix}-${queue}`, dead.arn)).url };
      }),
    );
    const urlOf = (queue: QueueName, kind: 'url' | 'dead') => made.find((each) => each.queue === queue)?.[kind] ?? '';
    const queueURLs = { media: urlOf('media', 'url'), imports: urlOf('imports', 'url') };
    const logged: { event: string; fields: Record<string, unknown> }[] = [];
    const log: Log = (event, fields) => void logged.push({ event, fields });
    const options = { client: emulator.clientConfig, pool, queueURLs, log };
    return {
      commandQueue: createSQSCommandQueue(options),
      pool,
      logged,
      options,
      prefix,
      deadCommands: (queue: QueueName) => messagesIn(urlOf(queue, 'dead')),
    };
  };
  /** The rows that were not accepted yet. */
  const rowsLeft = async () => {
    const query = 'select queue, body, receives, dead_at is not null as dead from outbox order by id';
    return (await database.pool().query(query)).rows;
  };

  commandQueueContract(setUp);

  test('the relay says how many rows it has moved, and leaves none of them', async () => {
    const { commandQueue, pool } = await setUp();
    const bodies = Array.from({ length: 25 }, (_, index) => index);
    await writeCommands(pool, 'media', bodies);
    expect(await commandQueue.relay()).toBe(25);
    expect(await rowsLeft()).toEqual([]);
    expect(await commandQueue.relay()).toBe(0);
  });

  test('rows of a queue that cannot be reached go later, and those of other queues go now', async () => {
    const { commandQueue, pool, options, logged } = await setUp();
    const missing = new URL(options.queueURLs.imports.replace('imports', 'missing')).href;
    const halfReachable = createSQSCommandQueue({ ...options, queueURLs: { ...options.queueURLs, imports: missing } });
    await writeCommands(pool, 'imports', ['waits']);
    await writeCommands(pool, 'media', ['goes']);
    expect(await halfReachable.relay()).toBe(1);
    expect(await rowsLeft()).toEqual([{ queue: 'imports', body: 'waits', receives: 1, dead: false }]);
    expect(logged.map(({ event }) => event)).toEqual(['relay_failed']);

    await makeCommandsDue(database, 'imports');
    expect(await commandQueue.relay()).toBe(1);
    await using consumer = startConsumer(commandQueue, 'imports');
    await expect.poll(() => consumer.bodies()).toEqual(['waits']);
  });

  test('rows of a queue without a URL here are left for a process that has one', async () => {
    const { commandQueue, pool } = await setUp();
    await writeCommands(pool, 'publish-ffmpeg', ['not ours']);
    expect(await commandQueue.relay()).toBe(0);
    expect(await rowsLeft()).toHaveLength(1);
    const consuming = commandQueue.consume('publish-ffmpeg', async () => ({ batchItemFailures: [] }), {
      signal: AbortSignal.timeout(0),
    });
    await expect(consuming).rejects.toThrow('no queue URL was given for publish-ffmpeg');
  });

  test('a command that SQS will never take is set aside as dead, and others go', async () => {
    const { commandQueue, pool } = await setUp();
    await writeCommands(pool, 'media', ['x'.repeat(2 * 1024 ** 2), 'small']);
    expect(await commandQueue.relay()).toBe(1);
    expect(await rowsLeft()).toMatchObject([{ dead: true }]);
  });
});
