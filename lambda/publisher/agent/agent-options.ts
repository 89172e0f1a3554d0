// What an agent is made of, and what it tells of itself.
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
  /** Whoever starts this agent again when it dies, and then ends its lease at once. */
  readonly supervisor: string;
  /** The release that the agent runs: an agent of an older one is asked to end. */
  readonly release: string;
  /** How much the agent may use of its machine. */
  readonly capacity: Capacity;
  /** How long a machine takes to come for a stream that the agent has no room for; absent where none comes. */
  readonly machineSeconds?: number;
  /** The backends whose streams the agent takes. */
  readonly backends: readonly StreamBackend[];
  /** The part of the region that the agent would be lost with; null where there is only one. */
  readonly zone: string | null;
  /** Where other agents ask this one whether it can renew its lease. */
  readonly peering: Peering;

  readonly pool: Pool;
  readonly queue: CommandQueue;
  readonly objects: ObjectStore;
  /** Null for an agent without backends, which opens no stream key. */
  readonly sealer: Sealer | null;
  readonly settings: StreamingSettings;
  readonly tools: MediaTools;
  /** What the ffmpeg backend encodes with. */
  readonly encoder: EncoderSettings;
  /** Carries out the commands of the queue 'media', which agents of some backends take (`takesMedia`). */
  readonly handleMedia: QueueHandler;
  /** Looks through contents, of the same agents, while they keep up; absent for an agent that looks through none. */
  readonly inspector?: Inspector;

  /** Ids and randomness of the streams that a schedule starts; the randomness also spreads retries over time. */
  readonly startOptions: Pick<StartOptions, 'newID' | 'random'>;
  /** Milliseconds of a clock that never jumps. */
  readonly steadyClock: () => number;
  readonly log: Log;
  /** Told with every renewal what the agent carries. */
  readonly onLoad?: (load: CarriedLoad) => void;
  /** How long a connection lasts, where it is not as long as its platform allows; for tests. */
  readonly connectionEndsAfterMs?: typeof connectionEndsAfterMs;
}

export interface CarriedLoad extends AgentLoad {
  /** How many it holds, by their backend. */
  readonly replicas: Readonly<Record<StreamBackend, number>>;
}
