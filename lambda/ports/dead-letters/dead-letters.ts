// Commands that failed so often that their queue put them aside: what they are, and another try.
import type { DeadCommand } from '../../data/shared/outbox.ts';
import type { QueueName } from '../command-queue/queues.ts';

export type DeadLetter = DeadCommand;

export interface DeadLetters {
  /** Some dead commands of a queue, in no order. @param most how many */
  list(queue: QueueName, most: number): Promise<readonly DeadLetter[]>;
  /**
   * Sends dead commands once more, as if they were new. A command may be delivered twice, as by any queue.
   * @param ids those that are to be sent; null: all
   * @param most how many in one call
   * @returns those that were sent
   */
  requeue(queue: QueueName, ids: readonly string[] | null, most: number): Promise<readonly DeadLetter[]>;
}
