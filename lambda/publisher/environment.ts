// The environment variables of an agent in AWS: their names for the stack, and their values.
import { streamBackends } from '../domain/streams/stream-words.ts';
import {
  addressVariables,
  databaseVariables,
  queueVariables,
  readAddressEnvironment,
  readDatabaseEnvironment,
  readQueueURLs,
} from '../ports/aws/environment.ts';
import { requiredVariable } from '../required-variable.ts';
import { readSettings, variablesFor } from '../settings.ts';

/** Variables of every agent, and of media workers. */
export const agentVariables = [
  // The region of the agent, which may differ from that of its stage. ECS on one's own machines may not set it.
  'AWS_REGION',
  ...databaseVariables,
  ...queueVariables,
  ...addressVariables,
  ...variablesFor('agent'),
  'UPLOADS_BUCKET',
  'AGENT_BACKENDS',
  'AGENT_NETWORK_MBPS',
  'AGENT_GPU_MEGAPIXELS',
  'AGENT_RELEASE_PARAMETER',
  'AGENT_DATABASE_CONNECTIONS',
] as const;
/** Variables of agents that publish, which open stream keys. */
export const publishingVariables = ['SEALING_KEY_ARN'] as const;

/** Variables of agents whose machines scale with the waiting streams: the time that a new machine takes, in seconds. */
export const machineVariables = ['AGENT_MACHINE_SECONDS'] as const;

/** The port on which agents ask each other. */
export const agentPeerPort = 9750;

/** The port, within the container, of the container's health check. */
export const agentHealthPort = 9751;

/**
 * The metrics that agents report every minute, with the dimensions `Cluster` and `Backend`. CloudWatch finds a metric
 * by its unit too: a query with another unit returns no data.
 */
export const loadMetrics = {
  namespace: 'LoopStreaming',
  replicas: { name: 'Replicas', unit: 'Count' },
  capacityUsed: { name: 'CapacityUsed', unit: 'Percent' },
  capacity: { name: 'Capacity', unit: 'Percent' },
  /** Streams that wait for a machine; reported by agents whose machines scale. */
  waiting: { name: 'WaitingForMachine', unit: 'Count' },
  /** Use of the GPU, from agents and media workers that encode with one. Media workers have the backend `media`. */
  gpuEncoder: { name: 'GpuEncoder', unit: 'Percent' },
  gpuDecoder: { name: 'GpuDecoder', unit: 'Percent' },
  gpuMemory: { name: 'GpuMemory', unit: 'Percent' },
  gpuSessions: { name: 'GpuSessions', unit: 'Count' },
} as const;

/** @throws naming the variable that is missing or malformed */
export function readAgentEnvironment(env: NodeJS.ProcessEnv) {
  const value = (name: (typeof agentVariables)[number]): string => {
    const found = env[name];
    if (found === undefined) throw new Error(`the environment variable ${name} is missing`);
    return found;
  };
  const malformed = (name: (typeof agentVariables)[number]) =>
    new Error(`the environment variable ${name} is malformed: ${value(name)}`);

  const backends = streamBackends.filter((backend) => value('AGENT_BACKENDS').split(',').includes(backend));
  if (backends.join(',') !== value('AGENT_BACKENDS')) throw malformed('AGENT_BACKENDS');
  const amount = (name: 'AGENT_NETWORK_MBPS' | 'AGENT_GPU_MEGAPIXELS' | 'AGENT_DATABASE_CONNECTIONS'): number => {
    const given = Number(value(name));
    if (!Number.isInteger(given) || given < 0) throw malformed(name);
    return given;
  };
  return {
    ...readDatabaseEnvironment(env),
    ...readAddressEnvironment(env),
    ...readSettings('agent', env),
    /** The AWS region of the agent. Its stage, with queues and objects, is in `databaseRegion`. */
    region: value('AWS_REGION'),
    queueURLs: readQueueURLs(env),
    uploadsBucket: value('UPLOADS_BUCKET'),
    /** Null for a media worker, which opens no stream key. */
    sealingKeyARN: backends.length > 0 ? requiredVariable(env, publishingVariables[0]) : null,
    /** The backends whose streams the agent publishes; a media worker publishes none. */
    backends,
    /** Mbit/s that the agent may send; null for no limit. */
    networkMbps: value('AGENT_NETWORK_MBPS') === '' ? null : amount('AGENT_NETWORK_MBPS'),
    /** Megapixels a second that the agent's GPU encodes, if it has one. */
    gpuMegapixels: amount('AGENT_GPU_MEGAPIXELS'),
    /** Seconds until a new machine is up for a waiting stream; null if machines do not scale. */
    machineSeconds: Number(env[machineVariables[0]]) || null,
    /** The name of the parameter that holds the ARN of the current task definition. */
    releaseParameter: value('AGENT_RELEASE_PARAMETER'),
    /** Connections of the agent's pool, beside those of its lease. */
    databaseConnections: amount('AGENT_DATABASE_CONNECTIONS'),
  };
}
