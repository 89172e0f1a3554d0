// The queues that commands go through, each with a dead letter queue. lib/monitoring has their alarms.
import { Duration } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { queueNames, queuePolicies } from '../../lambda/ports/command-queue/queues.ts';
import type { QueueName } from '../../lambda/ports/command-queue/queues.ts';
import { acknowledgeForCheckov } from '../shared/acknowledge.ts';

/** Ids of the constructs; changing one replaces the queue and loses what is in it. */
const ids: Readonly<Record<QueueName, string>> = {
  'publish-ffmpeg': 'PublishFfmpeg',
  'publish-manifest': 'PublishManifest',
  media: 'Media',
  imports: 'Imports',
  timers: 'Timers',
  webhooks: 'Webhooks',
};

/** The encryption is what SQS does by itself; said, so that checks see it. */
const common = { enforceSSL: true, encryption: QueueEncryption.SQS_MANAGED };

export class CommandQueues extends Construct {
  readonly #queues: Readonly<Record<QueueName, Queue>>;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.#queues = Object.fromEntries(queueNames.map((name) => [name, this.#queue(name)])) as Record<QueueName, Queue>;
  }

  get(name: QueueName): Queue {
    return this.#queues[name];
  }

  /** Where commands of a queue end up that failed too often. */
  deadLettersOf(name: QueueName): IQueue {
    const { deadLetterQueue } = this.get(name);
    if (!deadLetterQueue) throw new Error(`queue ${name} was made without a dead letter queue`);
    return deadLetterQueue.queue;
  }

  /** URL of each queue by its name. */
  get urls(): Readonly<Record<string, string>> {
    return Object.fromEntries(Object.entries(this.#queues).map(([name, queue]) => [name, queue.queueUrl]));
  }

  /** Lets someone put commands on every queue. */
  grantSend(grantee: IGrantable): void {
    for (const queue of Object.values(this.#queues)) queue.grantSendMessages(grantee);
  }

  #queue(name: QueueName): Queue {
    const { visibilitySeconds, maxReceives } = queuePolicies[name];
    const id = ids[name];
    const deadLetters = new Queue(this, `${id}DeadLetters`, { ...common, retentionPeriod: Duration.days(14) });
    const queue = new Queue(this, id, {
      ...common,
      visibilityTimeout: Duration.seconds(visibilitySeconds),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: maxReceives },
    });
    for (const each of [queue, deadLetters])
      acknowledgeForCheckov(
        each,
        'Encrypted with SQS’ own key, which the check does not know. Messages are ids.',
        'CKV_AWS_27',
      );
    return queue;
  }
}
