// A consumer for tests: it keeps the received records, and stops at the end of its scope.
import type { SQSRecord } from 'aws-lambda';
import type { CommandQueue, ConsumeOptions, QueueHandler } from '../../lambda/ports/command-queue/command-queue.ts';
import type { QueueName } from '../../lambda/ports/command-queue/queues.ts';

export interface TestConsumer extends AsyncDisposable {
  /** The records in order of arrival, including repeated deliveries. */
  readonly received: SQSRecord[];
  /** The bodies of `received`. */
  bodies(): unknown[];
  /** Stops the consumer, and resolves once it has stopped. */
  stop(): Promise<void>;
}

const succeed: QueueHandler = async () => ({ batchItemFailures: [] });

export function startConsumer(
  commandQueue: CommandQueue,
  queue: QueueName,
  handler = succeed,
  options: Omit<ConsumeOptions, 'signal'> = {},
): TestConsumer {
  const received: SQSRecord[] = [];
  const controller = new AbortController();
  const recording: QueueHandler = (event) => {
    received.push(...event.Records);
    return handler(event);
  };
  const consuming = commandQueue.consume(queue, recording, { ...options, signal: controller.signal });
  const stop = async () => {
    controller.abort();
    await consuming;
  };
  return { received, bodies: () => received.map(bodyOf), stop, [Symbol.asyncDispose]: stop };
}

export function bodyOf(record: SQSRecord): unknown {
  return JSON.parse(record.body);
}
