// How large the tasks of agents on Fargate are: by what lambda/domain/capacity.ts says of streams and of preparing.
import {
  agentMemoryMiB,
  capacityOf,
  costOf,
  preparingMemoryMiB,
  shareOf,
  type StreamToSend,
} from '../../lambda/domain/capacity.ts';
import { mediaLanes } from '../../lambda/domain/lanes.ts';
import type { StageSettings } from '../stage-settings.ts';

/** Fargate gives a task with one vCPU 2 to 8 GiB, in whole GiB. A thread can send no more than what fits into these. */
const fargate = { cpuOfVcpu: 1024, leastMiB: 2048, stepMiB: 1024 } as const;
/** An agent sends on one thread, and the network of a task is full long before (D134). */
const vcpus = 1;
/** The smallest streams take the most memory for what they bring. */
const smallest: StreamToSend = {
  backend: 'manifest',
  quality: 'q_720p',
  framerate: 'f_30',
  videoCodec: 'h264',
  hasSoundTrack: false,
  rtmpURL: 'rtmps://ingest.example/live',
};

/**
 * The size of a task that fills its network or its thread with prepared streams, and prepares beside them, as much at
 * once as an agent may.
 */
export function preparedTaskSize({ manifestAgentNetworkMbps: networkMbps }: StageSettings) {
  const capacity = capacityOf({ cores: vcpus, speed: 1, memoryMiB: Infinity, networkMbps, gpuMegapixels: 0 });
  const cost = costOf(smallest);
  const streamsMiB = cost.memoryMiB / shareOf(cost, capacity);
  const neededMiB = agentMemoryMiB + mediaLanes.count * preparingMemoryMiB(vcpus) + streamsMiB;
  const memoryLimitMiB = Math.max(fargate.leastMiB, Math.ceil(neededMiB / fargate.stepMiB) * fargate.stepMiB);
  return { cpu: vcpus * fargate.cpuOfVcpu, memoryLimitMiB };
}
