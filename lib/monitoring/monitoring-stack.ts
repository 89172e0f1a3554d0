// A dashboard that shows whether the streams are live, alarms if they are not, and budgets.
import { Duration, RemovalPolicy, Stack, Stage } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  Metric,
  SingleValueWidget,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { ICluster } from 'aws-cdk-lib/aws-ecs';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { queueNames } from '../../lambda/ports/command-queue/queues.ts';
import { stageTagKey } from '../shared/stage-tags.ts';
import type { NetworkStack } from '../network/network-stack.ts';
import type { StageSettings } from '../stage-settings.ts';
import { cloudFrontRegion } from '../shared/stage-regions.ts';
import type { DatabaseStack } from '../database/database-stack.ts';
import type { WebStack } from '../web/web-stack.ts';
import { Alarms } from './alarms.ts';
import { CopiedBackups } from './copied-backups.ts';
import { DistantAlarms } from './distant-alarms.ts';
import { frontDoorAlarms } from './front-door.ts';
import { DriftCheck } from './drift-check.ts';
import { gpuLoads } from './gpu-loads.ts';
import { MailPause } from './mail-pause.ts';
import { blames, type PausableReceiver, StageMetrics, type StageMetricsProps } from './stage-metrics.ts';
import { SyntheticStream } from './synthetic-stream.ts';

const pauseIDs: Readonly<Record<PausableReceiver, string>> = {
  unconfirmed: 'MailPause',
  unfunded: 'UnfundedMailPause',
};

export interface MonitoringStackProps extends StageMetricsProps {
  readonly network: NetworkStack;
  readonly web: WebStack;
}

export class MonitoringStack extends Stack {
  readonly metrics: StageMetrics;
  readonly alarms: readonly Alarm[];
  /** Receives a notification when an alarm begins and when it ends, and those of the budget. */
  readonly topic: ITopic;

  constructor(scope: Construct, id: string, { network, web, ...stacks }: MonitoringStackProps) {
    super(scope, id);
    const { settings, publishing, recovery, database } = stacks;
    const { access } = publishing;
    const synthetic = settings.syntheticStream
      ? new SyntheticStream(this, 'SyntheticStream', { settings, network, access })
      : null;
    const metrics = new StageMetrics(this, 'Metrics', stacks);
    const topic = this.#notifications(settings);
    const drift = new DriftCheck(this, 'DriftCheck');
    const isAtCloudFront = settings.region === cloudFrontRegion;
    const alarms = new Alarms(this, 'Alarms', {
      settings,
      metrics,
      drift,
      synthetic,
      natFailures: failuresOf(network),
      frontDoor: isAtCloudFront ? frontDoorAlarms(this, settings, web) : null,
      topic,
    });
    this.#page(metrics, alarms, synthetic, publishing.agents.cluster);
    for (const [receiver, alarm] of alarms.pausingMails)
      new MailPause(this, pauseIDs[receiver], { alarm, mailSet: stacks.identity.mailSets![receiver] });
    if (!isAtCloudFront) this.#alarmsAtCloudFront(settings, web, topic);
    if (recovery) this.#alarmsOfCopies(settings, database, topic);
    if (settings.monthlyBudgetUsd !== null) {
      this.#budget(settings.monthlyBudgetUsd, topic);
      this.#budgetOfDownloads(settings.monthlyBudgetUsd, topic);
    }
    this.metrics = metrics;
    this.alarms = alarms.all;
    this.topic = topic;
  }

