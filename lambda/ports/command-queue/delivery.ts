// Delivers received records to a handler, for all adapters: reads its answer as Lambda would, and waits out outages.
import type { SQSRecord } from 'aws-lambda';
import { setTimeout as delay } from 'node:timers/promises';
import type { QueueHandler, QueueLog } from './command-queue.ts';
import type { QueueName } from './queues.ts';

/** A queue as its adapter sees it. Both methods reject while the queue cannot be reached. */
export interface RecordSource {
  /** Waits for records; answers none after a while, and once the signal aborts. */
  receive(): Promise<SQSRecord[]>;
  /** Removes records for good, but for those that were delivered again meanwhile. */
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
      if (records.length > 0) {
        const handled = await handle(records, handler, (fields) => log('commands_failed', { queue, ...fields }));
        if (handled.length > 0) await source.remove(handled);
      }
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      log('queue_unreachable', { queue, failures, error: String(error) });
      await delay(retryDelayMs(failures), undefined, { signal }).catch(() => {});
    }
  }
}

/** How long to wait after so many failures in a row: 100 ms, doubled each time, at most 5 s. */
export function retryDelayMs(failures: number): number {
  return Math.min(100 * 2 ** (failures - 1), 5000);
}

/**
 * Calls the handler and reads its answer by Lambda's rules for partial batch responses: the records that it names have
 * failed; if it names one that is not in the batch, or throws, all have failed. (AWS Lambda developer guide, "Handling
 * errors for an SQS event source in Lambda".)
 * @returns the records that were handled
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
