// Fires what is due. A message of the queue 'timers' only says when: what is due stands in the database.
import { fireDue } from '../orchestration/fire-due.ts';
import type { QueueHandler } from '../ports/command-queue/command-queue.ts';
import type { SweepOptions } from './sweep.ts';

type TimersOptions = Omit<SweepOptions, 'timers' | 'storage'>;

export function createTimersHandler({ pool, queue, startOptions, clock }: TimersOptions): QueueHandler {
  return async () => {
    await fireDue(pool, startOptions, clock);
    await queue.relay();
    return { batchItemFailures: [] };
  };
}
