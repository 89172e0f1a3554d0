// The alarms that page an engineer, each with its entry in the runbook of lib/README.md. A test checks the entries.
import { type AlarmBase, AlarmRule, AlarmState, CompositeAlarm, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { QueueName } from '../../lambda/ports/command-queue/queues.ts';
import { connectionBudget, memoryBytes } from '../database/connection-budget.ts';
import type { StageSettings } from '../stage-settings.ts';
import type { DriftCheck } from './drift-check.ts';
import { descriptionOf, RunbookAlarm, type RunbookAlarmSettings } from './runbook-alarm.ts';
import type { PausableReceiver, StageMetrics } from './stage-metrics.ts';
import type { SyntheticStream } from './synthetic-stream.ts';

export interface AlarmsProps {
  readonly settings: StageSettings;
  readonly metrics: StageMetrics;
  readonly drift: DriftCheck;
  /** Null for a stage without a synthetic stream. */
  readonly synthetic: SyntheticStream | null;
  /** The failed status checks of each NAT machine; empty for a stage with NAT gateways. */
  readonly natFailures: readonly IMetric[];
  /** Settings of alarms by their ids. Null for a stage whose front door has its metrics in another region. */
  readonly frontDoor: ReadonlyMap<string, RunbookAlarmSettings> | null;
  /** Receives a notification when an alarm begins and when it ends. */
  readonly topic: ITopic;
}

/** Parts of what Postgres allows: connections that are used, and connections that are pinned. */
const connectionsAlarmed = 0.8;
const pinnedMany = 0.1;
/** The part of the database's memory below which free memory is low. */
const memoryLow = 0.05;

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
  readonly all: RunbookAlarm[] = [];
  /** Each is raised while such mails endanger the account. None for a stage that sends no mails. */
  readonly pausingMails: ReadonlyMap<PausableReceiver, RunbookAlarm>;
  readonly #topic: ITopic;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const { settings, metrics, drift, synthetic, natFailures, frontDoor, topic } = props;
    this.#topic = topic;
    const each = (name: string, alarm: RunbookAlarmSettings) => this.#add(name, alarm);
    // When agents are gone, all of these are raised: they notify together.
    const parts: RunbookAlarm[] = [];
    const starting = (name: string, alarm: RunbookAlarmSettings) => void parts.push(this.#silent(name, alarm));

    if (synthetic) {
      starting('StartsFail', {
        runbook: 'Starts fail',
        severity: 'urgent',
        says: 'The test stream had no pictures at its ingest.',
        metric: synthetic.failed,
      });
      starting('StartsUnproved', {
        runbook: 'Starts fail',
        severity: 'urgent',
        says: 'No test stream has started for three minutes.',
        metric: synthetic.proved,
        below: 1,
        periods: 3,
        missingIsBad: true,
      });
    }
    this.#add('StreamsFailing', {
      runbook: 'Streams failing',
      severity: 'urgent',
      says: 'Connections to destinations ended by a fault of ours.',
      metric: metrics.sessionsEnded('ours'),
      atLeast: 5,
      periods: 2,
    });
    starting('LeaseExpiries', {
      runbook: 'Lease expiries',
      severity: 'urgent',
      says: 'Agents took streams of other agents over, which died, hang or were replaced.',
      metric: metrics.takeovers,
      atLeast: 10,
    });
    for (const backend of ['ffmpeg', 'manifest'] as const) {
      starting(`NoAgents-${backend}`, {
        runbook: 'No agents',
        severity: 'urgent',
        says: `No ${backend} agent has reported.`,
        metric: metrics.capacity(backend),
        below: 1,
        periods: 3,
        missingIsBad: true,
      });
      this.#add(`CapacityShort-${backend}`, {
        runbook: 'Capacity short',
        severity: 'urgent',
        says: `The ${backend} agents are almost full, and no new ones have started.`,
        metric: metrics.capacityUsedPercent(backend),
        atLeast: 95,
        periods: 15,
      });
    }
    this.#add('GpuCapacityShort', {
      runbook: 'GPU capacity short',
      severity: 'urgent',
      says: 'Tasks wait for a machine with a GPU.',
      metric: metrics.gpuReservationPercent,
      atLeast: 101,
      periods: 15,
    });
    this.#add('GpuUnused', {
      runbook: 'GPU unused',
      severity: 'soon',
      says: 'An agent or worker on a GPU machine encodes by software.',
      metric: metrics.gpusUnused,
    });
    for (const [name, seconds] of Object.entries(oldestCommandSeconds) as [QueueName, number][]) {
      const add = name.startsWith('publish-') ? starting : each;
      add(`QueueAge-${name}`, {
        runbook: 'Queue age',
        severity: 'urgent',
        says: `The oldest command of the queue ${name} has waited for more than ${seconds} s.`,
        metric: metrics.oldestCommandSeconds(name),
        atLeast: seconds,
        periods: 5,
      });
      this.#add(`DeadLetters-${name}`, {
        runbook: 'Dead letters',
        severity: 'soon',
        says: `Commands of the queue ${name} failed too often, and are dead letters.`,
        metric: metrics.deadLetters(name),
      });
    }
    const atRisk = new CompositeAlarm(this, 'StreamsAtRisk', {
      alarmDescription: descriptionOf({
        runbook: 'Streams at risk',
        severity: 'urgent',
        says: 'Streams do not start, or agents are gone.',
      }),
      alarmRule: AlarmRule.anyOf(...parts.map((alarm) => AlarmRule.fromAlarm(alarm, AlarmState.ALARM))),
    });
    this.#notify(atRisk);
    this.#ofJobs(metrics);
    this.pausingMails = this.#ofMails(metrics);
    this.#ofFunctions(metrics);
    this.#add('Drift', {
      runbook: 'Drift',
      severity: 'soon',
      says: 'Resources of the stage differ from its templates, or could not be compared with them.',
      metric: drift.failed,
      // A week: until the next comparison.
      stays: 6,
    });
    for (const [index, metric] of natFailures.entries())
      this.#add(`NatMachine${index + 1}`, {
        runbook: 'NAT machine failing',
        severity: 'urgent',
        says: 'A NAT machine does not answer, or is gone: functions reach neither AWS nor others.',
        metric,
        periods: 3,
        missingIsBad: true,
      });
    this.#ofLiveIngest(metrics.liveIngest);
    this.#ofRequests(metrics, frontDoor);
    this.#ofDatabase(settings, metrics);
  }

  #ofLiveIngest(live: StageMetrics['liveIngest']): void {
    if (live === null) return;
    this.#add('NoLiveIngest', {
      runbook: 'Live ingest down',
      severity: 'urgent',
      says: 'No live ingest accepts connections: contributors cannot take streams over.',
      metric: live.healthyTasks,
      below: 1,
      periods: 3,
      missingIsBad: true,
    });
    this.#add('LiveIngestFull', {
      runbook: 'Live ingest full',
      severity: 'urgent',
      says: 'Contributors were refused, because a live ingest had no room.',
      metric: live.refused,
      // An encoder that is refused once connects again, and mostly gets to another task.
      atLeast: 3,
    });
    this.#add('LiveIngestRestarts', {
      runbook: 'Live ingest restarts',
      severity: 'urgent',
      says: 'Live ingests start again and again.',
      metric: live.starts,
      atLeast: 3,
      periods: 2,
    });
  }

  #ofJobs(metrics: StageMetrics): void {
    this.#add('SweepLate', {
      runbook: 'Sweep late',
      severity: 'urgent',
      says: 'The minute sweep failed: schedules, durations and credits may be late.',
      metric: metrics.sweepsSucceeded,
      below: 1,
      missingIsBad: true,
    });
    this.#add('BooksDiffer', {
      runbook: 'Books differ',
      severity: 'soon',
      says: 'Ledger, live intervals and invoices differ, or could not be compared.',
      metric: metrics.reconciliationsFailed,
    });
    this.#add('OperateFailed', {
      runbook: 'Operate failing',
      severity: 'soon',
      says: 'A command of an operator failed by a fault of ours.',
      metric: metrics.operatorCommandsFailed,
    });
  }

  /** @returns those of mails that can be paused */
  #ofMails(metrics: StageMetrics): ReadonlyMap<PausableReceiver, RunbookAlarm> {
    this.#add('MailsFailed', {
      runbook: 'Mails failing',
      severity: 'urgent',
      says: 'Mails to users were not sent: users cannot sign up.',
      metric: metrics.mailsFailed,
    });
    this.#add('MailsHeld', {
      runbook: 'Mails failing',
      severity: 'soon',
      says: 'Strangers ask for many mails of sign-in: those beyond the limits are dropped.',
      metric: metrics.mailsHeld,
      atLeast: 50,
    });
    if (metrics.mailsRefused)
      this.#add('MailsRefused', {
        runbook: 'Mails failing',
        severity: 'urgent',
        says: 'Mails to users with a purchase bounced, or were reported as spam; SES pauses an account with too many.',
        metric: metrics.mailsRefused,
        atLeast: 5,
      });
    const pausing = new Map<PausableReceiver, RunbookAlarm>();
    const pausable = (receiver: PausableReceiver, id: string, alarm: Omit<RunbookAlarmSettings, 'metric'>) => {
      const metric = metrics.pausableMailsRefused(receiver);
      if (metric !== null) pausing.set(receiver, this.#add(id, { ...alarm, metric }));
    };
    pausable('unconfirmed', 'UnconfirmedMails', {
      runbook: 'Sign-up mails paused',
      severity: 'urgent',
      says: 'Mails to addresses that are not confirmed came back, and are paused: users cannot sign up.',
    });
    pausable('unfunded', 'UnfundedMails', {
      runbook: 'Mails without purchase paused',
      severity: 'urgent',
      says: 'Mails to users without a purchase came back, and are paused.',
    });
    return pausing;
  }

  #ofRequests(metrics: StageMetrics, frontDoor: AlarmsProps['frontDoor']): void {
    for (const [name, alarm] of frontDoor ?? []) this.#add(name, alarm);
    this.#add('ApiErrors', {
      runbook: 'API errors',
      severity: 'urgent',
      says: 'Requests ended with a fault of ours (5xx).',
      metric: metrics.apiErrors,
      atLeast: 5,
    });
    this.#add('ApiSlow', {
      runbook: 'API slow',
      severity: 'soon',
      says: 'One request in a hundred takes longer than 3 s.',
      metric: metrics.apiP99Ms,
      atLeast: 3000,
      periods: 3,
    });
    if (metrics.failedCopies)
      this.#add('CopiesFail', {
        runbook: 'Copies fail',
        severity: 'soon',
        says: 'Uploads were not copied to the second region.',
        metric: metrics.failedCopies,
      });
  }

  #ofFunctions(metrics: StageMetrics): void {
    for (const [name, fn] of metrics.functions) {
      this.#add(`FunctionFailing-${name}`, {
        runbook: 'Function failing',
        severity: 'urgent',
        says: `Calls of the function ${name} ended with an error, or at its time limit.`,
        metric: metrics.functionErrors(fn),
        atLeast: 3,
      });
      this.#add(`FunctionThrottled-${name}`, {
        runbook: 'Function throttled',
        severity: 'urgent',
        says: `Calls of the function ${name} were refused, because too many run at once.`,
        metric: metrics.functionThrottles(fn),
      });
    }
    this.#add('FunctionMemory', {
      runbook: 'Function memory',
      severity: 'soon',
      says: 'A function uses almost all of its memory: with a larger task it would be ended.',
      metric: metrics.functionsShortOfMemory,
    });
  }

  #ofDatabase(settings: StageSettings, metrics: StageMetrics): void {
    this.#add('DatabaseConnections', {
      runbook: 'Database connections',
      severity: 'urgent',
      says: 'The database is near its limit of connections.',
      metric: metrics.databaseConnections,
      atLeast: Math.floor(connectionsAlarmed * connectionBudget(settings).allowed),
      periods: 3,
    });
    this.#add('DatabaseStorage', {
      runbook: 'Database storage',
      severity: 'urgent',
      says: 'Less than a tenth of the initial storage of the database is free.',
      metric: metrics.databaseFreeBytes,
      below: (settings.databaseStorageGiB * 1024 ** 3) / 10,
      periods: 3,
    });
    this.#add('DatabaseMemory', {
      runbook: 'Database memory',
      severity: 'urgent',
      says: 'The database has almost no free memory: Postgres restarts when it gets none.',
      metric: metrics.databaseFreeMemoryBytes,
      below: memoryLow * memoryBytes(settings.databaseInstanceClass)!,
      periods: 3,
    });
    if (metrics.databaseCpuCredits)
      this.#add('DatabaseCredits', {
        runbook: 'Database credits',
        severity: 'soon',
        says: 'The database has used its CPU credits up, and every further vCPU-hour is paid for.',
        metric: metrics.databaseCpuCredits,
        below: 5,
        // A new instance begins without credits, and earns at least 12 an hour.
        periods: 36,
      });
    if (metrics.pinnedConnections)
      this.#add('PinnedConnections', {
        runbook: 'Pinned connections',
        severity: 'soon',
        says: 'RDS Proxy pins many connections to single clients, so that others wait.',
        metric: metrics.pinnedConnections,
        atLeast: Math.floor(pinnedMany * connectionBudget(settings).allowed),
        periods: 15,
      });
    this.#add('DatabaseCpu', {
      runbook: 'Database CPU',
      severity: 'soon',
      says: 'The CPU of the database is almost fully used.',
      metric: metrics.databaseCpuPercent,
      atLeast: 85,
      periods: 5,
    });
  }

  #add(id: string, settings: RunbookAlarmSettings): RunbookAlarm {
    const alarm = this.#silent(id, settings);
    this.#notify(alarm);
    return alarm;
  }

  /** An alarm that notifies only as a part of another. */
  #silent(id: string, settings: RunbookAlarmSettings): RunbookAlarm {
    const alarm = new RunbookAlarm(this, id, settings);
    this.all.push(alarm);
    return alarm;
  }

  #notify(alarm: AlarmBase): void {
    alarm.addAlarmAction(new SnsAction(this.#topic));
    alarm.addOkAction(new SnsAction(this.#topic));
  }
}