  #alarmsAtCloudFront(settings: StageSettings, web: WebStack, topic: ITopic): void {
    const there = new DistantAlarms(Stage.of(this)!, 'EdgeAlarms', { settings, region: cloudFrontRegion });
    there.addStackDependency(web);
    for (const [id, alarm] of frontDoorAlarms(there, settings, web)) there.add(id, alarm);
    there.carryTo(this, topic);
  }

  #alarmsOfCopies(settings: StageSettings, database: DatabaseStack, topic: ITopic): void {
    const there = new DistantAlarms(Stage.of(this)!, 'CopyAlarms', { settings, region: settings.recoveryRegion! });
    there.add('BackupsLate', new CopiedBackups(there, 'CopiedBackups', database).alarm);
    there.carryTo(this, topic);
  }

  #notifications({ alarmEmail, alarmTopicArn, monthlyBudgetUsd }: StageSettings): ITopic {
    if (alarmTopicArn !== null) return Topic.fromTopicArn(this, 'Notifications', alarmTopicArn);
    const senders = ['cloudwatch', ...(monthlyBudgetUsd === null ? [] : ['budgets'])].map(
      (service) =>
        new ServicePrincipal(service, { conditions: { StringEquals: { 'aws:SourceAccount': this.account } } }),
    );
    // CloudWatch cannot send to a topic that is encrypted with the key of SNS itself.
    const key = new Key(this, 'NotificationsKey', {
      enableKeyRotation: true,
      description: 'Notifications of alarms and of the budget',
      // The key encrypts no stored data.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const topic = new Topic(this, 'Notifications', { masterKey: key, enforceSSL: true });
    for (const sender of senders) topic.grantPublish(sender);
    if (alarmEmail !== null) topic.addSubscription(new EmailSubscription(alarmEmail));
    return topic;
  }

  #page(metrics: StageMetrics, alarms: Alarms, synthetic: SyntheticStream | null, cluster: ICluster): void {
    const backends = ['ffmpeg', 'manifest'] as const;
    const graph = (title: string, left: IMetric[], right: IMetric[] = []) =>
      new GraphWidget({ title, left, right, width: 12, leftYAxis: { min: 0 } });
    const page = new Dashboard(this, 'AreTheStreamsLive');
    page.addWidgets(
      new SingleValueWidget({
        title: 'Streams on agents',
        metrics: backends.map((backend) => metrics.replicas(backend)),
        width: 6,
        height: 4,
      }),
      new AlarmStatusWidget({ title: 'Alarms', alarms: alarms.all, width: 18, height: 4 }),
    );
    page.addWidgets(
      graph(
        'Streams on agents',
        backends.map((backend) => metrics.replicas(backend)),
      ),
      graph(
        'Connections that ended, by whose fault',
        blames.map((blame) => metrics.sessionsEnded(blame)),
        [metrics.takeovers],
      ),
    );
    page.addWidgets(
      graph(
        'Capacity, 100 for each agent',
        backends.flatMap((backend) => [metrics.capacityUsed(backend), metrics.capacity(backend)]),
        [metrics.gpuReservationPercent],
      ),
      graph(
        'Oldest command, seconds',
        queueNames.map((name) => metrics.oldestCommandSeconds(name)),
      ),
    );
    page.addWidgets(
      graph('API', [metrics.apiRequests, metrics.apiErrors], [metrics.apiP99Ms]),
      graph('Database', [metrics.databaseConnections], [metrics.databaseCpuPercent]),
    );
    page.addWidgets(
      graph('GPUs, %', gpuLoads(cluster, ['gpuEncoder', 'gpuDecoder', 'gpuMemory'])),
      graph('Encoders that are open on a GPU', gpuLoads(cluster, ['gpuSessions'])),
    );
    const { mailsRefused } = metrics;
    page.addWidgets(
      graph('Mails', [metrics.mailsFailed, metrics.mailsHeld, ...(mailsRefused ? [mailsRefused] : [])]),
      ...(synthetic ? [graph('Starts that are tried', [synthetic.proved, synthetic.failed])] : []),
    );
    page.addWidgets(
      graph('Minute sweep', [metrics.sweepsSucceeded]),
      graph(
        'Dead letters',
        queueNames.map((name) => metrics.deadLetters(name)),
      ),
    );
  }

  /** A budget for the resources with the stage's tag, which has to be activated first: lib/README.md, “Cost”. */
  #budget(monthlyUsd: number, topic: ITopic): void {
    new CfnBudget(this, 'Budget', {
      budget: {
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: monthlyUsd, unit: 'USD' },
        // https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-create-filters.html
        costFilters: { TagKeyValue: [`user:${stageTagKey}$${Stage.of(this)?.node.id}`] },
      },
      notificationsWithSubscribers: [over('ACTUAL', 80, topic), over('FORECASTED', 100, topic)],
    });
  }

  /**
   * A budget for the traffic of all buckets of the account to the internet: it has no tag, and URLs of downloads can be
   * fetched as often as their holders like. Decision D292.
   */
  #budgetOfDownloads(monthlyUsd: number, topic: ITopic): void {
    new CfnBudget(this, 'DownloadsBudget', {
      budget: {
        budgetType: 'COST',
        timeUnit: 'DAILY',
        budgetLimit: { amount: Math.ceil(monthlyUsd * downloadsOfBudget), unit: 'USD' },
        costFilters: { UsageTypeGroup: ['S3: Data Transfer - Internet (Out)'] },
      },
      notificationsWithSubscribers: [over('ACTUAL', 100, topic)],
    });
  }
}

/** The part of the month's budget that downloads may cost within a day. */
const downloadsOfBudget = 1 / 100;

function over(notificationType: 'ACTUAL' | 'FORECASTED', percent: number, { topicArn }: ITopic) {
  return {
    notification: {
      notificationType,
      threshold: percent,
      thresholdType: 'PERCENTAGE',
      comparisonOperator: 'GREATER_THAN',
    },
    subscribers: [{ subscriptionType: 'SNS', address: topicArn }],
  };
}

/** https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/viewing_metrics_with_cloudwatch.html */
function failuresOf({ natInstances }: NetworkStack): readonly IMetric[] {
  return natInstances.map(
    ({ ref: InstanceId }) =>
      new Metric({
        namespace: 'AWS/EC2',
        metricName: 'StatusCheckFailed',
        dimensionsMap: { InstanceId },
        statistic: Stats.MAXIMUM,
        period: Duration.minutes(1),
      }),
  );
}
