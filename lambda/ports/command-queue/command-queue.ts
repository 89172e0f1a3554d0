// The command queue port. A command is written to the outbox with its cause, and delivered to a handler at least once.
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { Lanes } from '../../domain/fleet/lanes.ts';
import type { Log } from '../../log.ts';
import type { BusyLanes } from './busy-lanes.ts';
import type { QueueName, QueuePolicy } from './queues.ts';

/** What an outbox row carries. The body is JSON, small (a wake-up with ids, at most 256 KiB), and holds no secret. */
export interface Command {
  readonly queue: QueueName;
  readonly body: unknown;
}

/**
 * A function that a Lambda exports, and that a container or the local run calls unchanged. It answers which records
 * have failed; those are delivered again. If it throws, or names a record that is not in the batch, the whole batch has
 * failed.
 */
export type QueueHandler = (event: SQSEvent) => Promise<SQSBatchResponse>;

export interface ConsumeOptions {
  /** Ends the consumption: nothing more is received, and `consume` resolves once the handler is done with its batch. */
  readonly signal: AbortSignal;
  /** The most records in a call of the handler, 1 to 10 (the limit of SQS). */
  readonly batchSize?: number;
  /** How many batches the handler gets at a time, and of one user; without it one. Each batch then has one record. */
  readonly lanes?: Lanes;
  /**
   * Lanes that the handler fills itself. While all are taken nothing is received, and of users who have as many as they
   * may nothing is.
   */
  readonly room?: BusyLanes;
  /** While it answers true nothing is received; it is asked each second then. */
  readonly isResting?: () => boolean;
  /** Replaces the queue's own policy. On SQS it is the queue that counts deliveries, by its redrive policy. */
  readonly policy?: QueuePolicy;
}

export const defaultBatchSize = 10;

/**
 * Delivers commands at least once, in no order but for turns: a user's thousandth command comes after everybody else's
 * first, and where there are lanes, one is left for others.
 */
export interface CommandQueue {
  /**
   * Moves committed rows of the outbox to where consumers receive them. Many processes may call it at once.
   * @returns how many rows it has moved
   */
  relay(): Promise<number>;
  /**
   * Calls the handler with one batch after the other until the signal aborts. Outages of the queue are logged and
   * waited out.
   */
  consume(queue: QueueName, handler: QueueHandler, options: ConsumeOptions): Promise<void>;
}

/** The log of the adapters. The fields never hold the body of a command. */
export type QueueLog = Log;
