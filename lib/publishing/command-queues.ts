// The queues of commands, each with a dead letter queue. Their alarms are in lib/monitoring.
import { Duration } from 'aws-cdk-lib';
import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { queueNames, queuePolicies } from '../../lambda/ports/command-queue/queues.ts';
import type { QueueName } from '../../lambda/ports/command-queue/queues.ts';
import { DeadLetteredQueue } from './dead-lettered-queue.ts';

/**
 * Ids of the constructs. For a changed id, CloudFormation creates a new queue and deletes the old one with its content.
 */
const ids: Readonly<Record<QueueName, string>> = {
  'publish-ffmpeg': 'PublishFfmpeg',
  'publish-manifest': 'PublishManifest',
  media: 'Media',
  imports: 'Imports',
  timers: 'Timers',
  webhooks: 'Webhooks',
  platforms: 'Platforms',
};

/** A queue for each kind of command, in any stack. */
export class CommandQueues extends Construct {
  readonly #queues: Readonly<Record<QueueName, DeadLetteredQueue>>;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.#queues = Object.fromEntries(queueNames.map((name) => [name, this.#queue(name)])) as Record<
      QueueName,
      DeadLetteredQueue
    >;
  }

  /** The queue of one kind of command. */
  get(name: QueueName): DeadLetteredQueue {
    return this.#queues[name];
  }

  /** The queue for commands that failed too often. */
  deadLettersOf(name: QueueName): IQueue {
    return this.get(name).deadLetters;
  }

  /** URLs by the names of queues. */
  urlsOf(names: readonly QueueName[]): Readonly<Record<string, string>> {
    return Object.fromEntries(names.map((name) => [name, this.get(name).queueUrl]));
  }

  /** Grants the right to send commands to these queues. The CDK's grant would also allow looking at the queues. */
  grantSend(grantee: IGrantable, names: readonly QueueName[]): void {
    const resources = names.map((name) => this.get(name).queueArn);
    grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources }));
  }

  /** Grants the right to receive commands from a queue, as `createSQSCommandQueue` does. */
  grantConsume(grantee: IGrantable, name: QueueName): void {
    grantee.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({
        actions: ['sqs:GetQueueAttributes', 'sqs:ReceiveMessage', 'sqs:DeleteMessage'],
        resources: [this.get(name).queueArn],
      }),
    );
  }

  #queue(name: QueueName): DeadLetteredQueue {
    const { visibilitySeconds, maxReceives } = queuePolicies[name];
    return new DeadLetteredQueue(this, ids[name], {
      visibilityTimeout: Duration.seconds(visibilitySeconds),
      maxReceives,
    });
  }
}
