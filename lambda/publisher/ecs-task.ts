// The ECS task that a container of ours runs in: which it is, and how it keeps itself from being ended while it works.
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { readParameter } from '../ports/call-aws.ts';
import { createTaskProtection } from './task-protection.ts';

export interface EcsTask {
  readonly arn: string;
  readonly cluster: string;
  /** Its availability zone. */
  readonly zone: string | null;
  /** Where others in the network reach its ports; null where that is unknown. */
  readonly address: string | null;
  /** Family and revision of the task definition. */
  readonly release: string;
  /**
   * A task that works is not ended, unless a newer release is deployed: then it lets ECS end it, and gives back what it holds.
   * Call it every minute or so, and when work begins.
   * @throws when it cannot be asked for now
   */
  keepWhile(isWorking: () => boolean): Promise<void>;
}

/**
 * @param releaseParameter name of the parameter with the ARN of the task definition that is current
 * @throws outside of ECS
 */
export async function describeEcsTask(
  env: NodeJS.ProcessEnv,
  releaseParameter: string,
  region: string,
  steadyClock: () => number,
): Promise<EcsTask> {
  const { arn, family, revision, zone, address } = await readMetadata(
    variable(env, 'ECS_CONTAINER_METADATA_URI_V4'),
    env['ECS_CONTAINER_METADATA_FILE'],
  );
  const release = `${family}:${revision}`;
  const protection = createTaskProtection({ agentURI: variable(env, 'ECS_AGENT_URI'), steadyClock });
  return {
    arn,
    cluster: arn.split('/').at(-2) ?? '',
    zone,
    address,
    release,
    async keepWhile(isWorking) {
      const newestRelease = await readParameter(releaseParameter, { region });
      await protection.set(isWorking() && newestRelease.endsWith(`/${release}`));
    },
  };
}

interface TaskMetadata {
  readonly TaskARN: string;
  readonly Family: string;
  readonly Revision: string;
  readonly AvailabilityZone?: string;
}

interface ContainerMetadata {
  readonly Networks?: readonly { readonly NetworkMode: string; readonly IPv4Addresses?: readonly string[] }[];
}

/** https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-metadata-endpoint-v4-response.html */
async function readMetadata(uri: string, metadataFile: string | undefined) {
  const read = async (path: string): Promise<unknown> => (await fetch(uri + path)).json();
  const [task, container] = (await Promise.all([read('/task'), read('')])) as [TaskMetadata, ContainerMetadata];
  const network = container.Networks?.[0];
  return {
    arn: task.TaskARN,
    family: task.Family,
    revision: task.Revision,
    zone: task.AvailabilityZone ?? null,
    address:
      network?.NetworkMode === 'awsvpc' ? (network.IPv4Addresses?.[0] ?? null) : await machineAddress(metadataFile),
  };
}

/**
 * Of the EC2 instance, where the container's ports are the machine's. Null where ECS was not asked to tell: then nobody asks this agent.
 * https://docs.aws.amazon.com/AmazonECS/latest/developerguide/container-metadata.html
 */
async function machineAddress(file: string | undefined): Promise<string | null> {
  if (file === undefined) return null;
  for (let attempt = 0; attempt < machineAddressAttempts; attempt++) {
    const text = await readFile(file, 'utf8').catch(() => '{}');
    // Written while the container starts.
    const { HostPrivateIPv4Address: address } = JSON.parse(text === '' ? '{}' : text) as {
      HostPrivateIPv4Address?: string;
    };
    if (address !== undefined) return address;
    await setTimeout(machineAddressWaitMs);
  }
  return null;
}

const machineAddressAttempts = 20;
const machineAddressWaitMs = 500;

function variable(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name];
  if (!value) throw new Error(`the environment variable ${name} is missing: ECS sets it in its tasks`);
  return value;
}
