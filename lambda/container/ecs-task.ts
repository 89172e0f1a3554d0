// The ECS task of this container: its names, and its protection from being stopped while it works.
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { readParameter } from '../ports/aws/call-aws.ts';
import { createTaskProtection } from './task-protection.ts';

export interface EcsTask {
  readonly arn: string;
  readonly cluster: string;
  /** The availability zone of the task; null if unknown. */
  readonly zone: string | null;
  /** The address of the task's ports within the network; null if unknown. */
  readonly address: string | null;
  /** The family and the revision of the task definition. */
  readonly release: string;
  /**
   * Keeps ECS from stopping the task while it works. After a newer release was deployed, ECS may still stop it; the
   * task then releases its work. Call this about every minute, and when work begins.
   * @throws when ECS cannot be reached
   */
  keepWhile(isWorking: () => boolean): Promise<void>;
}

/**
 * @param releaseParameter the name of the parameter with the ARN of the current task definition
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
  const hasOwnAddress = network?.NetworkMode === 'awsvpc';
  return {
    arn: task.TaskARN,
    family: task.Family,
    revision: task.Revision,
    zone: task.AvailabilityZone ?? null,
    address: hasOwnAddress ? (network.IPv4Addresses?.[0] ?? null) : await machineAddress(metadataFile),
  };
}

/**
 * The address of the EC2 instance, for a container that uses the machine's ports. Null if ECS is not configured to
 * write the metadata file: other agents then cannot ask this one.
 * https://docs.aws.amazon.com/AmazonECS/latest/developerguide/container-metadata.html
 */
async function machineAddress(file: string | undefined): Promise<string | null> {
  if (file === undefined) return null;
  for (let attempt = 0; attempt < machineAddressAttempts; attempt++) {
    // ECS writes the file while the container starts. Before that it is missing, empty or lacks the address.
    const text = await readFile(file, 'utf8').catch(() => '');
    const { HostPrivateIPv4Address: address } = JSON.parse(text || '{}') as { HostPrivateIPv4Address?: string };
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
