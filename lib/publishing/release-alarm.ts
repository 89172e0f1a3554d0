// Rolls back a release of agents that fails only under load: its tasks are healthy, but its streams fail.
import { Duration, Stack } from 'aws-cdk-lib';
import { Alarm, Metric, Stats, TreatMissingData, Unit } from 'aws-cdk-lib/aws-cloudwatch';
import { AlarmBehavior, type DeploymentAlarmConfig } from 'aws-cdk-lib/aws-ecs';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { loadMetrics } from '../../lambda/publisher/environment.ts';

export interface ReleaseAlarmProps {
  /** The log group of all agents of the service, old and new ones. */
  readonly logGroup: ILogGroup;
}

/** Faults per minute, in two of three minutes. A hand-over at a release is no fault, and logs no such line. */
const faultsAMinute = 5;

/**
 * Counts connections that ended by our fault, and agents that could not renew their leases and dropped their streams.
 * ECS checks the alarm during a deployment and for some minutes after it (its bake time, which follows from the alarm's
 * periods). The alarm sends no notifications; the alarms of the stage do.
 */
export class ReleaseAlarm extends Construct {
  /** Alarms for a service, in addition to its circuit breaker. */
  readonly deploymentAlarms: DeploymentAlarmConfig;

  constructor(scope: Construct, id: string, { logGroup }: ReleaseAlarmProps) {
    super(scope, id);
    const named = {
      metricNamespace: `${loadMetrics.namespace}/${Stack.of(this).stackName}`,
      metricName: `Faults${id}`,
    };
    new MetricFilter(this, 'Faults', {
      ...named,
      logGroup,
      filterPattern: FilterPattern.literal(
        '{ ($.event = "session_ended" && $.blame = "ours") || $.event = "agent_cut_off" }',
      ),
      metricValue: '1',
      unit: Unit.COUNT,
    });
    const alarm = new Alarm(this, 'Alarm', {
      alarmDescription: 'Streams fail by our fault, or agents lose their leases: the release is rolled back.',
      metric: new Metric({
        namespace: named.metricNamespace,
        metricName: named.metricName,
        statistic: Stats.SUM,
        period: Duration.minutes(1),
        unit: Unit.COUNT,
      }),
      threshold: faultsAMinute,
      evaluationPeriods: 3,
      datapointsToAlarm: 2,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    this.deploymentAlarms = { alarmNames: [alarm.alarmName], behavior: AlarmBehavior.ROLLBACK_ON_ALARM };
  }
}
