// The alarms that page an engineer, each with its entry in the runbook of lib/README.md. A test checks the entries.
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { QueueName } from '../../lambda/ports/command-queue/queues.ts';
import type { StageSettings } from '../stage-settings.ts';
import type { DriftCheck } from './drift-check.ts';
import type { StageMetrics } from './stage-metrics.ts';
import type { SyntheticStream } from './synthetic-stream.ts';

export interface AlarmsProps {
  readonly settings: StageSettings;
  readonly metrics: StageMetrics;
  readonly drift: DriftCheck;
  /** Null for a stage without a synthetic stream. */
  readonly synthetic: SyntheticStream | null;
  /** The failed status checks of each NAT machine; empty for a stage with NAT gateways. */
  readonly natFailures: readonly IMetric[];
  /** Receives a notification when an alarm begins and when it ends. */
  readonly topic: ITopic;
}

interface AlarmSettings {
  /** Heading of the entry in the runbook. Similar alarms share an entry. */
  readonly runbook: string;
  /** The finding, as a sentence for the reader of the notification. */
  readonly says: string;
  readonly metric: IMetric;
  /** The value at or above which the alarm is raised. @default 1, without `below` */
  readonly atLeast?: number;
  /** The value below which the alarm is raised. */
  readonly below?: number;
  /** The number of consecutive periods of the metric for which the condition has to hold. @default 1 */
  readonly periods?: number;
  /** Whether to raise the alarm when the metric has no values. @default false */
  readonly missingIsBad?: boolean;
}

/** Seconds that the oldest command of a queue may wait: more for queues whose commands take longer. */
const oldestCommandSeconds: Readonly<Record<QueueName, number>> = {
  'publish-ffmpeg': 60,
  'publish-manifest': 60,
  media: 900,
  imports: 1800,
  timers: 60,
  webhooks: 300,
  platforms: 300,
};

export class Alarms extends Construct {
  readonly all: Alarm[] = [];
  readonly #topic: ITopic;

