// The queues that commands go through, for the code that uses them and for the stacks that make them.

export interface QueuePolicy {
  /** How long a delivered record stays hidden from other consumers. Has to outlast the handler; a failed record comes back after it. */
  readonly visibilitySeconds: number;
  /** Deliveries before a record is set aside as dead. */
  readonly maxReceives: number;
}

export type QueueName = 'publish-ffmpeg' | 'publish-manifest' | 'media' | 'imports' | 'timers' | 'webhooks';

/** The queues there are. Data code names one in the outbox row; the stacks make an SQS queue and a dead-letter queue by the policy of each. */
export const queuePolicies: Readonly<Record<QueueName, QueuePolicy>> = {
  // Only wake-ups, deleted before the work is claimed from the database; the work itself is never in a message.
  'publish-ffmpeg': { visibilitySeconds: 30, maxReceives: 5 },
  'publish-manifest': { visibilitySeconds: 30, maxReceives: 5 },
  // A file without an index is read from end to end.
  media: { visibilitySeconds: 450, maxReceives: 3 },
  // Wake-ups too.
  imports: { visibilitySeconds: 60, maxReceives: 5 },
  // Six times the timeout of the function that handles them, as Lambda asks for.
  timers: { visibilitySeconds: 180, maxReceives: 5 },
  // Likewise. What is due stands in the rows; a mail that cannot be sent comes back.
  webhooks: { visibilitySeconds: 180, maxReceives: 5 },
};
export const queueNames = Object.keys(queuePolicies) as QueueName[];
