// Metrics of the GPU load of a stage, as agents and media workers report it.
import { Duration } from 'aws-cdk-lib';
import { type IMetric, Metric, Stats, Unit } from 'aws-cdk-lib/aws-cloudwatch';
import type { ICluster } from 'aws-cdk-lib/aws-ecs';
import { loadMetrics } from '../../lambda/publisher/environment.ts';

type GpuLoad = 'gpuEncoder' | 'gpuDecoder' | 'gpuMemory' | 'gpuSessions';

/** The load of the busiest GPU of agents, and of media workers. A stage without running GPUs has no values. */
export function gpuLoads({ clusterName }: ICluster, names: readonly GpuLoad[]): IMetric[] {
  return names.flatMap((load) => {
    const { name, unit } = loadMetrics[load];
    return ['ffmpeg', 'media'].map(
      (backend) =>
        new Metric({
          namespace: loadMetrics.namespace,
          metricName: name,
          dimensionsMap: { Cluster: clusterName, Backend: backend },
          statistic: Stats.MAXIMUM,
          period: Duration.minutes(1),
          label: `${backend} ${name}`,
          unit: unit === 'Count' ? Unit.COUNT : Unit.PERCENT,
        }),
    );
  });
}
