// The costs of replicas in their rows, and the SQL that compares them with the room of an agent.
import { costNames } from '../../domain/fleet/capacity.ts';
import type { Room, StreamCost } from '../../domain/fleet/capacity.ts';
import type { StreamBackend } from '../../domain/streams/stream-words.ts';

/** Cost of a replica, see `StreamCost`. */
export interface StoredCost {
  readonly cores: number;
  readonly cores_beside_gpu: number;
  readonly thread: number;
  readonly memory_mib: number;
  readonly network_mbps: number;
  readonly gpu_megapixels: number;
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

export function costOfReplica(replica: StoredCost): StreamCost {
  return Object.fromEntries(costNames.map((name) => [name, replica[costColumns[name]]])) as unknown as StreamCost;
}

/**
 * SQL expression: the share of an agent that a replica takes, as `shareOf` of domain/fleet/capacity.ts computes it.
 * @param replica the alias of the replica
 * @param weights the parameter with the agent's weights, in the order of `costNames`
 */
export const shareOf = (replica: string, weights: string) => {
  const shares = costNames.map(
    (name, index) => `${replica}.${costColumns[name]} * (${weights}::float8[])[${index + 1}]`,
  );
  return `greatest(${shares.join(', ')})`;
};

/** Parameters of `claim` and `succeed`. The tolerance lets the last stream in despite rounding. */
export const roomParameters = (agentID: string, backends: readonly StreamBackend[], room: Room) => [
  agentID,
  backends,
  room.share + 1e-6,
  room.weights,
  room.streams,
];
