// The environment variables of an agent in AWS: their names for the stack, and their values.
import type { StreamBackend } from '../domain/streams/stream-words.ts';
import { streamBackends } from '../domain/streams/stream-words.ts';
import type { DatabaseEnvironment } from '../ports/aws/connect-aws.ts';
import {
  databaseVariables,
  queueVariables,
  readDatabaseEnvironment,
  readQueueURLs,
  readStreamingEnvironment,
  streamingVariables,
} from '../ports/aws/environment.ts';
import type { QueueName } from '../ports/command-queue/queues.ts';
import { requiredVariable } from '../required-variable.ts';

/** Of every agent, media workers too. */
export const agentVariables = [
  // Where the agent is: its stage may be elsewhere. Not every ECS agent sets it on machines of one's own.
  'AWS_REGION',
  ...databaseVariables,
  ...queueVariables,
  ...streamingVariables,
  'UPLOADS_BUCKET',
  'AGENT_BACKENDS',
  'AGENT_NETWORK_MBPS',
  'AGENT_GPU_MEGAPIXELS',
  'AGENT_RELEASE_PARAMETER',
] as const;
/** Of agents that publish: they open stream keys. */
export const publishingVariables = ['SEALING_KEY_ARN'] as const;

/** Of agents in the place of machines, which come for what these have no room for: how long that takes, in seconds. */
export const machineVariables = ['AGENT_MACHINE_SECONDS'] as const;

/** The port on which agents ask each other. */
export const agentPeerPort = 9750;

/** The port, within the container, on which the container's health check asks. */
export const agentHealthPort = 9751;

/**
 * The metrics that agents report of themselves every minute, with the dimensions `Cluster` and `Backend`. CloudWatch
 * finds a metric by its unit as well: whoever asks with another unit is told that there is no data.
 */
export const loadMetrics = {
  namespace: 'LoopStreaming',
  replicas: { name: 'Replicas', unit: 'Count' },
  capacityUsed: { name: 'CapacityUsed', unit: 'Percent' },
  capacity: { name: 'Capacity', unit: 'Percent' },
  /** Streams that wait for a machine, which agents in the place of machines report. */
  waiting: { name: 'WaitingForMachine', unit: 'Count' },
  /** Of GPUs, from agents and media workers that encode by one; the latter have the backend `media`. */
  gpuEncoder: { name: 'GpuEncoder', unit: 'Percent' },
  gpuDecoder: { name: 'GpuDecoder', unit: 'Percent' },
  gpuMemory: { name: 'GpuMemory', unit: 'Percent' },
  gpuSessions: { name: 'GpuSessions', unit: 'Count' },
} as const;

export interface AgentEnvironment extends DatabaseEnvironment {
  /** The AWS region that the agent is in. Its stage, with queues and objects, is in `databaseRegion`. */
  readonly region: string;
  readonly uploadsBucket: string;
  readonly queueURLs: Partial<Record<QueueName, string>>;
  readonly allowPrivateAddresses: boolean;
  readonly legacyRtmpURL: string | null;
  readonly limitFactor: number;
  /** Null for a media worker, which opens no stream key. */
  readonly sealingKeyARN: string | null;
  /** The backends whose streams the agent publishes; a media worker publishes none. */
  readonly backends: readonly StreamBackend[];
  /** What the agent may send through its network; null where that is no limit. */
  readonly networkMbps: number | null;
  /** Million pixels a second that a GPU encodes, if the agent finds one. */
  readonly gpuMegapixels: number;
  /** Null where no machine comes for a stream that waits. */
  readonly machineSeconds: number | null;
  /** The name of the parameter that holds the ARN of the current task definition. */
  readonly releaseParameter: string;
}

/** @throws naming the variable that is missing or malformed */
export function readAgentEnvironment(env: NodeJS.ProcessEnv): AgentEnvironment {
  const value = (name: (typeof agentVariables)[number]): string => {
    const found = env[name];
    if (found === undefined) throw new Error(`the environment variable ${name} is missing`);
    return found;
  };
  const malformed = (name: (typeof agentVariables)[number]) =>
    new Error(`the environment variable ${name} is malformed: ${value(name)}`);

  const backends = streamBackends.filter((backend) => value('AGENT_BACKENDS').split(',').includes(backend));
  if (backends.join(',') !== value('AGENT_BACKENDS')) throw malformed('AGENT_BACKENDS');
  const amount = (name: 'AGENT_NETWORK_MBPS' | 'AGENT_GPU_MEGAPIXELS'): number => {
    const given = Number(value(name));
    if (!Number.isInteger(given) || given < 0) throw malformed(name);
    return given;
  };
  return {
    ...readDatabaseEnvironment(env),
    ...readStreamingEnvironment(env),
    region: value('AWS_REGION'),
    queueURLs: readQueueURLs(env),
    uploadsBucket: value('UPLOADS_BUCKET'),
    sealingKeyARN: backends.length > 0 ? requiredVariable(env, publishingVariables[0]) : null,
    backends,
    networkMbps: value('AGENT_NETWORK_MBPS') === '' ? null : amount('AGENT_NETWORK_MBPS'),
    gpuMegapixels: amount('AGENT_GPU_MEGAPIXELS'),
    machineSeconds: Number(env[machineVariables[0]]) || null,
    releaseParameter: value('AGENT_RELEASE_PARAMETER'),
  };
}
