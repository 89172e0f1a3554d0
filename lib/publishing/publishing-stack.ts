// What puts streams on air and keeps them there: command queues, timers, the jobs behind them, the agents, the workers of imports, and the sender of webhooks.
import { Duration, Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Construct } from 'constructs';
import { jobVariables } from '../../lambda/jobs/environment.ts';
import { webhookVariables } from '../../lambda/webhooks/environment.ts';
import type { DatabaseStack } from '../database/database-stack.ts';
import type { MediaStack } from '../media/media-stack.ts';
import type { NetworkStack } from '../network/network-stack.ts';
import { coreEnvironment, grantCore } from '../shared/core-access.ts';
import { grantSendMail, mailSenderAddress } from '../shared/mail-sender.ts';
import { PlatformAccess } from '../shared/platform-access.ts';
import type { PublisherImage } from '../shared/publisher-image.ts';
import type { PublicOrigin } from '../shared/public-origin.ts';
import { ServiceFunction } from '../shared/service-function.ts';
import type { StageSettings } from '../stage-settings.ts';
import { Agents } from './agents.ts';
import { CommandQueues } from './command-queues.ts';
import { ImportWorkers } from './import-workers.ts';
import { StreamTimers } from './stream-timers.ts';

export interface PublishingStackProps {
  readonly settings: StageSettings;
  readonly network: NetworkStack;
  readonly database: DatabaseStack;
  readonly media: MediaStack;
  readonly origin: PublicOrigin;
  readonly image: PublisherImage;
}

export class PublishingStack extends Stack {
  /** For the functions of other stacks that serve users. */
  readonly access: PlatformAccess;
  readonly queues: CommandQueues;
  readonly agents: Agents;
  /** Runs every minute. */
  readonly sweep: ServiceFunction;
  /** Runs every day. */
  readonly reconcile: ServiceFunction;

  constructor(
    scope: Construct,
    id: string,
    { settings, network, database, media, origin, image }: PublishingStackProps,
  ) {
    super(scope, id);
    const queues = new CommandQueues(this, 'Commands');
    this.queues = queues;
    const timers = new StreamTimers(this, 'StreamTimers', { queue: queues.get('timers') });
    this.access = new PlatformAccess(this, 'PlatformAccess', { settings, database, media, queues, timers, origin });

    const job = (id: string, description: string, entry: string): ServiceFunction => {
      const fn = new ServiceFunction(this, id, {
        description,
        entry,
        variables: jobVariables,
        environment: this.access.environmentFor(this),
        timeout: Duration.seconds(30),
        logRetentionDays: settings.logRetentionDays,
        vpc: network.vpc,
        securityGroup: network.databaseClients,
      });
      this.access.grantTo(fn.role);
      return fn;
    };

    const timersJob = job('TimersJob', 'Carries out what is due when a timer fires', 'jobs/timers.lambda.ts');
    timersJob.addEventSource(new SqsEventSource(timers.queue, { batchSize: 10, reportBatchItemFailures: true }));

    this.sweep = job(
      'Sweep',
      'Every minute: due rows, expired leases and commands left behind',
      'jobs/sweep.lambda.ts',
    );
    new Rule(this, 'EveryMinute', {
      schedule: Schedule.rate(Duration.minutes(1)),
      // A sweep that failed is not repeated: the next one does its work.
      targets: [new LambdaFunction(this.sweep, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
    });

    this.reconcile = job(
      'Reconcile',
      'Every day: proves that ledger, live intervals and invoices say the same',
      'jobs/reconcile.lambda.ts',
    );
    new Rule(this, 'EveryDay', {
      schedule: Schedule.rate(Duration.days(1)),
      // What fails fails again tomorrow, and the alarm has been heard.
      targets: [new LambdaFunction(this.reconcile, { retryAttempts: 0 })],
    });

    const core = { settings, database, origin };
    const webhooks = new ServiceFunction(this, 'Webhooks', {
      description: 'Sends events to webhooks, and mails to users',
      entry: 'webhooks/webhooks.lambda.ts',
      variables: webhookVariables,
      environment: { ...coreEnvironment(core), MAIL_FROM: mailSenderAddress(settings) },
      timeout: Duration.seconds(30),
      logRetentionDays: settings.logRetentionDays,
      vpc: network.vpc,
      securityGroup: network.databaseClients,
    });
    grantCore(webhooks, webhooks.role, core);
    grantSendMail(this, webhooks.role, settings);
    // Each call serves ten webhooks at most, and waits for the slowest: so many calls wait at once, and not with all the connections there are.
    webhooks.addEventSource(
      new SqsEventSource(queues.get('webhooks'), { batchSize: 10, maxConcurrency: 10, reportBatchItemFailures: true }),
    );

    const tasks = { settings, network, access: this.access, queues, image };
    this.agents = new Agents(this, 'Agents', tasks);
    new ImportWorkers(this, 'ImportWorkers', { ...tasks, cluster: this.agents.cluster });
  }
}
