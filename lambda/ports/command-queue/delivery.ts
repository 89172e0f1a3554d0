// What every queue adapter does with received records: call the handler, read its answer as Lambda would, settle, and outlast outages.
import type { SQSRecord } from 'aws-lambda';
import { setTimeout as delay } from 'node:timers/promises';
import type { QueueHandler, QueueLog } from './command-queue.ts';
import type { QueueName } from './queues.ts';

/** One queue as its adapter sees it. Both reject while the queue cannot be reached. */
export interface RecordSource {
  /** A batch, or an empty one after waiting for a while. Returns early on abort. */
  receive(): Promise<SQSRecord[]>;
  /** Removes records for good. Those that were delivered again meanwhile stay. */
  remove(records: readonly SQSRecord[]): Promise<void>;
}

export interface DeliveryOptions {
  readonly queue: QueueName;
  readonly signal: AbortSignal;
  readonly log: QueueLog;
}

/** Delivers batch after batch until the signal aborts. Never rejects. */
export async function deliverUntilAborted(
  source: RecordSource,
  handler: QueueHandler,
  { queue, signal, log }: DeliveryOptions,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    try {
      const records = await source.receive();
      const done =
        records.length > 0
          ? await handle(records, handler, (fields) => log('commands_failed', { queue, ...fields }))
          : [];
      if (done.length > 0) await source.remove(done);
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      log('queue_unreachable', { queue, failures, error: String(error) });
      await delay(retryDelayMs(failures), undefined, { signal }).catch(() => {});
    }
  }
}

/** 100 ms, doubling, at most 5 s. */
export function retryDelayMs(failures: number): number {
  return Math.min(100 * 2 ** (failures - 1), 5000);
}

/**
 * Lambda's rules for partial batch responses: named records failed; an identifier that is not in the batch fails all of it, and so does throwing.
 * Source: AWS Lambda developer guide, "Handling errors for an SQS event source in Lambda".
 */
async function handle(
  records: SQSRecord[],
  handler: QueueHandler,
  report: (fields: Record<string, unknown>) => void,
): Promise<SQSRecord[]> {
  try {
    const { batchItemFailures } = await handler({ Records: records });
    const failed = new Set(batchItemFailures.map((failure) => failure.itemIdentifier));
    if (failed.size > 0) report({ messageIds: [...failed] });
    const known = new Set(records.map((record) => record.messageId));
    return [...failed].every((id) => known.has(id)) ? records.filter((record) => !failed.has(record.messageId)) : [];
  } catch (error) {
    report({ messageIds: records.map((record) => record.messageId), error: String(error) });
    return [];
  }
}
