// The command queue port: commands written to the outbox with the change that caused them, delivered at least once to a handler.
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { QueueName, QueuePolicy } from './queues.ts';

/** What an outbox row carries. The body is JSON, small (a wake-up with ids, at most 256 KiB), and holds no secret. */
export interface Command {
  readonly queue: QueueName;
  readonly body: unknown;
}

/**
 * The function that a Lambda exports and that a container or this machine runs as it is.
 * It names the records that failed; those are delivered again. Throwing, or naming a record that is not in the batch, fails the whole batch.
 */
export type QueueHandler = (event: SQSEvent) => Promise<SQSBatchResponse>;

export interface ConsumeOptions {
  /** Ends the consumption: nothing more is received, and `consume` resolves once the batch in hand is settled. */
  readonly signal: AbortSignal;
  /** Records per call of the handler at most, 1 to 10 (the limit of SQS). */
  readonly batchSize?: number;
  /** Instead of the queue's own. On SQS the deliveries are counted by the queue's redrive policy. */
  readonly policy?: QueuePolicy;
}

export const defaultBatchSize = 10;

/** At least once, in no order. */
export interface CommandQueue {
  /** Moves committed outbox rows to where consumers get them. Safe to call from many processes at once. Answers how many it moved. */
  relay(): Promise<number>;
  /** Runs the handler on batches, one at a time, until the signal aborts. Outages of the queue are logged and waited out, never thrown. */
  consume(queue: QueueName, handler: QueueHandler, options: ConsumeOptions): Promise<void>;
}

/** Where the adapters report. Fields never hold the body of a command. */
export type QueueLog = (event: string, fields: Record<string, unknown>) => void;
