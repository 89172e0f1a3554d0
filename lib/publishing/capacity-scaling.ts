// How many agents run: so many that 80 % of their capacity is in use, and one agent more.
import { Duration } from 'aws-cdk-lib';
import { CfnScalingPolicy, type ScalableTarget } from 'aws-cdk-lib/aws-applicationautoscaling';
import type { BaseService, Cluster } from 'aws-cdk-lib/aws-ecs';
import { Construct } from 'constructs';
import { loadMetrics } from '../../lambda/publisher/environment.ts';

export interface CapacityScalingProps {
  readonly cluster: Cluster;
  readonly service: BaseService;
  /** The backend that the agents of the service report with their numbers. */
  readonly backend: 'ffmpeg' | 'manifest';
  readonly minAgents: number;
  readonly maxAgents: number;
}

/** The part of the capacity that may be in use. */
export const targetUsedFraction = 0.8;

/**
 * Has AWS track a target for a metric of the platform. The number of agents that is wanted is `used / 0.8 + 1`, where
 * each agent reports which part of what its own machine has is in use: the same stream is a larger part of an agent
 * whose GPU does not encode. The metric is that number in percent of the agents there are, so its target is 100. The
 * policy is made with the CloudFormation resource, because the CDK's own construct takes no metric math.
 */
export class CapacityScaling extends Construct {
  constructor(scope: Construct, id: string, { cluster, service, backend, minAgents, maxAgents }: CapacityScalingProps) {
    super(scope, id);
    const taskCount = service.autoScaleTaskCount({ minCapacity: minAgents, maxCapacity: maxAgents });
    const target = taskCount.node.findChild('Target') as ScalableTarget;
    const dimensions = [
      { name: 'Cluster', value: cluster.clusterName },
      { name: 'Backend', value: backend },
    ];
    const of = (metricName: string, stat: string) => ({
      metric: { namespace: loadMetrics.namespace, metricName, dimensions },
      stat,
    });
    new CfnScalingPolicy(this, 'Policy', {
      policyName: `${this.node.path}/CapacityWanted`,
      policyType: 'TargetTrackingScaling',
      scalingTargetId: target.scalableTargetId,
      targetTrackingScalingPolicyConfiguration: {
        targetValue: 100,
        scaleOutCooldown: Duration.minutes(2).toSeconds(),
        // Agents with streams protect themselves, so scaling in only ends agents without.
        scaleInCooldown: Duration.minutes(15).toSeconds(),
        customizedMetricSpecification: {
          metrics: [
            { id: 'used', metricStat: of(loadMetrics.capacityUsed.name, 'Sum'), returnData: false },
            { id: 'there', metricStat: of(loadMetrics.capacity.name, 'Sum'), returnData: false },
            // Each agent reports 100 once a minute, so the average of the reports is one agent.
            { id: 'each', metricStat: of(loadMetrics.capacity.name, 'Average'), returnData: false },
            {
              id: 'wanted',
              expression: `100 * (used / ${targetUsedFraction} + each) / there`,
              label: 'Agents wanted, in percent of those there',
              returnData: true,
            },
          ],
        },
      },
    });
  }
}
