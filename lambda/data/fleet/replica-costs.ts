// What replicas cost agents, as their rows say it, and the SQL that compares it with an agent's room.
import { costNames, costOfSlot } from '../../domain/fleet/capacity.ts';
import type { Room, StreamCost } from '../../domain/fleet/capacity.ts';
import type { StreamBackend } from '../../domain/streams/stream-words.ts';

/** What a replica costs an agent, see `StreamCost`. All of it is null in rows of releases that counted slots. */
export interface StoredCost {
  readonly cores: number | null;
  readonly cores_beside_gpu: number | null;
  readonly thread: number | null;
  readonly memory_mib: number | null;
  readonly network_mbps: number | null;
  readonly gpu_megapixels: number | null;
}

interface SlotsOfReplica {
  readonly backend: StreamBackend;
  readonly slots: number;
}

export const costColumns = {
  cores: 'cores',
  coresBesideGpu: 'cores_beside_gpu',
  thread: 'thread',
  memoryMiB: 'memory_mib',
  networkMbps: 'network_mbps',
  gpuMegapixels: 'gpu_megapixels',
} as const satisfies Record<keyof StreamCost, keyof StoredCost>;
export const costColumnList = costNames.map((name) => costColumns[name]).join(', ');

/** What a replica costs an agent. */
export function costOfReplica(replica: SlotsOfReplica & StoredCost): StreamCost {
  const of = (factor: number, cost: StreamCost) => (name: keyof StreamCost) => [name, factor * cost[name]] as const;
  const slots = of(replica.slots, costOfSlot(replica.backend));
  const own = (name: keyof StreamCost) => [name, replica[costColumns[name]]!] as const;
  return Object.fromEntries(costNames.map(replica.cores === null ? slots : own)) as unknown as StreamCost;
}

/**
 * SQL of the share of an agent that a replica takes, as `shareOf` in domain/fleet/capacity.ts says it.
 * @param replica the alias of the replica
 * @param weights the parameter with the agent's weights, in the order of `costNames`
 * @param shareOfSlot the parameter with the share of a slot
 */
export const shareOf = (replica: string, weights: string, shareOfSlot: string) => {
  const shares = costNames.map(
    (name, index) => `${replica}.${costColumns[name]} * (${weights}::float8[])[${index + 1}]`,
  );
  return `coalesce(greatest(${shares.join(', ')}), ${replica}.slots * ${shareOfSlot}::float8)`;
};

/** Parameters of `claim` and `succeed`. Rounding must not keep the last stream out. */
export const roomParameters = (agentID: string, backends: readonly StreamBackend[], room: Room) => [
  agentID,
  backends,
  room.share + 1e-6,
  room.weights,
  room.shareOfSlot,
  room.streams,
];
