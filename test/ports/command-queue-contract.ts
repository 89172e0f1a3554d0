// Behaviour of every command queue, whatever its implementation.
import type { Pool } from 'pg';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import type { Lanes } from '../../lambda/domain/fleet/lanes.ts';
import type { CommandQueue } from '../../lambda/ports/command-queue/command-queue.ts';
import type { QueueName } from '../../lambda/ports/command-queue/queues.ts';
import { keepSpans } from '../../lambda/telemetry/spans.ts';
import type { Span } from '../../lambda/telemetry/spans.ts';
import { newContext, traceparentOf } from '../../lambda/telemetry/trace-context.ts';
import { bodyOf, startConsumer } from './consumer.ts';

export interface CommandQueueUnderTest {
  readonly commandQueue: CommandQueue;
  readonly pool: Pool;
  /** The number of the queue's commands that were set aside as dead. */
  readonly deadCommands: (queue: QueueName) => Promise<number>;
}

/** Number of deliveries after which a command is dead. Queues of SQS have this number in their redrive policy. */
export const maxReceives = 3;
const eventually = { timeout: 20_000, interval: 20 };
/** Makes a failed delivery return after the shortest time that SQS supports. */
const comeBackSoon = { policy: { visibilitySeconds: 1, maxReceives } };
const none = { batchItemFailures: [] };
const byText = (a: string, b: string) => a.localeCompare(b);

/** Writes commands with any bodies into the outbox: the product's own functions accept only valid ones. */
export async function writeCommands(
  pool: Pick<Pool, 'query'>,
  queue: QueueName,
  bodies: readonly unknown[],
): Promise<void> {
  await pool.query('insert into outbox (queue, body) select $1, body from unnest($2::jsonb[]) as body', [
    queue,
    bodies.map((body) => JSON.stringify(body)),
  ]);
}

