// Takes a release of agents back that is bad only under load: its tasks are healthy, and its streams fail.
import { Duration, Stack } from 'aws-cdk-lib';
import { Alarm, Metric, Stats, TreatMissingData, Unit } from 'aws-cdk-lib/aws-cloudwatch';
import { AlarmBehavior, type DeploymentAlarmConfig } from 'aws-cdk-lib/aws-ecs';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { loadMetrics } from '../../lambda/publisher/environment.ts';

export interface ReleaseAlarmProps {
  /** Of the agents of the service, old and new ones. */
  readonly logGroup: ILogGroup;
}

/** So many in a minute, in two minutes of three. A hand-over at a release is no fault, and makes no such line. */
const faultsAMinute = 5;

/**
 * Counts connections that ended by our fault, and agents that could not renew their leases and let go of their streams.
 * ECS looks at the alarm while it deploys and for some minutes after that (its bake time, which it takes from the
 * alarm's periods). It tells nobody: the alarms of the stage do.
 */
export class ReleaseAlarm extends Construct {
  /** For a service, beside its circuit breaker. */
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
      alarmDescription: 'Streams fail by our fault, or agents lose their leases: a release under way is taken back.',
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
