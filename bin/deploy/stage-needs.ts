// The quotas of an account that a stage needs, computed from its settings.
import { queueCallsMax, requestsAtOnce } from '../../lib/shared/function-calls.ts';
import type { StageSettings } from '../../lib/stage-settings.ts';

export interface Need {
  /** With a lower quota, a deployment fails or the stage does not start. */
  readonly toDeploy: number;
  /** With a lower quota, the stage stops growing before the limits of its settings. */
  readonly atMost: number;
}

export interface StageNeeds {
  /** vCPU of machines with a GPU. */
  readonly gpuVcpus: Need;
  /** vCPU of tasks on Fargate. */
  readonly fargateVcpus: Need;
  /** Calls of functions at the same time. */
  readonly concurrentCalls: Need;
}

/** At a deployment, ECS starts the new tasks of a service before it ends the old ones (lib/publishing/agents.ts). */
const tasksWhileDeploying = 2;
/** vCPU of a manifest agent or an import worker (lib/publishing). */
const vcpusOfFargateTask = 1;
/** The functions that consume a queue: of webhooks, platforms and timers. */
export const queueConsumers = 3;
/** Sweep, daily job, custom resource. */
const jobCalls = 3;
/** One call each of REST, MCP, GraphQL and identity. */
const apiCallsMin = 4;

export function needsOf(settings: StageSettings): StageNeeds {
  const { gpuMachinesMin, gpuMachinesMax, ffmpegAgentsMin, manifestAgentsMin, importWorkersMin } = settings;
  const vcpus = vcpusOfMachine(settings.gpuInstanceType);
  const machines = Math.min(gpuMachinesMax, Math.max(gpuMachinesMin, tasksWhileDeploying * ffmpegAgentsMin));
  // A new service starts with one task, even if its minimum is zero.
  const firstTasks = manifestAgentsMin + Math.max(1, importWorkersMin);
  const fargateTasks = Math.max(firstTasks, tasksWhileDeploying * (manifestAgentsMin + importWorkersMin));
  const fargateTasksMax = settings.manifestAgentsMax + settings.importWorkersMax;
  const besideTheApi = queueConsumers * queueCallsMax(settings) + jobCalls;
  return {
    gpuVcpus: { toDeploy: vcpus * machines, atMost: vcpus * gpuMachinesMax },
    fargateVcpus: {
      toDeploy: vcpusOfFargateTask * fargateTasks,
      atMost: vcpusOfFargateTask * tasksWhileDeploying * fargateTasksMax,
    },
    concurrentCalls: {
      toDeploy: besideTheApi + apiCallsMin,
      atMost: besideTheApi + Math.max(apiCallsMin, requestsAtOnce(settings)),
    },
  };
}

/**
 * EC2 names the sizes of g types by their vCPU: xlarge has 4, 2xlarge has 8, and so on.
 * https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html
 */
export function vcpusOfMachine(type: string): number {
  const [, times] = /\.(\d*)xlarge$/.exec(type) ?? [];
  if (times === undefined) throw new Error(`${type}: its number of vCPU is unknown`);
  return 4 * Number(times || 1);
}
