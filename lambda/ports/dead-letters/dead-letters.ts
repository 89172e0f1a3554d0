// Port of dead letters: commands that failed too often, listed and sent again.
import type { DeadCommand } from '../../data/shared/outbox.ts';
import type { QueueName } from '../command-queue/queues.ts';

export type DeadLetter = DeadCommand;

export interface DeadLetters {
  /** Some dead commands of a queue, in no order. @param most maximum number */
  list(queue: QueueName, most: number): Promise<readonly DeadLetter[]>;
  /**
   * Sends dead commands again as new ones. A command may be delivered twice, as by any queue.
   * @param ids commands to send; null for all
   * @param most maximum in one call
   * @returns the sent commands
   */
  requeue(queue: QueueName, ids: readonly string[] | null, most: number): Promise<readonly DeadLetter[]>;
}
