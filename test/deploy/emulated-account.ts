// The emulated AWS account: the real CDK CLI deploys into it, and tests inspect the result.
import { CloudFormationClient, paginateListStackResources, paginateListStacks } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient, DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DescribeTaskDefinitionCommand, ECSClient } from '@aws-sdk/client-ecs';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { join } from 'node:path';
import { startChild } from '../../bin/local/child-process.ts';
import type { RunningChild } from '../../bin/local/child-process.ts';
import type { StageSettings } from '../../lib/stage-settings.ts';
import type { AWSEmulator } from '../support/aws-emulator.ts';

export interface DeployedResource {
  readonly type: string;
  readonly physicalID: string;
}

/** Resources by STACK/LOGICAL-ID. */
export type DeployedResources = ReadonlyMap<string, DeployedResource>;

/** A deployment of all stacks. */
export interface Deployment {
  /** Whether it has changes of everything, as a later release would. */
  readonly isChanged: boolean;
  /** Settings of the stage beside those of app.ts. */
  readonly settings?: Partial<StageSettings>;
  /** The folder of a release; by default this one. */
  readonly sources?: string;
}

/** Retention of all logs in days, once the changes are deployed. */
export const changedRetentionDays = RetentionDays.ONE_MONTH;

const root = join(import.meta.dirname, '../..');
const cdk = join(root, 'node_modules/.bin/cdk');
const bootstrapStack = 'CDKToolkit';
const quotedLines = 40;

export class EmulatedAccount {
  readonly clientConfig: AWSEmulator['clientConfig'];
  readonly #folder: string;
  #cli: RunningChild | null = null;
  #deployments = 0;

  /** @param folder folder that the CLI may write to */
  constructor(clientConfig: AWSEmulator['clientConfig'], folder: string) {
    this.clientConfig = clientConfig;
    this.#folder = folder;
  }

  /** The environment of a process in the account: with it, every client of the AWS SDK finds the emulator. */
  get environment(): NodeJS.ProcessEnv {
    const { endpoint, region, credentials } = this.clientConfig;
    return {
      PATH: process.env['PATH'],
      HOME: this.#folder,
      TMPDIR: this.#folder,
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    };
  }

  /** Ends the CLI if it still runs, because it would keep writing into the folder. */
  async stop(): Promise<void> {
    await this.#cli?.stop('SIGKILL', 0);
  }

  /** `cdk bootstrap` */
  bootstrap(): Promise<void> {
    // The folder has no app, and bootstrapping needs none.
    return this.#cdk(this.#folder, 'bootstrap', 'aws://000000000000/us-east-1');
  }

  /** `cdk deploy` of all stacks of app.ts. */
  deploy({ isChanged, settings = {}, sources = root }: Deployment): Promise<void> {
    const output = join(this.#folder, `cdk.out.${(this.#deployments += 1)}`);
    const context = [`changed=${isChanged}`, `settings=${JSON.stringify(settings)}`].flatMap((each) => ['-c', each]);
    const app = ['--app', 'node test/deploy/app.ts', ...context, '--output', output];
    return this.#cdk(sources, 'deploy', '**', ...app, '--require-approval', 'never', '--concurrency', '4');
  }

  /** The resources of all stacks except the bootstrap's. */
  async resources(): Promise<DeployedResources> {
    const client = new CloudFormationClient(this.clientConfig);
    const found = new Map<string, DeployedResource>();
    for await (const { StackSummaries = [] } of paginateListStacks({ client }, {})) {
      for (const { StackName } of StackSummaries.filter((stack) => stack.StackName !== bootstrapStack)) {
        for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName })) {
          for (const resource of StackResourceSummaries) {
            const { ResourceType: type = '', PhysicalResourceId: physicalID = '' } = resource;
            found.set(`${StackName}/${resource.LogicalResourceId}`, { type, physicalID });
          }
        }
      }
    }
    return found;
  }

  /** Retention of a log group in days. */
  async retentionDays(logGroupNamePrefix: string): Promise<number | undefined> {
    const command = new DescribeLogGroupsCommand({ logGroupNamePrefix });
    const { logGroups } = await new CloudWatchLogsClient(this.clientConfig).send(command);
    return logGroups?.[0]?.retentionInDays;
  }

  /** The variables that ECS would give to the container of a task. */
  async environmentOfTask(taskDefinition: string): Promise<Readonly<Record<string, string>>> {
    const command = new DescribeTaskDefinitionCommand({ taskDefinition });
    const described = await new ECSClient(this.clientConfig).send(command);
    const variables = described.taskDefinition?.containerDefinitions?.[0]?.environment ?? [];
    return Object.fromEntries(variables.map(({ name = '', value = '' }) => [name, value]));
  }

  /** Runs the CLI. @throws the end of its output if it fails */
  async #cdk(cwd: string, ...args: string[]): Promise<void> {
    const lines: string[] = [];
    const log = (line: string) => {
      lines.push(line);
      if (lines.length > quotedLines) lines.shift();
    };
    const env = { ...this.environment, AWS_EC2_METADATA_DISABLED: 'true' };
    this.#cli = startChild({ command: cdk, args: [...args, '--ci'], cwd, env, log });
    const { code } = await this.#cli.exited;
    if (code !== 0) throw new Error(`cdk ${args[0]} ended with ${code}:\n${lines.join('\n')}`);
  }
}
