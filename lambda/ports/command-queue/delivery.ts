// Delivery of received records to a handler, for all adapters: reads its answer as Lambda does, and waits out outages.
import type { SQSRecord } from 'aws-lambda';
import { setTimeout as delay } from 'node:timers/promises';
import { BusyLanes } from './busy-lanes.ts';
import type { ConsumeOptions, QueueHandler, QueueLog } from './command-queue.ts';
import { tracedRecords } from '../../telemetry/traced-records.ts';
import { ownerOf } from './message-attributes.ts';
import type { QueueName } from './queues.ts';

/** A queue as its adapter sees it. Both methods reject while the queue is unreachable. */
export interface RecordSource {
  /**
   * Waits for records. Returns none after a while, when a lane becomes free, and once the signal aborts.
   * @param lanes users with all their lanes taken are skipped
   */
  receive(lanes: BusyLanes): Promise<SQSRecord[]>;
  /** Removes records for good, except those that were delivered again meanwhile. */
  remove(records: readonly SQSRecord[]): Promise<void>;
}

export interface DeliveryOptions extends Pick<ConsumeOptions, 'signal' | 'lanes' | 'room' | 'isResting'> {
  readonly queue: QueueName;
  readonly log: QueueLog;
}

const restsForMs = 1000;
const oneLane = { count: 1, ofUser: 1, ofUnfunded: 1 } as const;

/** Delivers batches until the signal aborts and the work under way has ended. Never rejects. */
export async function deliverUntilAborted(
  source: RecordSource,
  handler: QueueHandler,
  { queue, signal, log, lanes = oneLane, room, isResting = () => false }: DeliveryOptions,
): Promise<void> {
  let failures = 0;
  const trying = async (work: () => Promise<void>) => {
    try {
      await work();
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      log('queue_unreachable', { queue, failures, error: String(error) });
      await delay(retryDelayMs(failures), undefined, { signal }).catch(() => {});
    }
  };
  const carryOut = async (records: SQSRecord[]) => {
    const handled = await handle(records, traced, (fields) => log('commands_failed', { queue, ...fields }));
    if (handled.length > 0) await source.remove(handled);
  };
  const traced = tracedRecords(queue, handler);
  const busy = room ?? new BusyLanes(lanes);
  while (!signal.aborted) {
    await busy.untilFree(signal);
    if (signal.aborted) break;
    if (isResting()) {
      await delay(restsForMs, undefined, { signal }).catch(() => {});
      continue;
    }
    await trying(async () => {
      const records = await source.receive(busy);
      if (records.length === 0) return;
      if (room) await carryOut(records);
      else busy.begin(ownerOf(records[0]!), () => trying(() => carryOut(records)), waitedMs(records[0]!));
    });
  }
  if (!room) await busy.untilIdle();
}

function waitedMs({ attributes }: SQSRecord): number {
  return Date.now() - Number(attributes.SentTimestamp);
}

/** Delay after consecutive failures: 100 ms, doubled each time, 5 s at most. */
export function retryDelayMs(failures: number): number {
  return Math.min(100 * 2 ** (failures - 1), 5000);
}

/**
 * Calls the handler and reads its answer by Lambda's rules for partial batch responses: the records that it names have
 * failed; if it names one outside the batch, or throws, all have failed. (AWS Lambda developer guide, "Handling errors
 * for an SQS event source in Lambda".)
 * @returns handled records
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
