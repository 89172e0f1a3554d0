// How many agents there are: enough for the slots in use, 20 % more, and one whole agent more.
import { Duration } from 'aws-cdk-lib';
import { CfnScalingPolicy, type ScalableTarget } from 'aws-cdk-lib/aws-applicationautoscaling';
import type { BaseService, Cluster } from 'aws-cdk-lib/aws-ecs';
import { Construct } from 'constructs';
import { loadMetrics } from '../../lambda/publisher/environment.ts';

export interface SlotScalingProps {
  readonly cluster: Cluster;
  readonly service: BaseService;
  /** As the agents of the service report it. */
  readonly backend: 'ffmpeg' | 'manifest';
  readonly slotsPerAgent: number;
  readonly minAgents: number;
  readonly maxAgents: number;
}

/** Of the slots there are, these many may be in use. */
const targetUsedFraction = 0.8;

/**
 * Target tracking of a metric of ours. Agents = used / (0.8 × slots per agent) + 1 is what we want; what is tracked is that number as a
 * percentage of the agents there are, so that its target is 100. L1, because the L2 takes no metric math.
 */
export class SlotScaling extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { cluster, service, backend, slotsPerAgent, minAgents, maxAgents }: SlotScalingProps,
  ) {
    super(scope, id);
    const taskCount = service.autoScaleTaskCount({ minCapacity: minAgents, maxCapacity: maxAgents });
    const target = taskCount.node.findChild('Target') as ScalableTarget;
    const dimensions = [
      { name: 'Cluster', value: cluster.clusterName },
      { name: 'Backend', value: backend },
    ];
    const sumOf = (metricName: string) => ({
      metric: { namespace: loadMetrics.namespace, metricName, dimensions },
      stat: 'Sum',
    });
    new CfnScalingPolicy(this, 'Policy', {
      policyName: `${this.node.path}/SlotsWanted`,
      policyType: 'TargetTrackingScaling',
      scalingTargetId: target.scalableTargetId,
      targetTrackingScalingPolicyConfiguration: {
        targetValue: 100,
        scaleOutCooldown: Duration.minutes(2).toSeconds(),
        // Agents with streams protect themselves; this only ends idle ones.
        scaleInCooldown: Duration.minutes(15).toSeconds(),
        customizedMetricSpecification: {
          metrics: [
            { id: 'used', metricStat: sumOf(loadMetrics.slotsUsed), returnData: false },
            { id: 'there', metricStat: sumOf(loadMetrics.slots), returnData: false },
            {
              id: 'wanted',
              expression: `100 * (used / ${targetUsedFraction} + ${slotsPerAgent}) / there`,
              label: 'Agents wanted, in percent of those there',
              returnData: true,
            },
          ],
        },
      },
    });
  }
}
