// The metrics of a stage, each defined once for alarms and dashboard.
import { Duration, Stage } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, Stats, Unit } from 'aws-cdk-lib/aws-cloudwatch';
import type { CfnFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { loadMetrics } from '../../lambda/publisher/environment.ts';
import type { QueueName } from '../../lambda/ports/command-queue/queues.ts';
import type { ApiStack } from '../api/api-stack.ts';
import type { DatabaseStack } from '../database/database-stack.ts';
import type { IdentityStack } from '../identity/identity-stack.ts';
import { copyRuleID, type MediaStack } from '../media/media-stack.ts';
import type { OperateStack } from '../operate/operate-stack.ts';
import type { PublishingStack } from '../publishing/publishing-stack.ts';
import type { RecoveryStack } from '../recovery/recovery-stack.ts';
import type { MailSets } from '../shared/mail-sender.ts';
import { ServiceFunction } from '../shared/service-function.ts';
import type { StageSettings } from '../stage-settings.ts';
import { mailsRefused, manyRefused } from './mail-metrics.ts';

export interface StageMetricsProps {
  readonly settings: StageSettings;
  readonly database: DatabaseStack;
  readonly publishing: PublishingStack;
  readonly identity: IdentityStack;
  readonly api: ApiStack;
  readonly operate: OperateStack;
  readonly media: MediaStack;
  /** Null for a stage without a second region. */
  readonly recovery: RecoveryStack | null;
}

type Backend = 'ffmpeg' | 'manifest';
type LoadMetric = (typeof loadMetrics)['replicas' | 'capacityUsed' | 'capacity'];

/** The cause of the end of a connection, as in the agents' log event `session_ended`. */
export const blames = ['ours', 'media', 'destination'] as const;

/** The receivers whose mails can be paused alone. */
export type PausableReceiver = Exclude<keyof MailSets, 'funded'>;

const minute = Duration.minutes(1);
const fiveMinutes = Duration.minutes(5);
const summed = (label: string) => ({ statistic: Stats.SUM, period: fiveMinutes, label });

/** The share of its memory above which a function is short of memory. */
const memoryShort = 0.9;

/** The metrics come from the resources of the stacks and from the logs of agents. */
export class StageMetrics extends Construct {
  readonly #props: StageMetricsProps;
  /** The namespace of the stage's metrics: stages may share an account. */
  readonly #namespace: string;
  /**
   * All functions of ours in the region, by id. Functions of the CDK run only in deployments, which notice failures.
   */
  readonly functions: ReadonlyMap<string, LambdaFunction>;

  constructor(scope: Construct, id: string, props: StageMetricsProps) {
    super(scope, id);
    this.#props = props;
    this.#namespace = `${loadMetrics.namespace}/${props.publishing.stackName}`;
    const { agents } = props.publishing;
    for (const blame of blames)
      this.#count(sessionsEndedName(blame), agents.logGroups, `{ $.event = "session_ended" && $.blame = "${blame}" }`);
    // The first claim of a replica has the epoch 1. A later claim takes the replica over from another agent.
    this.#count('Takeovers', agents.logGroups, '{ $.event = "replica_claimed" && $.epoch > 1 }');
    // Every GPU encodes H.264, which is tried at every start. Agents repeat the chosen encoder with each report.
    this.#count(
      'GpusUnused',
      agents.gpuLogGroups,
      '{ ($.event = "encoder_chosen" || $.event = "agent_load") && $.encoder = "libx264" }',
    );
    const { liveIngest } = props.publishing;
    if (liveIngest) {
      const logGroups = [liveIngest.tasks.logGroup];
      this.#count('LiveRefused', logGroups, '{ $.event = "live_session_refused" && $.reason = "no_room" }');
      this.#count('LiveStarts', logGroups, '{ $.event = "live_ingest_started" }');
    }
    this.#count('MailsFailed', [props.identity.function.logGroup], '{ $.event = "mail_failed" }');
    this.#count('MailsHeld', [props.identity.function.logGroup], '{ $.event = "sign_in_mail_held" }');

    const functions: LambdaFunction[] = Stage.of(this)!
      .node.findAll()
      .filter((construct) => construct instanceof ServiceFunction);
    this.functions = new Map(functions.map((fn) => [fn.node.id, fn]));
    // Lambda has no metric for memory, but logs a line at the end of each call. Only lines of calls short of memory are
    // counted, so that functions of different sizes share one metric.
    for (const [name, fn] of this.functions)
      this.#countIn(
        fn.logGroup,
        memoryShortName,
        `${memoryShortName}${name}`,
        `{ $.type = "platform.report" && $.record.metrics.maxMemoryUsedMB > ${memoryShort * memoryOf(fn)} }`,
      );
  }

  functionErrors(fn: LambdaFunction): IMetric {
    return fn.metricErrors(summed(`${fn.node.id} failed`));
  }

  functionThrottles(fn: LambdaFunction): IMetric {
    return fn.metricThrottles(summed(`${fn.node.id} throttled`));
  }

  /** Calls of all functions together that used almost all memory of their function. */
  get functionsShortOfMemory(): IMetric {
    return this.#logged(memoryShortName, 'calls short of memory');
  }

  /** The number of connections to destinations that ended without the platform wanting it. */
  sessionsEnded(blame: (typeof blames)[number]): IMetric {
    return this.#logged(sessionsEndedName(blame), `ended, ${blame}`);
  }

  get takeovers(): IMetric {
    return this.#logged('Takeovers', 'streams taken over');
  }

  /** Reports of agents and workers on GPU machines that encode by software. */
  get gpusUnused(): IMetric {
    return this.#logged('GpusUnused', 'reports of GPUs that do not encode');
  }

  /** The metrics of the live ingest; null for a stage without one. */
  get liveIngest(): { readonly healthyTasks: IMetric; readonly refused: IMetric; readonly starts: IMetric } | null {
    const { liveIngest } = this.#props.publishing;
    if (liveIngest === null) return null;
    return {
      // Each zone reports its own tasks, and one of them is enough.
      healthyTasks: liveIngest.tasks.targets.metrics.healthyHostCount({
        statistic: Stats.MAXIMUM,
        period: minute,
        label: 'live ingests',
      }),
      refused: this.#logged('LiveRefused', 'contributors without room'),
      starts: this.#logged('LiveStarts', 'starts of live ingests'),
    };
  }

  get mailsFailed(): IMetric {
    return this.#logged('MailsFailed', 'mails that SES did not take');
  }

  /** Mails of sign-in beyond the limits of an inbox or a network. Decision D272. */
  get mailsHeld(): IMetric {
    return this.#logged('MailsHeld', 'mails of sign-in beyond a limit');
  }

  /** Bounced mails to users with a purchase, and their complaints about spam. Null for a stage that sends no mails. */
  get mailsRefused(): IMetric | null {
    const { mailSets } = this.#props.identity;
    if (mailSets === null) return null;
    return mailsRefused(mailSets.funded, 'mails refused');
  }

  /**
   * 1 while mails of the last day endanger the account and such receivers refused many of them, else 0. The mails to
   * all receivers that can be paused count for the danger. Null for a stage that sends no mails. Decisions D281 and
   * D289.
   */
  pausableMailsRefused(by: PausableReceiver): IMetric | null {
    const { mailSets } = this.#props.identity;
    if (mailSets === null) return null;
    const others = by === 'unfunded' ? 'unconfirmed' : 'unfunded';
    return manyRefused(mailSets[by], mailSets[others], `mails refused, ${by}`);
  }

  replicas(backend: Backend): IMetric {
    return this.#load(loadMetrics.replicas, backend, `${backend} streams on agents`);
  }

  /** Used capacity in percent of one agent: two half-full agents make 100. */
  capacityUsed(backend: Backend): IMetric {
    return this.#load(loadMetrics.capacityUsed, backend, `${backend} capacity used`);
  }

  capacity(backend: Backend): IMetric {
    return this.#load(loadMetrics.capacity, backend, `${backend} capacity`);
  }

  capacityUsedPercent(backend: Backend): IMetric {
    return new MathExpression({
      expression: '100 * used / there',
      usingMetrics: { used: this.capacityUsed(backend), there: this.capacity(backend) },
      period: minute,
      label: `${backend} capacity used, %`,
    });
  }

  /** The machines that tasks need, in percent of the running machines. Above 100, tasks wait for machines. */
  get gpuReservationPercent(): IMetric {
    const { cluster, gpuPool } = this.#props.publishing.agents;
    const dimensionsMap = { ClusterName: cluster.clusterName, CapacityProviderName: gpuPool.capacityProviderName };
    return new Metric({
      namespace: 'AWS/ECS/ManagedScaling',
      metricName: 'CapacityProviderReservation',
      dimensionsMap,
      statistic: Stats.MAXIMUM,
      period: minute,
      label: 'GPU machines wanted, %',
    });
  }

  oldestCommandSeconds(name: QueueName): IMetric {
    return this.#props.publishing.queues
      .get(name)
      .metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM, period: minute, label: name });
  }

  deadLetters(name: QueueName): IMetric {
    return this.#props.publishing.queues
      .deadLettersOf(name)
      .metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, period: minute, label: name });
  }

  get sweepsSucceeded(): IMetric {
    const { sweep } = this.#props.publishing;
    return new MathExpression({
      expression: 'FILL(called, 0) - FILL(failed, 0)',
      usingMetrics: {
        called: sweep.metricInvocations({ period: fiveMinutes }),
        failed: sweep.metricErrors({ period: fiveMinutes }),
      },
      period: fiveMinutes,
      label: 'sweeps that succeeded',
    });
  }

  get reconciliationsFailed(): IMetric {
    return this.#props.publishing.reconcile.metricErrors(summed('proofs of the books that failed'));
  }

  get operatorCommandsFailed(): IMetric {
    return this.#props.operate.operate.metricErrors(summed('commands of operators that failed'));
  }

  get apiRequests(): IMetric {
    return this.#props.api.restApi.deploymentStage.metricCount({ period: fiveMinutes, label: 'requests' });
  }

  get apiErrors(): IMetric {
    return this.#props.api.restApi.deploymentStage.metricServerError(summed('5xx'));
  }

  get apiP99Ms(): IMetric {
    return this.#props.api.restApi.deploymentStage.metricLatency({
      statistic: Stats.percentile(99),
      period: fiveMinutes,
      label: 'p99, ms',
    });
  }

  get databaseConnections(): IMetric {
    return this.#props.database.instance.metricDatabaseConnections({
      statistic: Stats.MAXIMUM,
      period: fiveMinutes,
      label: 'connections',
    });
  }

  get databaseFreeBytes(): IMetric {
    return this.#props.database.instance.metricFreeStorageSpace({
      statistic: Stats.MINIMUM,
      period: fiveMinutes,
      label: 'free storage',
    });
  }

  get databaseCpuPercent(): IMetric {
    return this.#props.database.instance.metricCPUUtilization({ period: fiveMinutes, label: 'CPU, %' });
  }

  get databaseFreeMemoryBytes(): IMetric {
    return this.#props.database.instance.metricFreeableMemory({
      statistic: Stats.MINIMUM,
      period: fiveMinutes,
      label: 'free memory',
    });
  }

  /** Null for a class without credits: all but those of the t family. */
  get databaseCpuCredits(): IMetric | null {
    const { databaseInstanceClass } = this.#props.settings;
    if (!databaseInstanceClass.startsWith('t')) return null;
    return this.#props.database.instance.metric('CPUCreditBalance', {
      statistic: Stats.MINIMUM,
      period: fiveMinutes,
      label: 'CPU credits',
    });
  }

  /** Connections that RDS Proxy lends to one client only. Null for a stage without RDS Proxy. */
  get pinnedConnections(): IMetric | null {
    const { proxy } = this.#props.database;
    if (proxy === null) return null;
    return new Metric({
      namespace: 'AWS/RDS',
      metricName: 'DatabaseConnectionsCurrentlySessionPinned',
      dimensionsMap: { ProxyName: proxy.dbProxyName },
      statistic: Stats.SUM,
      period: minute,
      label: 'pinned connections',
    });
  }

  /** Uploads, and deletions of uploads, that S3 could not copy. Null for a stage without a second region. */
  get failedCopies(): IMetric | null {
    const { media, recovery } = this.#props;
    if (recovery === null) return null;
    return new Metric({
      namespace: 'AWS/S3',
      metricName: 'OperationsFailedReplication',
      dimensionsMap: {
        SourceBucket: media.uploads.bucketName,
        DestinationBucket: recovery.uploads.bucketName,
        RuleId: copyRuleID,
      },
      ...summed('copies that failed'),
    });
  }

  /** Counts the lines of log groups that match a pattern. */
  #count(metricName: string, logGroups: readonly ILogGroup[], pattern: string): void {
    for (const [index, logGroup] of logGroups.entries())
      this.#countIn(logGroup, metricName, `${metricName}${index}`, pattern);
  }

  #countIn(logGroup: ILogGroup, metricName: string, id: string, pattern: string): void {
    new MetricFilter(this, id, {
      logGroup,
      metricNamespace: this.#namespace,
      metricName,
      filterPattern: FilterPattern.literal(pattern),
    });
  }

  #logged(metricName: string, label: string): IMetric {
    return new Metric({ namespace: this.#namespace, metricName, ...summed(label) });
  }

  /** Each agent reports its value once a minute, so the sum over a minute is the total of all agents. */
  #load({ name, unit }: LoadMetric, backend: Backend, label: string): IMetric {
    const dimensionsMap = { Cluster: this.#props.publishing.agents.cluster.clusterName, Backend: backend };
    return new Metric({
      namespace: loadMetrics.namespace,
      metricName: name,
      dimensionsMap,
      statistic: Stats.SUM,
      period: minute,
      label,
      unit: unit === 'Count' ? Unit.COUNT : Unit.PERCENT,
    });
  }
}

const memoryShortName = 'FunctionsShortOfMemory';

/** @returns memory in MB */
function memoryOf(fn: LambdaFunction): number {
  return (fn.node.defaultChild as CfnFunction).memorySize!;
}

function sessionsEndedName(blame: (typeof blames)[number]): string {
  return `SessionsEnded-${blame}`;
}
