// Scales the number of agents: 80 % of their capacity is in use, and one agent is spare.
import { Duration } from 'aws-cdk-lib';
import { CfnScalingPolicy, type ScalableTarget } from 'aws-cdk-lib/aws-applicationautoscaling';
import type { BaseService, Cluster } from 'aws-cdk-lib/aws-ecs';
import { Construct } from 'constructs';
import { loadMetrics } from '../../lambda/publisher/environment.ts';

export interface CapacityScalingProps {
  readonly cluster: Cluster;
  readonly service: BaseService;
  /** The backend in the metrics of the service's agents. */
  readonly backend: 'ffmpeg' | 'manifest' | 'live';
  readonly minAgents: number;
  readonly maxAgents: number;
}

/** The share of the capacity that may be in use. */
export const targetUsedFraction = 0.8;

/**
 * Configures target tracking by a metric of the platform. The wanted number of agents is `used / 0.8 + 1`. Each agent
 * reports the used share of its own machine, because a stream uses a larger share of an agent whose GPU does not
 * encode. The metric is the wanted number in percent of the running agents, so its target is 100. The policy is a
 * CloudFormation resource, because the CDK's own construct accepts no metric math.
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
        // Agents with streams protect themselves, so scaling in ends only agents without streams.
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
