// How large the tasks of agents on Fargate are: by what lambda/domain/fleet/capacity.ts says of streams.
import { memoryToFill } from '../../lambda/domain/fleet/capacity.ts';
import type { StageSettings } from '../stage-settings.ts';

/** Fargate gives a task with one vCPU 2 to 8 GiB, in whole GiB. A thread can send no more than what fits into these. */
const fargate = { cpuOfVcpu: 1024, leastMiB: 2048, stepMiB: 1024 } as const;
/** An agent sends on one thread, and the network of a task is full long before. Decision D134. */
const vcpus = 1;

/** The size of a task that fills its network or its thread with prepared streams. */
export function preparedTaskSize({ manifestAgentNetworkMbps: networkMbps }: StageSettings) {
  const neededMiB = memoryToFill({ cores: vcpus, speed: 1, networkMbps, gpuMegapixels: 0 });
  const memoryLimitMiB = Math.max(fargate.leastMiB, Math.ceil(neededMiB / fargate.stepMiB) * fargate.stepMiB);
  return { cpu: vcpus * fargate.cpuOfVcpu, memoryLimitMiB };
}

/**
 * The size of a task that encodes as well, in the place of machines: it carries three streams at 720p30, or one at
 * 1080p30, as far as its cores are as fast as those that costs were measured on; and it has the memory to prepare one
 * upload.
 */
export const encodingTaskSize = { cpu: 2 * fargate.cpuOfVcpu, memoryLimitMiB: 4096 } as const;
