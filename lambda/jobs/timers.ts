// What the queue 'timers' is for: something is due now. What it is stands in the rows; the message is only a wake-up.
import { fireDue } from '../orchestration/fire-due.ts';
import type { QueueHandler } from '../ports/command-queue/command-queue.ts';
import type { SweepParts } from './sweep.ts';

export function createTimersHandler({ pool, queue, starting, clock }: Omit<SweepParts, 'timers'>): QueueHandler {
  return async () => {
    await fireDue(pool, starting, clock);
    await queue.relay();
    return { batchItemFailures: [] };
  };
}