/** @param setUp makes empty queues, before every test */
export function commandQueueContract(setUp: () => Promise<CommandQueueUnderTest>): void {
  let underTest: CommandQueueUnderTest;
  beforeEach(async () => {
    underTest = await setUp();
  });
  const send = async (queue: QueueName, ...bodies: unknown[]) => {
    await writeCommands(underTest.pool, queue, bodies);
    await underTest.commandQueue.relay();
  };
  const consume: OmitFirst<typeof startConsumer> = (...rest) => startConsumer(underTest.commandQueue, ...rest);

  describe('delivery', () => {
    test('a command reaches the handler in the shape of an SQS event', async () => {
      await send('media', { uploadID: 'u1', nested: ['ä', 1.5, null] });
      await using consumer = consume('media');
      await vi.waitFor(() => expect(consumer.received).toHaveLength(1), eventually);
      const [record] = consumer.received;
      expect(record && bodyOf(record)).toEqual({ uploadID: 'u1', nested: ['ä', 1.5, null] });
      expect(record).toMatchObject({
        eventSource: 'aws:sqs',
        messageAttributes: {},
        attributes: { ApproximateReceiveCount: '1' },
      });
      expect(record?.eventSourceARN).toMatch(/^arn:aws:sqs:[^:]+:\d{12}:.*media$/);
      expect(Number(record?.attributes.SentTimestamp)).toBeGreaterThan(Date.now() - 60_000);
      expect(record?.messageId).not.toBe('');
      expect(record?.receiptHandle).not.toBe('');
    });

    test('a command reaches a consumer that was there before it', async () => {
      await using consumer = consume('media');
      await send('media', 1);
      await vi.waitFor(() => expect(consumer.bodies()).toEqual([1]), eventually);
    });

    test('a command that was rolled back is never delivered', async () => {
      const client = await underTest.pool.connect();
      await client.query('begin');
      await writeCommands(client, 'media', ['rolled back']);
      await underTest.commandQueue.relay();
      await client.query('rollback');
      client.release();
      await send('media', 'committed');
      await using consumer = consume('media');
      await vi.waitFor(() => expect(consumer.bodies()).toEqual(['committed']), eventually);
    });

    test('a command reaches only consumers of its queue', async () => {
      await send('imports', 'for imports');
      await send('media', 'for media');
      await using media = consume('media');
      await using imports = consume('imports');
      await vi.waitFor(
        () => expect([media.bodies(), imports.bodies()]).toEqual([['for media'], ['for imports']]),
        eventually,
      );
    });

    test('many relays and consumers at once deliver every command', async () => {
      const bodies = Array.from({ length: 130 }, (_, index) => index);
      await writeCommands(underTest.pool, 'media', bodies);
      await Promise.all(Array.from({ length: 4 }, () => underTest.commandQueue.relay()));
      await using first = consume('media');
      await using second = consume('media');
      const delivered = () => [...first.bodies(), ...second.bodies()].map(Number).sort((a, b) => a - b);
      await vi.waitFor(() => expect(delivered()).toEqual(bodies), eventually);
    });

    test('a batch is no larger than the consumer wants', async () => {
      await send('media', 1, 2, 3, 4, 5);
      const sizes: number[] = [];
      const handler = async ({ Records }: { Records: unknown[] }) => {
        sizes.push(Records.length);
        return none;
      };
      await using consumer = consume('media', handler, { batchSize: 2 });
      await vi.waitFor(() => expect(consumer.received).toHaveLength(5), eventually);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(2);
    });

    test('a consumer that stops finishes its batch before, and that is not delivered again', async () => {
      await send('media', 'in hand');
      const handling = Promise.withResolvers<void>();
      const started = Promise.withResolvers<void>();
      const consumer = consume(
        'media',
        async () => {
          started.resolve();
          await handling.promise;
          return none;
        },
        comeBackSoon,
      );
      await started.promise;
      const stopped = consumer.stop();
      handling.resolve();
      await stopped;
      await send('media', 'afterwards');
      await using next = consume('media', undefined, comeBackSoon);
      await vi.waitFor(() => expect(next.bodies()).toEqual(['afterwards']), eventually);
    });
  });

  describe('lanes', () => {
    const lanes = { count: 3, ofUser: 2, ofUnfunded: 3 } as const;
    const sendOf = async (userID: string, ...bodies: readonly string[]) => {
      await underTest.pool.query(
        `insert into outbox (queue, body, user_id) select 'media', body, $2 from unnest($1::jsonb[]) as body`,
        [bodies.map((body) => JSON.stringify(body)), userID],
      );
      await underTest.commandQueue.relay();
    };
    /** A consumer whose handler ends a command when the test does. */
    const consumeByHand = (of: Lanes) => {
      const underWay = new Map<string, () => void>();
      const consumer = consume(
        'media',
        async ({ Records }) => {
          const ending = Promise.withResolvers<void>();
          expect(Records).toHaveLength(1);
          underWay.set(String(bodyOf(Records[0]!)), ending.resolve);
          await ending.promise;
          return none;
        },
        { lanes: of },
      );
      const end = (body: string) => {
        underWay.get(body)!();
        underWay.delete(body);
      };
      const endAll = async () => {
        const stopped = consumer.stop();
        for (const body of underWay.keys()) end(body);
        await stopped;
      };
      return { underWay: () => [...underWay.keys()].toSorted(byText), end, [Symbol.asyncDispose]: endAll };
    };

    test('a user with a backlog leaves one to whoever comes', async () => {
      await sendOf('usr_many', 'many 1', 'many 2', 'many 3', 'many 4');
      await using consumer = consumeByHand(lanes);
      await vi.waitFor(() => expect(consumer.underWay()).toHaveLength(2), eventually);
      const firstOfMany = consumer.underWay();
      await sendOf('usr_one', 'one');
      await vi.waitFor(() => expect(consumer.underWay()).toEqual([...firstOfMany, 'one']), eventually);
      consumer.end('one');
      await sendOf('usr_one', 'one again');
      await vi.waitFor(() => expect(consumer.underWay()).toEqual([...firstOfMany, 'one again']), eventually);
    });

    test('what was left is taken when a piece of the same user has ended, and as often as before', async () => {
      await sendOf('usr_many', 'many 1', 'many 2', 'many 3');
      await using consumer = consumeByHand({ count: 2, ofUser: 1, ofUnfunded: 1 });
      const seen = new Set<string>();
      for (let round = 0; round < 3; round++) {
        await vi.waitFor(() => expect(consumer.underWay()).toHaveLength(1), eventually);
        const [body] = consumer.underWay();
        seen.add(body!);
        consumer.end(body!);
      }
      expect([...seen].toSorted(byText)).toEqual(['many 1', 'many 2', 'many 3']);
      expect(await underTest.deadCommands('media')).toBe(0);
    });

    test('users who are not funded leave one to whoever has paid, and take turns in theirs', async () => {
      const { users, invoices } = databaseOn(underTest.pool);
      await users.ensureUser({ id: 'usr_paid', email: 'paid@example.com', name: 'paid' });
      const grant = { type: 'adjustment', method: 'grant', cost: 0, credits: 100 } as const;
      await invoices.ensurePaid({ id: 'inv_paid', userID: 'usr_paid', ...grant });
      const free = ['free 1', 'free 2', 'free 3', 'free 4'];
      for (const body of free) await sendOf(`usr_${body}`, body);
      await using consumer = consumeByHand({ count: 2, ofUser: 1, ofUnfunded: 1 });
      await vi.waitFor(() => expect(consumer.underWay()).toHaveLength(1), eventually);
      const [first = ''] = consumer.underWay();
      for (const body of ['paid 1', 'paid 2']) {
        await sendOf('usr_paid', body);
        await vi.waitFor(() => expect(consumer.underWay()).toEqual([first, body]), eventually);
        consumer.end(body);
      }
      await send('media', 'of no user');
      await vi.waitFor(() => expect(consumer.underWay()).toEqual([first, 'of no user']), eventually);
      consumer.end('of no user');
      const seen = new Set<string>();
      for (const _ of free) {
        await vi.waitFor(() => expect(consumer.underWay()).toHaveLength(1), eventually);
        const [body = ''] = consumer.underWay();
        seen.add(body);
        consumer.end(body);
      }
      expect([...seen].toSorted(byText)).toEqual(free);
      expect(await underTest.deadCommands('media')).toBe(0);
    });

    test('commands of nobody take any lane', async () => {
      await send('media', 1, 2, 3, 4);
      await using consumer = consumeByHand(lanes);
      await vi.waitFor(() => expect(consumer.underWay()).toHaveLength(3), eventually);
    });
  });

  test('a command belongs to the trace of whoever wrote it, also where it waits for a lane', async () => {
    const spans: Span[] = [];
    keepSpans({ share: 1, clock: () => Date.now(), keep: (span) => void spans.push(span) });
    onTestFinished(() => keepSpans(null));
    const writers = ['one', 'two', 'three'].map((body) => ({ body, context: newContext(null, 1) }));
    await underTest.pool.query(
      `insert into outbox (queue, body, user_id, traceparent)
       select 'media', body, 'usr_one', traceparent from unnest($1::jsonb[], $2::text[]) as w (body, traceparent)`,
      [writers.map(({ body }) => JSON.stringify(body)), writers.map(({ context }) => traceparentOf(context))],
    );
    await underTest.commandQueue.relay();
    await using consumer = consume('media', undefined, { lanes: { count: 2, ofUser: 1, ofUnfunded: 1 } });
    await vi.waitFor(() => expect(new Set(consumer.bodies()).size).toBe(writers.length), eventually);
    await consumer.stop();
    const inTraceOf = ({ context: { traceID, spanID } }: (typeof writers)[number]) =>
      spans.filter(
        ({ name, context, parentSpanID }) =>
          name === 'process media' && context.traceID === traceID && parentSpanID === spanID,
      ).length;
    expect(writers.filter((writer) => inTraceOf(writer) === 0)).toEqual([]);
  });

  test('who rests receives nothing, and what comes meanwhile afterwards', async () => {
    let isResting = true;
    const asked = Promise.withResolvers<void>();
    await using resting = consume('media', undefined, {
      isResting: () => {
        asked.resolve();
        return isResting;
      },
    });
    await asked.promise;
    await send('media', 'meanwhile');
    // A command that it has requested may still be delivered to it after the stop, and must return.
    await using other = consume('media', undefined, comeBackSoon);
    await vi.waitFor(() => expect(other.bodies()).toEqual(['meanwhile']), eventually);
    await other.stop();
    expect(resting.received).toEqual([]);
    await send('media', 'afterwards');
    isResting = false;
    await vi.waitFor(() => expect(resting.bodies()).toEqual(['afterwards']), eventually);
  });

  describe('failure', () => {
    test('only the records that failed come back, with the number of the delivery', async () => {
      await send('media', 'good', 'bad');
      await using consumer = consume(
        'media',
        async ({ Records }) => {
          const failed = Records.filter(
            (record) => bodyOf(record) === 'bad' && record.attributes.ApproximateReceiveCount === '1',
          );
          return { batchItemFailures: failed.map((record) => ({ itemIdentifier: record.messageId })) };
        },
        comeBackSoon,
      );
      const deliveries = () =>
        consumer.received
          .map((record) => `${String(bodyOf(record))} ${record.attributes.ApproximateReceiveCount}`)
          .toSorted(byText);
      await vi.waitFor(() => expect(deliveries()).toEqual(['bad 1', 'bad 2', 'good 1']), eventually);
      expect(new Set(consumer.received.map((record) => record.messageId)).size).toBe(2);
    });

    test.each([
      ['that throws', async () => Promise.reject(new Error('handler failed'))],
      ['that names a record it was not given', async () => ({ batchItemFailures: [{ itemIdentifier: 'unknown' }] })],
      ['that names nothing', async () => ({ batchItemFailures: [{ itemIdentifier: '' }] })],
    ])('the whole batch of a handler %s comes back', async (_, fail) => {
      await send('media', 1, 2);
      await using consumer = consume(
        'media',
        async ({ Records }) =>
          Records.some((record) => record.attributes.ApproximateReceiveCount === '1') ? fail() : none,
        comeBackSoon,
      );
      await vi.waitFor(
        () => expect(consumer.bodies().map(String).toSorted(byText)).toEqual(['1', '1', '2', '2']),
        eventually,
      );
    });

    test('a command that keeps failing is set aside as dead, and others go on', async () => {
      await send('media', 'poison');
      await using consumer = consume(
        'media',
        async ({ Records }) => {
          const failed = Records.filter((record) => bodyOf(record) === 'poison');
          return { batchItemFailures: failed.map((record) => ({ itemIdentifier: record.messageId })) };
        },
        comeBackSoon,
      );
      await vi.waitFor(async () => expect(await underTest.deadCommands('media')).toBe(1), eventually);
      expect(consumer.received.map((record) => record.attributes.ApproximateReceiveCount)).toEqual(['1', '2', '3']);
      await send('media', 'good');
      await vi.waitFor(() => expect(consumer.bodies().at(-1)).toBe('good'), eventually);
    });
  });
}

type OmitFirst<F> = F extends (first: never, ...rest: infer R) => infer T ? (...rest: R) => T : never;
