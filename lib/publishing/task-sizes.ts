// How large the tasks of agents are, by what lambda/domain/capacity.ts says of agents, of preparing and of streams.
import {
  agentMemoryMiB,
  capacityOf,
  costOf,
  preparingMemoryMiB,
  shareOf,
  type Machine,
  type StreamToSend,
} from '../../lambda/domain/capacity.ts';
import type { StageSettings } from '../stage-settings.ts';

/** Fargate gives one vCPU 2 to 8 GiB, in whole GiB. More than 5 are never needed, as a thread has its bounds. */
const fargate = { cpuOfVcpu: 1024, leastMiB: 2048, stepMiB: 1024 } as const;
/** The smallest streams take the most memory for what they bring. */
const smallest = {
  quality: 'q_720p',
  framerate: 'f_30',
  videoCodec: 'h264',
  hasSoundTrack: false,
  rtmpURL: 'rtmps://ingest.example/live',
} as const;
/** An agent sends on one thread. What a second core would do for it is to prepare faster. */
const preparedVcpus = 1;

/** The size of a Fargate task that fills its thread or its network with prepared streams, and prepares beside them. */
export function preparedTaskSize({ manifestAgentNetworkMbps: networkMbps }: StageSettings) {
  const memoryMiB = memoryOf('manifest', { cores: preparedVcpus, networkMbps, gpuMegapixels: 0 });
  const memoryLimitMiB = Math.max(fargate.leastMiB, Math.ceil(memoryMiB / fargate.stepMiB) * fargate.stepMiB);
  return { cpu: preparedVcpus * fargate.cpuOfVcpu, memoryLimitMiB };
}

/**
 * The memory that a task with a GPU is sure to have. It is no limit: a task may use all memory of its machine, whose
 * cores agents measure themselves.
 */
export function gpuTaskMemoryMiB({ gpuMegapixels }: StageSettings): number {
  return Math.ceil(memoryOf('ffmpeg', { cores: Infinity, networkMbps: null, gpuMegapixels }));
}

/** What an agent takes that has as many streams as it can send, and prepares. */
function memoryOf(
  backend: StreamToSend['backend'],
  machine: Pick<Machine, 'cores' | 'networkMbps' | 'gpuMegapixels'>,
): number {
  const capacity = capacityOf({ ...machine, speed: 1, memoryMiB: Infinity });
  const cost = costOf({ ...smallest, backend });
  return agentMemoryMiB + preparingMemoryMiB + cost.memoryMiB / shareOf(cost, capacity);
}
