// The ECS task that a container of ours runs in: which it is, and how it keeps itself from being ended while it works.
import { readParameter } from '../ports/call-aws.ts';
import { createTaskProtection } from './task-protection.ts';

export interface EcsTask {
  readonly arn: string;
  readonly cluster: string;
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
export async function describeEcsTask(env: NodeJS.ProcessEnv, releaseParameter: string, region: string, steadyClock: () => number): Promise<EcsTask> {
  const { arn, family, revision } = await readMetadata(variable(env, 'ECS_CONTAINER_METADATA_URI_V4'));
  const release = `${family}:${revision}`;
  const protection = createTaskProtection({ agentURI: variable(env, 'ECS_AGENT_URI'), steadyClock });
  return {
    arn,
    cluster: arn.split('/').at(-2) ?? '',
    release,
    async keepWhile(isWorking) {
      const newestRelease = await readParameter(releaseParameter, { region });
      await protection.set(isWorking() && newestRelease.endsWith(`/${release}`));
    },
  };
}

/** https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-metadata-endpoint-v4-response.html */
async function readMetadata(uri: string): Promise<{ arn: string; family: string; revision: string }> {
  const response = await fetch(`${uri}/task`);
  const { TaskARN: arn, Family: family, Revision: revision } = (await response.json()) as { TaskARN: string; Family: string; Revision: string };
  return { arn, family, revision };
}

function variable(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name];
  if (!value) throw new Error(`the environment variable ${name} is missing: ECS sets it in its tasks`);
  return value;
}
