// The functions of an existing stage in AWS: how to find and to call them with credentials.
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { fromNodeProviderChain } from '@aws-sdk/credential-providers';
import { stagesToBuild } from '../../lib/stages.ts';

type Credentials = ReturnType<typeof fromNodeProviderChain>;

/** @throws with the names of all stages */
export function regionOfStage(stage: string, isOwn: boolean): string {
  const stages = stagesToBuild(isOwn ? stage : undefined);
  const settings = Object.hasOwn(stages, stage) ? stages[stage] : undefined;
  if (settings) return settings.region;
  const known = ['local', ...Object.keys(stagesToBuild(undefined))].join(', ');
  throw new Error(`There is no stage ${stage}. Stages are ${known}; for your own stage, add --own.`);
}

/** @throws if there are none; the message contains the remedy */
export async function openCredentials(region: string, profile: string | undefined): Promise<Credentials> {
  const person = fromNodeProviderChain({ clientConfig: { region }, ...(profile !== undefined && { profile }) });
  await person().catch((error: Error) => {
    throw new Error(
      `There are no AWS credentials (${error.message}).\n` +
        'Sign in (aws sso login, aws login, aws configure), or choose others with --profile NAME.',
    );
  });
  return person;
}

/** @returns a function that looks up an output of the stack, and throws if the stack has no output of that name */
export async function outputsOfStack(
  stackName: string,
  region: string,
  credentials: Credentials,
): Promise<(key: string) => string> {
  const client = new CloudFormationClient({ region, credentials });
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stackName }));
  const outputs = Stacks.flatMap(({ Outputs = [] }) => Outputs);
  return (key) => {
    const value = outputs.find(({ OutputKey }) => OutputKey === key)?.OutputValue;
    if (value === undefined) throw new Error(`The stack ${stackName} has no output ${key}: deploy the stage again.`);
    return value;
  };
}

export interface Invocation {
  readonly functionName: string;
  readonly region: string;
  readonly credentials: Credentials;
  /** Is sent as JSON. */
  readonly event: object;
  readonly timeoutMs: number;
}

/** @returns the answer of the function @throws if AWS refuses the call, or the function fails */
export async function invokeFunction(invocation: Invocation): Promise<unknown> {
  const { functionName, region, credentials, event, timeoutMs } = invocation;
  // A command that was sent once is not repeated.
  const client = new LambdaClient({
    region,
    credentials,
    maxAttempts: 1,
    requestHandler: { requestTimeout: timeoutMs },
  });
  const command = new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(event) });
  const { FunctionError, Payload } = await client.send(command).catch((error: Error) => {
    throw new Error(`AWS refuses the call: ${error.name} ${error.message}`, { cause: error });
  });
  const text = Payload?.transformToString() ?? '';
  if (FunctionError !== undefined)
    throw new Error(`The command failed by our fault; the function’s log has the reason: ${text.slice(0, 500)}`);
  return JSON.parse(text);
}
