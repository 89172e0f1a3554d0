// The environment of an agent in AWS besides that of the API: the names that its stack sets, and their values, parsed once.
import type { StreamBackend } from '../data/streams.ts';
import { streamBackends } from '../data/streams.ts';

export const agentVariables = ['AGENT_BACKENDS', 'AGENT_SLOTS', 'AGENT_RELEASE_PARAMETER'] as const;

/** Where agents ask each other. */
export const agentPeerPort = 9750;

/** Where the container's health check asks, within the container. */
export const agentHealthPort = 9751;

/** How the keys of renditions begin, in the bucket that uploads are in. */
export const renditionsPrefix = 'renditions/';

/** What agents report of themselves every minute, as metrics with the dimensions `Cluster` and `Backend`. */
export const loadMetrics = {
  namespace: 'LoopStreaming',
  replicas: 'Replicas',
  slotsUsed: 'SlotsUsed',
  slots: 'Slots',
} as const;

export interface AgentEnvironment {
  /** What it publishes; a media worker publishes nothing. */
  readonly backends: readonly StreamBackend[];
  /** Where it encodes: with a GPU. */
  readonly slots: number;
  /** Name of the parameter with the ARN of the task definition that is current. */
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
  const slots = Number(value('AGENT_SLOTS'));
  if (!Number.isInteger(slots) || slots < 0) throw malformed('AGENT_SLOTS');
  return { backends, slots, releaseParameter: value('AGENT_RELEASE_PARAMETER') };
}
