// Sends a command to the operators' function of a stage in AWS, as a session of the operators' role.
import { fromNodeProviderChain, fromTemporaryCredentials } from '@aws-sdk/credential-providers';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import * as z from 'zod';
import type { Reply } from '../../lambda/operate/carry-out.ts';
import type { OperateCall } from '../../lambda/operate/operate.ts';
import { signProof } from '../../lambda/operate/prove-caller.ts';
import { awsHost } from '../../lambda/domain/aws-partition.ts';
import { stagesToBuild } from '../../lib/stages.ts';
import { openAws } from '../deploy/ask-aws.ts';
import type { Credentials } from '../deploy/ask-aws.ts';
import { xmlList } from '../deploy/check.ts';
import type { OperateArguments } from './command-line.ts';

const timeoutMs = 60_000;
const sessionSeconds = 900;

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
const row = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
const replyAnswer = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.enum(['done', 'dry_run']), says: z.string(), rows: z.array(row) }),
  z.object({ outcome: z.literal('refused'), says: z.string() }),
]);

/** @throws if there is no such stage, AWS refuses the caller, or the command fails by our fault */
export async function askStage({ stage, isOwn, profile, request }: OperateArguments): Promise<Reply> {
  const region = regionOf(stage, isOwn);
  const person = fromNodeProviderChain({ clientConfig: { region }, ...(profile !== undefined && { profile }) });
  await person().catch((error: Error) => {
    throw new Error(
      `There are no AWS credentials (${error.message}).\n` +
        'Sign in (aws sso login, aws login, aws configure), or choose others with --profile NAME.',
    );
  });
  const { functionName, roleARN } = await operatorsOf(stage, region, person);
  const session = fromTemporaryCredentials({
    masterCredentials: person,
    clientConfig: { region },
    params: { RoleArn: roleARN, RoleSessionName: request.id, DurationSeconds: sessionSeconds },
  });
  const subject = { functionName, region, request };
  const proofs = { person: await signProof(subject, person), session: await signProof(subject, session) };
  return invoke({ functionName, region, session }, { request, proofs });
}

function regionOf(stage: string, isOwn: boolean): string {
  const stages = stagesToBuild(isOwn ? stage : undefined);
  const settings = Object.hasOwn(stages, stage) ? stages[stage] : undefined;
  if (settings) return settings.region;
  const known = ['local', ...Object.keys(stagesToBuild(undefined))].join(', ');
  throw new Error(`There is no stage ${stage}. There are ${known}; for one of your own add --own.`);
}

async function operatorsOf(stage: string, region: string, credentials: Credentials) {
  const StackName = `${stage}-Operate`;
  const ask = openAws(region, credentials);
  const found = await ask({
    service: 'cloudformation',
    action: 'DescribeStacks',
    input: { StackName },
    answer: stackAnswer,
  });
  const outputs = found.DescribeStacksResponse.DescribeStacksResult.Stacks.flatMap(({ Outputs }) => Outputs);
  const output = (key: string) => {
    const value = outputs.find(({ OutputKey }) => OutputKey === key)?.OutputValue;
    if (value === undefined) throw new Error(`The stack ${StackName} has no output ${key}: deploy the stage anew.`);
    return value;
  };
  return { functionName: output('Function'), roleARN: output('OperatorRole') };
}

async function invoke(
  { functionName, region, session }: { functionName: string; region: string; session: Credentials },
  call: OperateCall,
): Promise<Reply> {
  const hostname = awsHost('lambda', region);
  const url = new URL(
    process.env['AWS_ENDPOINT_URL_LAMBDA'] ?? process.env['AWS_ENDPOINT_URL'] ?? `https://${hostname}`,
  );
  url.pathname = `/2015-03-31/functions/${functionName}/invocations`;
  const body = JSON.stringify(call);
  const signer = new SignatureV4({ service: 'lambda', region, sha256: Sha256, credentials: session });
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
  return replyAnswer.parse(JSON.parse(text));
}
