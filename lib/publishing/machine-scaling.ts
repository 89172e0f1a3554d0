// Scales agents on machines from zero: one starts while streams wait, and one ends after a quiet time.
// Steps change the number by one. Target tracking multiplies it, so zero would stay zero.
import { Duration } from 'aws-cdk-lib';
import { AdjustmentType, StepScalingAction, type ScalableTarget } from 'aws-cdk-lib/aws-applicationautoscaling';
import { Alarm, ComparisonOperator, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { ApplicationScalingAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { BaseService, Cluster } from 'aws-cdk-lib/aws-ecs';
import { Construct } from 'constructs';
import { loadMetrics } from '../../lambda/publisher/environment.ts';

export interface MachineScalingProps {
  readonly cluster: Cluster;
  readonly service: BaseService;
  readonly maxAgents: number;
}

/** Seconds from a start until its stream airs: a minute each for report and alarm, four for machine and agent. */
export const machineSeconds = 360;
/** Minutes without waiting streams after which an agent ends. */
const quietMinutes = 15;

/**
 * Target tracking would multiply the number of agents, which is zero. So the wanted number rises and falls by one.
 * Agents with streams protect themselves: a number below theirs ends only agents without streams, and the others end
 * after their streams. If streams wait meanwhile, the number rises until it exceeds the number of these agents.
 */
export class MachineScaling extends Construct {
  constructor(scope: Construct, id: string, { cluster, service, maxAgents }: MachineScalingProps) {
    super(scope, id);
    const taskCount = service.autoScaleTaskCount({ minCapacity: 0, maxCapacity: maxAgents });
    const scalingTarget = taskCount.node.findChild('Target') as ScalableTarget;
    const waiting = new Metric({
      namespace: loadMetrics.namespace,
      metricName: loadMetrics.waiting.name,
      dimensionsMap: { Cluster: cluster.clusterName, Backend: 'ffmpeg' },
      // Each reporting agent counts all waiting streams.
      statistic: Stats.MAXIMUM,
      period: Duration.minutes(1),
    });
    const step = (stepID: string, change: 1 | -1) => {
      const action = new StepScalingAction(this, stepID, {
        scalingTarget,
        adjustmentType: AdjustmentType.CHANGE_IN_CAPACITY,
        cooldown: Duration.minutes(3),
      });
      action.addAdjustment({ adjustment: change, ...(change > 0 ? { lowerBound: 0 } : { upperBound: 0 }) });
      return new ApplicationScalingAction(action);
    };
    new Alarm(this, 'Waiting', {
      alarmDescription: 'Streams wait for a machine: another one starts.',
      metric: waiting,
      threshold: 1,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.MISSING,
    }).addAlarmAction(step('More', 1));
    new Alarm(this, 'Quiet', {
      alarmDescription: 'No stream waits for a machine: one without streams ends.',
      metric: waiting,
      threshold: 0,
      comparisonOperator: ComparisonOperator.LESS_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: quietMinutes,
      treatMissingData: TreatMissingData.MISSING,
    }).addAlarmAction(step('Fewer', -1));
  }
}
