// The sizes of agents' tasks on Fargate, from the costs of streams in lambda/domain/fleet/capacity.ts.
import { memoryToFill } from '../../lambda/domain/fleet/capacity.ts';
import type { StageSettings } from '../stage-settings.ts';

/** Sizes of Fargate tasks with one vCPU: 2 to 8 GiB, in whole GiB, enough for all streams that a thread can send. */
const fargate = { cpuOfVcpu: 1024, leastMiB: 2048, stepMiB: 1024 } as const;
/** An agent sends on one thread, and the network of a task is full long before that thread. */
const vcpus = 1;

/** The size of a task that fills its network or its thread with prepared streams. */
export function preparedTaskSize({
  manifestAgentNetworkMbps: networkMbps,
}: Pick<StageSettings, 'manifestAgentNetworkMbps'>) {
  const neededMiB = memoryToFill({ cores: vcpus, speed: 1, networkMbps, gpuMegapixels: 0 });
  const memoryLimitMiB = Math.max(fargate.leastMiB, Math.ceil(neededMiB / fargate.stepMiB) * fargate.stepMiB);
  return { cpu: vcpus * fargate.cpuOfVcpu, memoryLimitMiB };
}

/**
 * The size of a task that also encodes, instead of machines. It carries three streams at 720p30, or one at 1080p30, if
 * its cores are as fast as those of the cost measurements. Its memory is enough to prepare one upload.
 */
export const encodingTaskSize = { cpu: 2 * fargate.cpuOfVcpu, memoryLimitMiB: 4096 } as const;
