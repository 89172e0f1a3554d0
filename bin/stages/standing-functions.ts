// The functions of an existing stage in AWS: how to find and to call them with credentials.
import { fromNodeProviderChain } from '@aws-sdk/credential-providers';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import * as z from 'zod';
import { awsHost } from '../../lambda/domain/shared/aws-partition.ts';
import { stagesToBuild } from '../../lib/stages.ts';
import { openAws } from '../deploy/ask-aws.ts';
import type { Credentials } from '../deploy/ask-aws.ts';
import { xmlList } from '../deploy/check.ts';

const stackAnswer = z.object({
  DescribeStacksResponse: z.object({
    DescribeStacksResult: z.object({
      Stacks: xmlList(
        'member',
        z.object({ Outputs: xmlList('member', z.object({ OutputKey: z.string(), OutputValue: z.string() })) }),
      ),
    }),
  }),
});

/** @throws with the names of all stages */
export function regionOfStage(stage: string, isOwn: boolean): string {
  const stages = stagesToBuild(isOwn ? stage : undefined);
  const settings = Object.hasOwn(stages, stage) ? stages[stage] : undefined;
  if (settings) return settings.region;
  const known = ['local', ...Object.keys(stagesToBuild(undefined))].join(', ');
  throw new Error(`There is no stage ${stage}. There are ${known}; for one of your own add --own.`);
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
  const found = await openAws(
    region,
    credentials,
  )({
    service: 'cloudformation',
    action: 'DescribeStacks',
    input: { StackName: stackName },
    answer: stackAnswer,
  });
  const outputs = found.DescribeStacksResponse.DescribeStacksResult.Stacks.flatMap(({ Outputs }) => Outputs);
  return (key) => {
    const value = outputs.find(({ OutputKey }) => OutputKey === key)?.OutputValue;
    if (value === undefined) throw new Error(`The stack ${stackName} has no output ${key}: deploy the stage anew.`);
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
  const hostname = awsHost('lambda', region);
  const url = new URL(
    process.env['AWS_ENDPOINT_URL_LAMBDA'] ?? process.env['AWS_ENDPOINT_URL'] ?? `https://${hostname}`,
  );
  url.pathname = `/2015-03-31/functions/${functionName}/invocations`;
  const body = JSON.stringify(event);
  const signer = new SignatureV4({ service: 'lambda', region, sha256: Sha256, credentials });
  const { headers } = await signer.sign({
    method: 'POST',
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    headers: { host: url.host, 'content-type': 'application/json' },
    body,
  });
  const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(timeoutMs) });
  const text = await response.text();
  if (!response.ok) throw new Error(`AWS refuses the call: ${response.status} ${text.slice(0, 500)}`);
  if (response.headers.has('x-amz-function-error'))
    throw new Error(`The command failed by our fault; the function’s log says why: ${text.slice(0, 500)}`);
  return JSON.parse(text);
}
