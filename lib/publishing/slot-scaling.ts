// How many agents run: so many that 80 % of their slots are in use, and one agent more.
import { Duration } from 'aws-cdk-lib';
import { CfnScalingPolicy, type ScalableTarget } from 'aws-cdk-lib/aws-applicationautoscaling';
import type { BaseService, Cluster } from 'aws-cdk-lib/aws-ecs';
import { Construct } from 'constructs';
import { loadMetrics } from '../../lambda/publisher/environment.ts';

export interface SlotScalingProps {
  readonly cluster: Cluster;
  readonly service: BaseService;
  /** The backend that the agents of the service report with their numbers. */
  readonly backend: 'ffmpeg' | 'manifest';
  readonly minAgents: number;
  readonly maxAgents: number;
}

/** The part of the slots that may be in use. */
const targetUsedFraction = 0.8;

/**
 * Has AWS track a target for a metric of the platform. The number of agents that is wanted is `used / (0.8 × slots per
 * agent) + 1`. The metric is that number in percent of the agents there are, so its target is 100. The slots per agent
 * are those that agents report: an agent whose GPU does not encode has fewer than it was given, and with the given
 * number a service that has nothing to do would grow. The policy is made with the CloudFormation resource, because the
 * CDK's own construct takes no metric math.
 */
export class SlotScaling extends Construct {
  constructor(scope: Construct, id: string, { cluster, service, backend, minAgents, maxAgents }: SlotScalingProps) {
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
      policyName: `${this.node.path}/SlotsWanted`,
      policyType: 'TargetTrackingScaling',
      scalingTargetId: target.scalableTargetId,
      targetTrackingScalingPolicyConfiguration: {
        targetValue: 100,
        scaleOutCooldown: Duration.minutes(2).toSeconds(),
        // Agents with streams protect themselves, so scaling in only ends agents without.
        scaleInCooldown: Duration.minutes(15).toSeconds(),
        customizedMetricSpecification: {
          metrics: [
            { id: 'used', metricStat: of(loadMetrics.slotsUsed, 'Sum'), returnData: false },
            { id: 'there', metricStat: of(loadMetrics.slots, 'Sum'), returnData: false },
            // Each agent reports once a minute, so the average of the reports is what one agent has.
            { id: 'each', metricStat: of(loadMetrics.slots, 'Average'), returnData: false },
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
