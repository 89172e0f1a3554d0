// How many metrics Container Insights keeps for a cluster, each of which is paid for.
import { containerInsightsMetrics } from './list-prices.ts';
import { neighbours, type StageResource } from './stage-resources.ts';

export function insightsMetricsOf(cluster: StageResource): number {
  const enabled = cluster.properties.ClusterSettings?.some(
    ({ Name, Value }: any) => Name === 'containerInsights' && Value === 'enabled',
  );
  if (!enabled) return 0;
  const services = neighbours(cluster, 'AWS::ECS::Service').length;
  const { perCluster, perService, perTaskFamily } = containerInsightsMetrics;
  return perCluster + services * perService + neighbours(cluster, 'AWS::ECS::TaskDefinition').length * perTaskFamily;
}
