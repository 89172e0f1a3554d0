// A queue with a dead letter queue: encrypted, over TLS only, kept for two weeks.
import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { acknowledgeForCheckov } from '../shared/acknowledge.ts';

/** The patience of the consumers of a queue. */
export interface DeadLetteredQueueProps {
  /** Time for which a received message stays hidden from other consumers: six times the timeout of a function. */
  readonly visibilityTimeout: Duration;
  /** Number of receptions after which a message moves to the dead letters. */
  readonly maxReceives: number;
}

/** The default encryption of SQS. It is explicit for the checks of the templates. */
const common = { enforceSSL: true, encryption: QueueEncryption.SQS_MANAGED };

/** Usable alone, in any stack. Add an alarm on `deadLetters`: otherwise dead letters stay unnoticed. */
export class DeadLetteredQueue extends Queue {
  /** Messages that were received too often, kept for 14 days. */
  readonly deadLetters: Queue;

  /** @param id id of the queue; the dead letter queue has this id with `DeadLetters` appended, in the same scope */
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
