// The figures that say how a stage does, each in one place: alarms and the dashboard both read them here.
import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, Stats, Unit } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { loadMetrics } from '../../lambda/publisher/environment.ts';
import type { ApiStack } from '../api/api-stack.ts';
import type { DatabaseStack } from '../database/database-stack.ts';
import type { QueueName } from '../../lambda/ports/command-queue/queues.ts';
import type { PublishingStack } from '../publishing/publishing-stack.ts';

export interface StageMetricsProps {
  readonly database: DatabaseStack;
  readonly publishing: PublishingStack;
  readonly api: ApiStack;
}

type Backend = 'ffmpeg' | 'manifest';

/** Whose fault the end of a connection was, as agents log it (`session_ended`). */
export const blames = ['ours', 'media', 'destination'] as const;

const minute = Duration.minutes(1);
const fiveMinutes = Duration.minutes(5);

/** Made from the stacks, and from what agents log. */
export class StageMetrics extends Construct {
  readonly #props: StageMetricsProps;
  /** Of this stage alone: stages may share an account. */
  readonly #namespace: string;

  constructor(scope: Construct, id: string, props: StageMetricsProps) {
    super(scope, id);
    this.#props = props;
    this.#namespace = `${loadMetrics.namespace}/${props.publishing.stackName}`;
    for (const [index, logGroup] of props.publishing.agents.logGroups.entries()) {
      const count = (metricName: string, pattern: string) =>
        new MetricFilter(this, `${metricName}${index}`, {
          logGroup,
          metricNamespace: this.#namespace,
          metricName,
          filterPattern: FilterPattern.literal(pattern),
        });
      for (const blame of blames)
        count(sessionsEndedName(blame), `{ $.event = "session_ended" && $.blame = "${blame}" }`);
      // The first claim of a replica has epoch 1.
      count('Takeovers', '{ $.event = "replica_claimed" && $.epoch > 1 }');
    }
  }

  /** Connections to destinations that ended and were not told to. */
  sessionsEnded(blame: (typeof blames)[number]): IMetric {
    return this.#logged(sessionsEndedName(blame), `ended, ${blame}`);
  }

  get takeovers(): IMetric {
    return this.#logged('Takeovers', 'streams taken over');
  }

  replicas(backend: Backend): IMetric {
    return this.#load(loadMetrics.replicas, backend, `${backend} streams on agents`);
  }

  slotsUsed(backend: Backend): IMetric {
    return this.#load(loadMetrics.slotsUsed, backend, `${backend} slots used`);
  }

  slots(backend: Backend): IMetric {
    return this.#load(loadMetrics.slots, backend, `${backend} slots`);
  }

  slotsUsedPercent(backend: Backend): IMetric {
    return new MathExpression({
      expression: '100 * used / there',
      usingMetrics: { used: this.slotsUsed(backend), there: this.slots(backend) },
      period: minute,
      label: `${backend} slots used, %`,
    });
  }

  /** More than 100: tasks wait for machines. */
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
    return this.#props.publishing.reconcile.metricErrors({
      statistic: Stats.SUM,
      period: fiveMinutes,
      label: 'proofs of the books that failed',
    });
  }

  get apiRequests(): IMetric {
    return this.#props.api.restApi.metricCount({ period: fiveMinutes, label: 'requests' });
  }

  get apiErrors(): IMetric {
    return this.#props.api.restApi.metricServerError({ statistic: Stats.SUM, period: fiveMinutes, label: '5xx' });
  }

  get apiP99Ms(): IMetric {
    return this.#props.api.restApi.metricLatency({
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

  #logged(metricName: string, label: string): IMetric {
    return new Metric({ namespace: this.#namespace, metricName, statistic: Stats.SUM, period: fiveMinutes, label });
  }

  /** Each agent reports once a minute, so the sum of a minute is that of all agents. */
  #load(metricName: string, backend: Backend, label: string): IMetric {
    const dimensionsMap = { Cluster: this.#props.publishing.agents.cluster.clusterName, Backend: backend };
    return new Metric({
      namespace: loadMetrics.namespace,
      metricName,
      dimensionsMap,
      statistic: Stats.SUM,
      period: minute,
      label,
      unit: Unit.COUNT,
    });
  }
}

function sessionsEndedName(blame: (typeof blames)[number]): string {
  return `SessionsEnded-${blame}`;
}
