// Sends a command to the operators' function of a stage in AWS, as a session of the operators' role.
import { fromTemporaryCredentials } from '@aws-sdk/credential-providers';
import * as z from 'zod';
import type { Reply } from '../../lambda/operate/carry-out.ts';
import type { OperateCall } from '../../lambda/operate/operate.ts';
import { signProof } from '../../lambda/operate/prove-caller.ts';
import { invokeFunction, openCredentials, outputsOfStack, regionOfStage } from '../stages/standing-functions.ts';
import type { OperateArguments } from './command-line.ts';

const timeoutMs = 60_000;
const sessionSeconds = 900;

const row = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
const replyAnswer = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.enum(['done', 'dry_run']), says: z.string(), rows: z.array(row) }),
  z.object({ outcome: z.literal('refused'), says: z.string() }),
]);

/** @throws if there is no such stage, AWS refuses the caller, or the command fails by our fault */
export async function askStage({ stage, isOwn, profile, request }: OperateArguments): Promise<Reply> {
  const region = regionOfStage(stage, isOwn);
  const person = await openCredentials(region, profile);
  const output = await outputsOfStack(`${stage}-Operate`, region, person);
  const functionName = output('Function');
  const session = fromTemporaryCredentials({
    masterCredentials: person,
    clientConfig: { region },
    params: { RoleArn: output('OperatorRole'), RoleSessionName: request.id, DurationSeconds: sessionSeconds },
  });
  const subject = { functionName, region, request };
  const proofs = { person: await signProof(subject, person), session: await signProof(subject, session) };
  const event: OperateCall = { request, proofs };
  return replyAnswer.parse(await invokeFunction({ functionName, region, credentials: session, event, timeoutMs }));
}
