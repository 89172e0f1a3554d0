// Applies due changes of streams. A message of the queue 'timers' only wakes the job; due times are in the database.
import { fireTimes } from '../orchestration/runs/fire-due.ts';
import type { QueueHandler } from '../ports/command-queue/command-queue.ts';
import type { SweepOptions } from './sweep.ts';

export interface TimersOptions extends Omit<SweepOptions, 'timers' | 'storage'> {
  /** Aborts when the process has to end. */
  readonly signal?: AbortSignal;
}

export function createTimersHandler({ pool, queue, startOptions, clock, signal }: TimersOptions): QueueHandler {
  return async () => {
    await fireTimes(pool, startOptions, clock, signal);
    await queue.relay();
    return { batchItemFailures: [] };
  };
}
