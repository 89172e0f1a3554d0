// The parts that send streams: command queues, timers, jobs, agents, import workers and webhooks.
import { Duration, Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Construct } from 'constructs';
import { reconcileVariables, sweepVariables, timersVariables } from '../../lambda/jobs/environment.ts';
import { webhookVariables } from '../../lambda/webhooks/environment.ts';
import { connectionBudget } from '../database/connection-budget.ts';
import type { DatabaseStack } from '../database/database-stack.ts';
import { LiveFront } from '../live/live-front.ts';
import { LiveIngest } from '../live/live-ingest.ts';
import type { MediaStack } from '../media/media-stack.ts';
import type { NetworkStack } from '../network/network-stack.ts';
import { grantSendMail, mailSenderAddress, mailSetsOf } from '../shared/mail-sender.ts';
import { type DeployableKind, PlatformAccess } from '../shared/platform-access.ts';
import type { PublisherImage } from '../shared/publisher-image.ts';
import type { PublicOrigin } from '../shared/public-origin.ts';
import { consumption } from '../shared/function-calls.ts';
import { ServiceFunction } from '../shared/service-function.ts';
import type { StageSettings } from '../stage-settings.ts';
import type { StageZone } from '../web/stage-zone.ts';
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
  readonly zone: StageZone;
  readonly image: PublisherImage;
}

type JobVariable = (typeof sweepVariables)[number];

export class PublishingStack extends Stack {
  /** The variables and rights that functions of other stacks need. */
  readonly access: PlatformAccess;
  readonly queues: CommandQueues;
  readonly agents: Agents;
  /** Null for a stage without a live ingest. */
  readonly liveIngest: { readonly front: LiveFront; readonly tasks: LiveIngest } | null;
  /** The function that is called every minute. */
  readonly sweep: ServiceFunction;
  /** The function that is called every day. */
  readonly reconcile: ServiceFunction;

  constructor(
    scope: Construct,
    id: string,
    { settings, network, database, media, origin, zone, image }: PublishingStackProps,
  ) {
    super(scope, id);
    const queues = new CommandQueues(this, 'Commands');
    this.queues = queues;
    const timers = new StreamTimers(this, 'StreamTimers', { queue: queues.get('timers') });
    const front = settings.liveIngest && new LiveFront(this, 'LiveFront', { settings, vpc: network.vpc, zone });
    const liveAddresses = front && front.addresses;
    this.access = new PlatformAccess({ settings, database, media, queues, timers, origin, liveAddresses });

    const common = {
      timeout: Duration.seconds(30),
      logRetentionDays: settings.logRetentionDays,
      traced: settings.tracing,
      vpc: network.vpc,
      securityGroup: network.databaseClients,
    };
    const job = (
      id: string,
      kind: DeployableKind,
      description: string,
      variables: readonly JobVariable[],
      { timeout }: { readonly timeout: Duration } = common,
    ): ServiceFunction => {
      const entry = `jobs/${id.replace('Job', '').toLowerCase()}.lambda.ts`;
      const environment = this.access.environmentFor(this, kind);
      const fn = new ServiceFunction(this, id, { ...common, timeout, description, entry, variables, environment });
      this.access.grantTo(fn.role, kind);
      return fn;
    };

    const timersJob = job('TimersJob', 'timersJob', 'Carries out what is due when a timer fires', timersVariables);
    timersJob.addEventSource(new SqsEventSource(timers.queue, consumption(settings)));

    this.sweep = job(
      'Sweep',
      'sweep',
      'Every minute: due rows, expired leases and commands left behind',
      sweepVariables,
    );
    new Rule(this, 'EveryMinute', {
      schedule: Schedule.rate(Duration.minutes(1)),
      // A failed sweep is not repeated: the next one does its work.
      targets: [new LambdaFunction(this.sweep, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
    });

    this.reconcile = job(
      'Reconcile',
      'reconcile',
      'Every day: proves that ledger, live intervals and invoices say the same',
      reconcileVariables,
      // It reads every book, and these grow with the ledger. 15 minutes are Lambda's maximum.
      { timeout: Duration.minutes(15) },
    );
    new Rule(this, 'EveryDay', {
      schedule: Schedule.rate(Duration.days(1)),
      // A failed proof is not repeated: its alarm is raised at once, and the next proof is due tomorrow.
      targets: [new LambdaFunction(this.reconcile, { retryAttempts: 0 })],
    });

    const webhooks = new ServiceFunction(this, 'Webhooks', {
      ...common,
      description: 'Sends events to webhooks, and mails to users',
      entry: 'webhooks/webhooks.lambda.ts',
      variables: webhookVariables,
      environment: {
        ...this.access.environmentFor(this, 'webhooks'),
        MAIL_FROM: mailSenderAddress(settings),
        UNFUNDED_MAILS: mailSetsOf(this, settings)?.unfunded ?? '',
      },
    });
    this.access.grantTo(webhooks.role, 'webhooks');
    grantSendMail(this, webhooks.role, settings, ['funded', 'unfunded']);
    // Each call serves at most ten webhooks, and waits for the slowest one.
    webhooks.addEventSource(new SqsEventSource(queues.get('webhooks'), consumption(settings)));

    const tasks = { network, access: this.access, queues, image };
    const databaseConnections = connectionBudget(settings).agentPool;
    this.agents = new Agents(this, 'Agents', { ...settings, ...tasks, databaseConnections });
    const { cluster } = this.agents;
    new ImportWorkers(this, 'ImportWorkers', { ...tasks, settings, cluster });
    const live = { ...tasks, settings, cluster, tasks: settings.liveIngest! };
    this.liveIngest = front && { front, tasks: new LiveIngest(this, 'LiveIngest', { ...live, front }) };
  }
}
