// The queues that commands go through, each with a dead letter queue. lib/monitoring has their alarms.
import { Duration } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

interface QueueSettings {
  /** The construct's id; renaming one replaces the queue and loses what is in it. */
  readonly id: string;
  /** How long a command is one consumer's before another one gets it. */
  readonly visibilitySeconds: number;
  /** Deliveries before a command is put aside. */
  readonly maxReceives: number;
}

/** A queue by the name that commands carry; test/stacks holds it against `queueNames` of lambda/ports/command-queue. */
export type QueueName = 'publish-ffmpeg' | 'publish-manifest' | 'media' | 'imports' | 'timers';

const queueSettings: Readonly<Record<QueueName, QueueSettings>> = {
  // Only wake-ups, deleted before the work is claimed from the database; the work itself is never in a message.
  'publish-ffmpeg': { id: 'PublishFfmpeg', visibilitySeconds: 30, maxReceives: 5 },
  'publish-manifest': { id: 'PublishManifest', visibilitySeconds: 30, maxReceives: 5 },
  imports: { id: 'Imports', visibilitySeconds: 60, maxReceives: 5 },
  // Long work, whose consumer extends its hold as it goes on: a dead one's command comes back after this time.
  media: { id: 'Media', visibilitySeconds: 300, maxReceives: 3 },
  // Six times the handler's timeout, as Lambda asks for.
  timers: { id: 'Timers', visibilitySeconds: 180, maxReceives: 5 },
};

/** The encryption is what SQS does by itself; said, so that checks see it. */
const common = { enforceSSL: true, encryption: QueueEncryption.SQS_MANAGED };

export class CommandQueues extends Construct {
  readonly #queues: Readonly<Record<QueueName, Queue>>;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.#queues = {
      'publish-ffmpeg': this.#queue('publish-ffmpeg'),
      'publish-manifest': this.#queue('publish-manifest'),
      media: this.#queue('media'),
      imports: this.#queue('imports'),
      timers: this.#queue('timers'),
    };
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
    const { id, visibilitySeconds, maxReceives } = queueSettings[name];
    const deadLetters = new Queue(this, `${id}DeadLetters`, { ...common, retentionPeriod: Duration.days(14) });
    return new Queue(this, id, {
      ...common,
      visibilityTimeout: Duration.seconds(visibilitySeconds),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: maxReceives },
    });
  }
}
