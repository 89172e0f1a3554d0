// A queue with the queue for what could not be worked: encrypted, over TLS only, kept for two weeks.
import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { acknowledgeForCheckov } from '../shared/acknowledge.ts';

export interface DeadLetteredQueueProps {
  /** How long a message that was received stays hidden from others: six times the timeout of a function. */
  readonly visibilityTimeout: Duration;
  /** How often a message is received before it is laid aside. */
  readonly maxReceives: number;
}

/** SQS encrypts in this way by itself. It stands here for the checks of the templates. */
const common = { enforceSSL: true, encryption: QueueEncryption.SQS_MANAGED };

/** It stands alone, in any stack. Raise an alarm on `deadLetters`: nobody looks at them otherwise. */
export class DeadLetteredQueue extends Queue {
  /** Messages that were received too often, for 14 days. */
  readonly deadLetters: Queue;

  /** @param id of the queue; that of the dead letters has `DeadLetters` behind it, in the same scope */
  constructor(scope: Construct, id: string, { visibilityTimeout, maxReceives }: DeadLetteredQueueProps) {
    const deadLetters = new Queue(scope, `${id}DeadLetters`, { ...common, retentionPeriod: Duration.days(14) });
    super(scope, id, {
      ...common,
      visibilityTimeout,
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: maxReceives },
    });
    this.deadLetters = deadLetters;
    for (const each of [this, deadLetters])
      acknowledgeForCheckov(
        each,
        'Encrypted with SQS’ own key, which the check does not know. Messages are ids.',
        'CKV_AWS_27',
      );
  }
}
