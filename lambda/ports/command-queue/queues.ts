// Queues of commands and their policies, for the code that uses them and the stacks that create them.

export interface QueuePolicy {
  /**
   * Time for which a delivered record is hidden: longer than its handler takes. A failed record is delivered again
   * after it.
   */
  readonly visibilitySeconds: number;
  /** Deliveries after which a record is set aside as dead. */
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
 * All queues. A row of the outbox names one. The stacks create an SQS queue and a dead-letter queue for each policy.
 */
export const queuePolicies: Readonly<Record<QueueName, QueuePolicy>> = {
  // These commands only wake agents up, which then claim replicas from the database.
  'publish-ffmpeg': { visibilitySeconds: 30, maxReceives: 5 },
  'publish-manifest': { visibilitySeconds: 30, maxReceives: 5 },
  // A probe of a file without an index reads all of it.
  media: { visibilitySeconds: 450, maxReceives: 3 },
  // These commands only wake workers up, which then claim imports from the database.
  imports: { visibilitySeconds: 60, maxReceives: 5 },
  // Lambda requires six times the timeout of the handling function.
  timers: { visibilitySeconds: 180, maxReceives: 5 },
  // Six times the timeout. A mail that could not be sent is retried after it.
  webhooks: { visibilitySeconds: 180, maxReceives: 5 },
  // Six times the timeout. These commands only wake a connection's worker, which reads due work from the database.
  platforms: { visibilitySeconds: 360, maxReceives: 5 },
};
export const queueNames = Object.keys(queuePolicies) as QueueName[];
