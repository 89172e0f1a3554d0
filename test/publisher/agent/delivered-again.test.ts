// Commands that a queue delivers several times at once, or too late: none takes effect twice, and none fails.
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { CommandQueue, QueueLog } from '../../../lambda/ports/command-queue/command-queue.ts';
import { createPostgresCommandQueue } from '../../../lambda/ports/command-queue/postgres-command-queue.ts';
import { queueNames } from '../../../lambda/ports/command-queue/queues.ts';
import type { QueueName } from '../../../lambda/ports/command-queue/queues.ts';
import { createSQSCommandQueue } from '../../../lambda/ports/command-queue/sqs-command-queue.ts';
import { createSealer } from '../../../lambda/ports/sealer/sealer.ts';
import { createTimersHandler } from '../../../lambda/jobs/timers.ts';
import { actorsOn, inFuture, startOptions } from '../../support/actors.ts';
import { writeCommands } from '../../ports/command-queue-contract.ts';
import { startConsumer } from '../../ports/consumer.ts';
import { findAWSEmulator } from '../../support/aws-emulator.ts';
import { startFaultyIngest } from '../../support/faulty-ingest.ts';
import { countCommands } from '../../support/outbox-rows.ts';
import { fleetOfFile } from '../../support/prepared-fleet.ts';
import { testDataKey, testService } from '../../support/service.ts';
import { startReceiver } from '../../webhooks/receiver.ts';
import { testSender } from '../../webhooks/sender.ts';

const emulator = await findAWSEmulator();
const copies = 4;
const patience = { timeout: 30_000 };

const service = testService();
const actors = actorsOn(service);
const { call, causes, stream } = actors;
const fleet = fleetOfFile(service, actors);
afterAll(() => emulator.stop());

interface Adapter {
  readonly queue: CommandQueue;
  /** Counts the unfinished commands: waiting, being delivered, or dead. */
  readonly left: () => Promise<number>;
}

async function onPostgres(log: QueueLog): Promise<Adapter> {
  return { queue: createPostgresCommandQueue({ pool: service.pool(), log }), left: () => countCommands(service) };
}

async function onSQS(log: QueueLog): Promise<Adapter> {
  const sqs = new SQSClient(emulator.clientConfig);
  const prefix = randomUUID();
  const createQueue = async (name: QueueName): Promise<[QueueName, string]> => {
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: `${prefix}-${name}` }));
    return [name, QueueUrl!];
  };
  const made = await Promise.all(queueNames.map(createQueue));
  const messagesIn = async (QueueUrl: string) => {
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({
        QueueUrl,
        AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
      }),
    );
    const waiting = Number(Attributes?.ApproximateNumberOfMessages);
    const delivered = Number(Attributes?.ApproximateNumberOfMessagesNotVisible);
    return waiting + delivered;
  };
  const queueURLs = Object.fromEntries(made) as Record<QueueName, string>;
  return {
    queue: createSQSCommandQueue({ client: emulator.clientConfig, pool: service.pool(), queueURLs, log }),
    left: async () => {
      const counts = await Promise.all(made.map(([, url]) => messagesIn(url)));
      return counts.reduce((sum, count) => sum + count, await countCommands(service));
    },
  };
}

describe.each([
  ['Postgres', onPostgres, false],
  [`SQS ${emulator.note}`, onSQS, emulator.missing],
] as const)('on %s', (_, open, isMissing) => {
  describe.skipIf(isMissing)('a command', { timeout: 60_000 }, () => {
    let adapter: Adapter;
    let logged: string[];
    beforeEach(async () => {
      logged = [];
      adapter = await open((event, fields) => void logged.push(JSON.stringify({ event, ...fields })));
    });

    /** Sends a command several times, and waits until all copies are finished. */
    async function deliver(queue: QueueName, body: unknown): Promise<void> {
      await writeCommands(
        service.pool(),
        queue,
        Array.from({ length: copies }, () => body),
      );
      await adapter.queue.relay();
      await expect.poll(() => adapter.left(), patience).toBe(0);
    }

    it('to publish starts a stream once, and not again when the stream has ended or is deleted', async () => {
      await using ingest = await startFaultyIngest();
      for (const name of ['first', 'second']) fleet().agent(name, { queue: adapter.queue });
      const id = await fleet().stream({ rtmpURL: ingest.rtmpURL }, 'key');
      const again = () => deliver('publish-manifest', { streamID: id });
      const pictures = () => ingest.keys.get('live/key')?.publications[0]?.pictures ?? 0;
      await again();
      await expect.poll(pictures, patience).toBeGreaterThan(30);
      await again();
      await expect.poll(async () => (await stream(id)).state, patience).toBe('active');
      await call('POST', `/streams/${id}/stop`);
      await again();
      await expect.poll(async () => (await stream(id)).state, patience).toBe('stopped');
      await again();
      expect((await causes(id)).filter((cause) => cause === 'start')).toHaveLength(1);
      expect((await call('DELETE', `/streams/${id}`)).status).toBe(204);
      await again();
      expect(ingest.keys.get('live/key')!.publications).toHaveLength(1);
      expect([logged, fleet().logged.filter(({ event }) => event === 'agent_hindered')]).toEqual([[], []]);
    });

    it('of a timer starts a stream once, and not again when the stream has ended or is deleted', async () => {
      const handler = createTimersHandler({
        pool: service.pool(),
        queue: adapter.queue,
        startOptions,
        clock: () => new Date(),
      });
      await using one = startConsumer(adapter.queue, 'timers', handler, { batchSize: 1 });
      await using other = startConsumer(adapter.queue, 'timers', handler, { batchSize: 1 });
      const received = () => one.received.length + other.received.length;
      const id = await actors.readyStream();
      await call('POST', `/streams/${id}/schedule`, { scheduleStartAt: inFuture(600) });
      await actors.fallDue(id, 'schedule_start');
      const again = async () => {
        const before = received();
        await writeCommands(
          service.pool(),
          'timers',
          Array.from({ length: copies }, () => ({ streamID: id })),
        );
        await adapter.queue.relay();
        await expect.poll(received, patience).toBe(before + copies);
      };
      await again();
      await expect.poll(() => causes(id), patience).toEqual(['schedule', 'schedule_start']);
      await call('POST', `/streams/${id}/stop`);
      await expect.poll(async () => (await stream(id)).state, patience).toBe('stopped');
      const before = await causes(id);
      await again();
      expect(await causes(id)).toEqual(before);
      expect((await call('DELETE', `/streams/${id}`)).status).toBe(204);
      await again();
      expect(logged).toEqual([]);
    });

    it('to a webhook sends an event once, and nothing when the webhook is deleted', async () => {
      await using receiver = await startReceiver();
      const { handler } = testSender(service.pool(), createSealer([testDataKey]));
      const { id } = (await call('POST', '/webhooks', { url: receiver.url, events: ['stream.state_changed'] }))
        .body as { id: string };
      await call('POST', `/streams/${await actors.create('/streams', {})}/schedule`, {
        scheduleStartAt: inFuture(600),
      });
      await using _one = startConsumer(adapter.queue, 'webhooks', handler, { batchSize: 1 });
      await using _other = startConsumer(adapter.queue, 'webhooks', handler, { batchSize: 1 });
      await deliver('webhooks', { webhookID: id });
      expect(receiver.received).toHaveLength(1);
      await call('DELETE', `/webhooks/${id}`);
      await deliver('webhooks', { webhookID: id });
      expect(receiver.received).toHaveLength(1);
      expect(logged).toEqual([]);
    });
  });
});
