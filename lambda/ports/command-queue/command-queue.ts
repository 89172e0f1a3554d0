// Port of the command queue. A command is written to the outbox with its cause, and delivered at least once.
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { Lanes } from '../../domain/fleet/lanes.ts';
import type { Log } from '../../log.ts';
import type { BusyLanes } from './busy-lanes.ts';
import type { QueueName, QueuePolicy } from './queues.ts';

/**
 * Handler that a Lambda exports, and that a container or the local run calls unchanged. It answers with the failed
 * records, which are delivered again. If it throws, or names a record outside the batch, the whole batch has failed.
 */
export type QueueHandler = (event: SQSEvent) => Promise<SQSBatchResponse>;

export interface ConsumeOptions {
  /** Ends the consumption: nothing more is received, and `consume` resolves after the handler's current batch. */
  readonly signal: AbortSignal;
  /** Maximum records in a call of the handler, 1 to 10 (the limit of SQS). */
  readonly batchSize?: number;
  /** Batches that the handler gets at a time, in all and for one user; default one. Each batch then has one record. */
  readonly lanes?: Lanes;
  /**
   * Lanes that the handler fills itself. While all are taken nothing is received; users with all their lanes are
   * skipped.
   */
  readonly room?: BusyLanes;
  /** While it returns true nothing is received; it is called each second then. */
  readonly isResting?: () => boolean;
  /** Replaces the queue's own policy. SQS itself counts deliveries, by its redrive policy. */
  readonly policy?: QueuePolicy;
}

export const defaultBatchSize = 10;

/**
 * Delivers commands at least once. Order is by turns: a user's thousandth command comes after every other user's first,
 * and one lane is left for others.
 */
export interface CommandQueue {
  /**
   * Moves committed rows of the outbox to the queue. Many processes may call it at once.
   * @returns number of moved rows
   */
  relay(): Promise<number>;
  /**
   * Calls the handler with one batch after the other until the signal aborts. Outages of the queue are logged and
   * waited out.
   */
  consume(queue: QueueName, handler: QueueHandler, options: ConsumeOptions): Promise<void>;
}

/** Log of the adapters. Fields never hold the body of a command. */
export type QueueLog = Log;
