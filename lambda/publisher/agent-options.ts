// What an agent is made of, and what it tells of itself.
import type { Pool } from 'pg';
import type { StreamBackend } from '../data/streams.ts';
import type { Starting } from '../orchestration/start-stream.ts';
import type { CommandQueue, QueueHandler } from '../ports/command-queue/command-queue.ts';
import type { Peering } from './peers.ts';
import type { PlanParts } from './publish-plan.ts';
import type { ReplicaRunOptions } from './replica-run.ts';

export interface AgentOptions
  extends Omit<PlanParts, 'data' | 'prepared'>, Pick<ReplicaRunOptions, 'connectionEndsAfterMs'> {
  readonly agentID: string;
  /** Whoever starts this agent again when it dies, and then ends its lease at once. */
  readonly supervisor: string;
  readonly release: string;
  readonly slots: number;
  readonly peering: Peering;
  /** The part of the region that it would be lost with; null where there is only one. */
  readonly zone: string | null;
  readonly backends: readonly StreamBackend[];
  readonly pool: Pool;
  readonly queue: CommandQueue;
  readonly handleMedia: QueueHandler;
  readonly starting: Omit<Starting, 'now' | 'settings'>;
  readonly steadyClock: () => number;
  /** Told with every renewal what the agent carries. */
  readonly onLoad?: (load: AgentLoad) => void;
}

export interface AgentLoad {
  readonly replicas: number;
  readonly slotsUsed: number;
}
