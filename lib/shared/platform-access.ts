// What every function that serves users or carries out commands works with: the variables that say where, and the rights.
import type { Stack } from 'aws-cdk-lib';
import { type IManagedPolicy, type IRole, ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { apiVariables } from '../../lambda/api/environment.ts';
import type { DatabaseStack } from '../database/database-stack.ts';
import type { MediaStack } from '../media/media-stack.ts';
import type { CommandQueues } from '../publishing/command-queues.ts';
import type { StreamTimers } from '../publishing/stream-timers.ts';
import type { StageSettings } from '../stage-settings.ts';
import { coreEnvironment } from './core-access.ts';
import type { PublicOrigin } from './public-origin.ts';

export interface PlatformAccessProps {
  readonly settings: StageSettings;
  readonly database: DatabaseStack;
  readonly media: MediaStack;
  readonly queues: CommandQueues;
  readonly timers: StreamTimers;
  readonly origin: PublicOrigin;
}

type Variable = (typeof apiVariables)[number];

/** Made once in a stage; every function that serves users or carries out commands takes it. */
export class PlatformAccess extends Construct {
  readonly #props: PlatformAccessProps;
  readonly #policies: readonly IManagedPolicy[];

  constructor(scope: Construct, id: string, props: PlatformAccessProps) {
    super(scope, id);
    this.#props = props;
    const { database, media, queues, timers, origin } = props;
    const policy = new ManagedPolicy(this, 'Policy');
    database.serviceSecret.grantRead(policy);
    database.sealingKey.grantDecrypt(policy);
    queues.grantSend(policy);
    origin.grantRead(policy);
    this.#policies = [policy, database.connectAccess, media.objectAccess, timers.armAccess];
  }

  /** Values for the environment of a function in `stack`. None is secret: secrets are read by their ARN when a function starts. */
  environmentFor(stack: Stack): Readonly<Record<Variable, string>> {
    const { settings, database, media, queues, timers, origin } = this.#props;
    return {
      ...coreEnvironment({ settings, database, origin }),
      UPLOADS_BUCKET: media.uploads.bucketName,
      SITE_URL: origin.reference,
      // Never in AWS: an import or a webhook must not reach into the VPC or the metadata service.
      ALLOW_PRIVATE_ADDRESSES: 'false',
      QUEUE_URLS: stack.toJsonString(queues.urls),
      TIMER_GROUP: timers.group.scheduleGroupName,
      TIMER_ROLE_ARN: timers.role.roleArn,
      TIMER_QUEUE_ARN: timers.queue.queueArn,
      LEGACY_RTMP_URL: settings.legacyRtmpUrl ?? '',
      RATE_LIMIT_FACTOR: String(settings.rateLimitFactor),
    };
  }

  /** Gives a function, or a task, the rights that go with that environment. It also needs the network's `databaseClients` security group. */
  grantTo(role: IRole): void {
    for (const policy of this.#policies) role.addManagedPolicy(policy);
  }
}
