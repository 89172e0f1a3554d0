// What a stage with very many streams takes, computed from what was measured of few, and what would break first.
import { agentOf, type StreamHourCost, type StreamKind } from './stream-hour-cost.ts';
import { shareOf } from '../../lambda/domain/fleet/capacity.ts';
import type { Template } from './stage-resources.ts';

/** Measured by `npm run bench -- platform`: Postgres for one agent with 300 streams that nobody starts or stops. */
const postgresCoresPerAgent = 0.004;
/** Ten of the agent's pool, two of its lease (lambda/publisher/agent.task.ts, agent/agent-lease.ts). */
const connectionsPerAgent = 12;
/** https://docs.aws.amazon.com/AmazonECS/latest/developerguide/service-quotas.html: tasks of one service. */
const tasksPerService = 5000;
/** Of a machine with 192 vCPU, the largest that RDS has for Postgres, half is for starts, stops and the API. */
const postgresCoresMost = 96;
/** Postgres takes no more (`max_connections` of RDS). RDS Proxy lends them out by transaction. */
const databaseConnectionsMost = 5000;
/** So many of an agent's connections are in use at the same time while it only renews. */
const connectionsInUsePerAgent = 0.1;

export interface ScalePlan {
  readonly streams: number;
  readonly agents: number;
  readonly postgresCores: number;
  readonly clientConnections: number;
  readonly databaseConnections: number;
  readonly egressGbps: number;
  readonly usdComputePerHour: number;
  readonly usdEgressPerHour: number;
  /** Stages with a database each that the streams have to be spread over. */
  readonly cells: number;
  /** What makes them as many. */
  readonly breaksFirst: string;
}

/**
 * @param kind what all of the streams are, prepared
 * @param hour what one of them costs
 * @param templates of all stacks of the stage whose agents carry the streams
 */
export function scalePlan(
  streams: number,
  kind: StreamKind,
  hour: StreamHourCost,
  templates: readonly Template[],
): ScalePlan {
  const { capacity, usedFraction, usdPerHour } = agentOf('manifest', templates);
  const agents = Math.ceil((streams * shareOf(kind.costs.manifest, capacity)) / usedFraction) + 1;
  const postgresCores = agents * postgresCoresPerAgent;
  const databaseConnections = Math.ceil(agents * connectionsInUsePerAgent);
  const limits = [
    ['tasks of one ECS service', agents / tasksPerService],
    ['processors of Postgres', postgresCores / postgresCoresMost],
    ['connections of Postgres', databaseConnections / databaseConnectionsMost],
  ] as const;
  const [breaksFirst, times] = limits.toSorted((a, b) => b[1] - a[1])[0]!;
  return {
    streams,
    agents,
    postgresCores,
    clientConnections: agents * connectionsPerAgent,
    databaseConnections,
    egressGbps: (streams * kind.costs.manifest.networkMbps) / 1000,
    usdComputePerHour: agents * usdPerHour * usedFraction,
    usdEgressPerHour: streams * hour.usdEgress.cheapest,
    cells: Math.ceil(times),
    breaksFirst,
  };
}
