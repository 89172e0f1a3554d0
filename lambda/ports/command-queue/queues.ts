// The queues of commands and their policies, for the code that uses them and for the stacks that make them.

export interface QueuePolicy {
  /**
   * How long a delivered record is hidden: longer than the handler takes. A failed record is delivered again after it.
   */
  readonly visibilitySeconds: number;
  /** How often a record is delivered before it is set aside as dead. */
  readonly maxReceives: number;
}

export type QueueName =
  | 'publish-ffmpeg'
  | 'publish-manifest'
  | 'media'
  | 'imports'
  | 'timers'
  | 'webhooks'
  | 'platforms';

/**
 * All queues. A row of the outbox names one of them. The stacks make an SQS queue and a dead-letter queue for each, by
 * its policy.
 */
export const queuePolicies: Readonly<Record<QueueName, QueuePolicy>> = {
  // These only wake agents up, which then claim replicas from the database.
  'publish-ffmpeg': { visibilitySeconds: 30, maxReceives: 5 },
  'publish-manifest': { visibilitySeconds: 30, maxReceives: 5 },
  // To probe a file without an index, all of it is read.
  media: { visibilitySeconds: 450, maxReceives: 3 },
  // These only wake workers up, which then claim imports from the database.
  imports: { visibilitySeconds: 60, maxReceives: 5 },
  // Lambda asks for six times the timeout of the function that handles them.
  timers: { visibilitySeconds: 180, maxReceives: 5 },
  // Likewise six times the timeout. A mail that could not be sent comes back after it.
  webhooks: { visibilitySeconds: 180, maxReceives: 5 },
  // Likewise. These only wake the worker of a connection, which reads what is due from the database.
  platforms: { visibilitySeconds: 360, maxReceives: 5 },
};
export const queueNames = Object.keys(queuePolicies) as QueueName[];