  constructor(scope: Construct, id: string, { settings, metrics, drift, synthetic, natFailures, topic }: AlarmsProps) {
    super(scope, id);
    this.#topic = topic;

    if (synthetic) {
      this.#add('StartsFail', {
        runbook: 'Starts fail',
        says: 'The test stream had no pictures at its ingest.',
        metric: synthetic.failed,
      });
      this.#add('StartsUnproved', {
        runbook: 'Starts fail',
        says: 'No test stream has started for three minutes.',
        metric: synthetic.proved,
        below: 1,
        periods: 3,
        missingIsBad: true,
      });
    }
    this.#add('StreamsFailing', {
      runbook: 'Streams failing',
      says: 'Connections to destinations ended by a fault of ours.',
      metric: metrics.sessionsEnded('ours'),
      atLeast: 5,
      periods: 2,
    });
    this.#add('LeaseExpiries', {
      runbook: 'Lease expiries',
      says: 'Agents took streams of other agents over, which died, hang or were replaced.',
      metric: metrics.takeovers,
      atLeast: 10,
    });
    for (const backend of ['ffmpeg', 'manifest'] as const) {
      this.#add(`NoAgents-${backend}`, {
        runbook: 'No agents',
        says: `No ${backend} agent has reported.`,
        metric: metrics.capacity(backend),
        below: 1,
        periods: 3,
        missingIsBad: true,
      });
      this.#add(`CapacityShort-${backend}`, {
        runbook: 'Capacity short',
        says: `The ${backend} agents are almost full, and no new ones have started.`,
        metric: metrics.capacityUsedPercent(backend),
        atLeast: 95,
        periods: 15,
      });
    }
    this.#add('GpuCapacityShort', {
      runbook: 'GPU capacity short',
      says: 'Tasks wait for a machine with a GPU.',
      metric: metrics.gpuReservationPercent,
      atLeast: 101,
      periods: 15,
    });
    this.#add('GpuUnused', {
      runbook: 'GPU unused',
      says: 'An agent or worker on a GPU machine encodes by software.',
      metric: metrics.gpusUnused,
    });
    for (const [name, seconds] of Object.entries(oldestCommandSeconds) as [QueueName, number][]) {
      this.#add(`QueueAge-${name}`, {
        runbook: 'Queue age',
        says: `The oldest command of the queue ${name} has waited for more than ${seconds} s.`,
        metric: metrics.oldestCommandSeconds(name),
        atLeast: seconds,
        periods: 5,
      });
      this.#add(`DeadLetters-${name}`, {
        runbook: 'Dead letters',
        says: `Commands of the queue ${name} failed too often, and are dead letters.`,
        metric: metrics.deadLetters(name),
      });
    }
    this.#add('SweepLate', {
      runbook: 'Sweep late',
      says: 'The minute sweep failed: schedules, durations and credits may be late.',
      metric: metrics.sweepsSucceeded,
      below: 1,
      missingIsBad: true,
    });
    this.#add('BooksDiffer', {
      runbook: 'Books differ',
      says: 'Ledger, live intervals and invoices differ, or could not be compared.',
      metric: metrics.reconciliationsFailed,
    });
    this.#add('OperateFailed', {
      runbook: 'Operate failing',
      says: 'A command of an operator failed by a fault of ours.',
      metric: metrics.operatorCommandsFailed,
    });
    this.#add('MailsFailed', {
      runbook: 'Mails failing',
      says: 'Mails to users were not sent: users cannot sign up.',
      metric: metrics.mailsFailed,
    });
    if (metrics.mailsRefused)
      this.#add('MailsRefused', {
        runbook: 'Mails failing',
        says: 'Mails to users bounced, or were reported as spam; SES pauses an account with too many.',
        metric: metrics.mailsRefused,
        atLeast: 5,
      });
    for (const [name, fn] of metrics.functions) {
      this.#add(`FunctionFailing-${name}`, {
        runbook: 'Function failing',
        says: `Calls of the function ${name} ended with an error, or at its time limit.`,
        metric: metrics.functionErrors(fn),
        atLeast: 3,
      });
      this.#add(`FunctionThrottled-${name}`, {
        runbook: 'Function throttled',
        says: `Calls of the function ${name} were refused, because too many run at once.`,
        metric: metrics.functionThrottles(fn),
      });
    }
    this.#add('FunctionMemory', {
      runbook: 'Function memory',
      says: 'A function uses almost all of its memory: with a larger task it would be ended.',
      metric: metrics.functionsShortOfMemory,
    });
    this.#add('Drift', {
      runbook: 'Drift',
      says: 'Resources of the stage differ from its templates, or could not be compared with them.',
      metric: drift.failed,
    });
    this.#add('ApiErrors', {
      runbook: 'API errors',
      says: 'Requests ended with a fault of ours (5xx).',
      metric: metrics.apiErrors,
      atLeast: 5,
    });
    this.#add('ApiSlow', {
      runbook: 'API slow',
      says: 'One request in a hundred takes longer than 3 s.',
      metric: metrics.apiP99Ms,
      atLeast: 3000,
      periods: 3,
    });
    for (const [index, metric] of natFailures.entries())
      this.#add(`NatMachine${index + 1}`, {
        runbook: 'NAT machine failing',
        says: 'A NAT machine does not answer, or is gone: functions reach neither AWS nor others.',
        metric,
        periods: 3,
        missingIsBad: true,
      });
    this.#add('DatabaseConnections', {
      runbook: 'Database connections',
      says: 'The database is near its limit of connections.',
      metric: metrics.databaseConnections,
      atLeast: settings.databaseConnectionsAlarm,
      periods: 3,
    });
    this.#add('DatabaseStorage', {
      runbook: 'Database storage',
      says: 'Less than a tenth of the initial storage of the database is free.',
      metric: metrics.databaseFreeBytes,
      below: (settings.databaseStorageGiB * 1024 ** 3) / 10,
      periods: 3,
    });
    this.#add('DatabaseCpu', {
      runbook: 'Database CPU',
      says: 'The CPU of the database is almost fully used.',
      metric: metrics.databaseCpuPercent,
      atLeast: 85,
      periods: 5,
    });
  }

  #add(id: string, { atLeast = 1, periods = 1, missingIsBad = false, ...settings }: AlarmSettings): void {
    const { runbook, says, metric, below } = settings;
    const alarm = new Alarm(this, id, {
      alarmDescription: `${says} Runbook: lib/README.md, “${runbook}”.`,
      metric,
      threshold: below ?? atLeast,
      comparisonOperator:
        below === undefined
          ? ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD
          : ComparisonOperator.LESS_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: missingIsBad ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.#topic));
    alarm.addOkAction(new SnsAction(this.#topic));
    this.all.push(alarm);
  }
}
