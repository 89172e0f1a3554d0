// The options of an agent, and the load that it reports.
import type { Pool } from 'pg';
import type { AgentLoad } from '../../data/fleet/agents.ts';
import type { StreamBackend } from '../../domain/streams/stream-words.ts';
import type { Capacity } from '../../domain/fleet/capacity.ts';
import type { connectionEndsAfterMs } from '../../domain/destinations/ingest-limits.ts';
import type { Log } from '../../log.ts';
import type { StartOptions } from '../../orchestration/runs/start-stream.ts';
import type { StreamingSettings } from '../../orchestration/streams/stream-parts.ts';
import type { CommandQueue, QueueHandler } from '../../ports/command-queue/command-queue.ts';
import type { ObjectStore } from '../../ports/object-store/object-store.ts';
import type { Sealer } from '../../ports/sealer/sealer.ts';
import type { EncoderSettings } from '../ffmpeg/encoder-arguments.ts';
import type { Inspector } from '../inspecting/inspector.ts';
import type { MediaTools } from '../media/media-tools.ts';
import type { Peering } from './peers.ts';

export interface AgentOptions {
  readonly agentID: string;
  /** Id of the supervisor, which restarts this agent when it dies, and then ends the lease of the dead one at once. */
  readonly supervisor: string;
  /** The release that the agent runs. Agents of older releases are asked to end. */
  readonly release: string;
  /** How much the agent may use of its machine. */
  readonly capacity: Capacity;
  /** Seconds until a new machine is up for a stream that no agent has room for; absent if machines are not added. */
  readonly machineSeconds?: number;
  /** The backends whose streams the agent takes. */
  readonly backends: readonly StreamBackend[];
  /** The availability zone of the agent; null if there is only one. */
  readonly zone: string | null;
  /** The address at which other agents ask this one whether it can renew its lease. */
  readonly peering: Peering;

  readonly pool: Pool;
  readonly queue: CommandQueue;
  readonly objects: ObjectStore;
  /** Null for an agent without backends, which opens no stream key. */
  readonly sealer: Sealer | null;
  readonly settings: StreamingSettings;
  readonly tools: MediaTools;
  /** The encoder of the ffmpeg backend. */
  readonly encoder: EncoderSettings;
  /** The handler of the queue `media`, which agents of some backends consume (`takesMedia`). */
  readonly handleMedia: QueueHandler;
  /** Inspects contents on agents that consume `media`, while they keep up; absent for an agent without inspections. */
  readonly inspector?: Inspector;

  /** Ids and randomness for streams that a schedule starts. The randomness also spreads retries over time. */
  readonly startOptions: Pick<StartOptions, 'newID' | 'random'>;
  /** Milliseconds of a clock that never jumps. */
  readonly steadyClock: () => number;
  readonly log: Log;
  /** Called with the agent's load at every renewal. */
  readonly onLoad?: (load: CarriedLoad) => void;
  /** How long a connection lasts. Default: as long as its platform allows. For tests. */
  readonly connectionEndsAfterMs?: typeof connectionEndsAfterMs;
}

export interface CarriedLoad extends AgentLoad {
  /** The number of replicas that the agent holds, by backend. */
  readonly replicas: Readonly<Record<StreamBackend, number>>;
}
