// Proves the identity of the caller, because Lambda does not tell a function who invoked it.
// The tool signs a request to AWS, “who am I?”, for this one command. The function sends it, and AWS answers with an
// ARN. A caller cannot forge an ARN without its credentials: the function itself sets address, body and command.
// Decision D124.
import { createHash } from 'node:crypto';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import * as z from 'zod';
import { awsHost } from '../domain/shared/aws-partition.ts';
import { OperatorRefusal } from './command.ts';
import type { OperatorRequest } from './read-request.ts';

export const callerProof = z.strictObject({
  authorization: z.string().max(2000),
  date: z.string().regex(/^\d{8}T\d{6}Z$/),
  token: z.string().max(8000).nullable(),
});
export type CallerProof = z.output<typeof callerProof>;

export interface ProofSubject {
  /** The name of the called function, so that a proof for one stage is invalid for another. */
  readonly functionName: string;
  readonly region: string;
  readonly request: OperatorRequest;
}

type Credentials = ConstructorParameters<typeof SignatureV4>[0]['credentials'];

const body = 'Action=GetCallerIdentity&Version=2011-06-15';
const contentType = 'application/x-www-form-urlencoded; charset=utf-8';
const commandHeader = 'x-operator-command';
const timeoutMs = 5000;
const signedHeaders = /^AWS4-HMAC-SHA256 Credential=[\w+/=-]+, SignedHeaders=([a-z0-9;-]+), Signature=[0-9a-f]{64}$/;
const answer = z.object({
  GetCallerIdentityResponse: z.object({ GetCallerIdentityResult: z.object({ Arn: z.string().max(2048) }) }),
});

/** Signs the request. The tool calls this. */
export async function signProof(subject: ProofSubject, credentials: Credentials): Promise<CallerProof> {
  const { region } = subject;
  // Without a checksum header, which the function would have to repeat. The signature covers the body in any case.
  const signer = new SignatureV4({ service: 'sts', region, sha256: Sha256, credentials, applyChecksum: false });
  const hostname = hostOf(region);
  const { headers } = await signer.sign({
    method: 'POST',
    protocol: 'https:',
    hostname,
    path: '/',
    headers: { host: hostname, 'content-type': contentType, [commandHeader]: digestOf(subject) },
    body,
  });
  return {
    authorization: headers['authorization']!,
    date: headers['x-amz-date']!,
    token: headers['x-amz-security-token'] ?? null,
  };
}

/**
 * Asks AWS for the identity in a proof. The function calls this.
 * @returns the ARN
 * @throws {OperatorRefusal} if AWS rejects the proof, or it is for another command
 */
export async function proveCaller(subject: ProofSubject, proof: CallerProof, send = fetch): Promise<string> {
  const [, names = ''] = signedHeaders.exec(proof.authorization) ?? [];
  // Unsigned headers prove nothing: the caller could have copied a proof from another request.
  if (!['host', commandHeader, 'x-amz-date'].every((name) => names.split(';').includes(name)))
    throw new OperatorRefusal('The proof of who asks does not cover the command.');
  const response = await send(`https://${hostOf(subject.region)}/`, {
    method: 'POST',
    headers: {
      authorization: proof.authorization,
      'x-amz-date': proof.date,
      ...(proof.token === null ? {} : { 'x-amz-security-token': proof.token }),
      'content-type': contentType,
      accept: 'application/json',
      [commandHeader]: digestOf(subject),
    },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const said: unknown = await response.json().catch(() => null);
  if (response.status >= 500) throw new Error(`AWS does not say who asks: ${response.status}`);
  const parsed = answer.safeParse(said);
  if (!response.ok || !parsed.success)
    throw new OperatorRefusal(
      'AWS does not accept the proof of who asks: it is false, too old, or for another command.',
    );
  return parsed.data.GetCallerIdentityResponse.GetCallerIdentityResult.Arn;
}

/** Whether the ARN is a session of the role. */
export function isSessionOf(arn: string, roleARN: string): boolean {
  const [, account, name] = /^arn:[\w-]+:iam::(\d{12}):role\/(?:.*\/)?([^/]+)$/.exec(roleARN) ?? [];
  const [, ofAccount, ofName] = /^arn:[\w-]+:sts::(\d{12}):assumed-role\/([^/]+)\/[^/]+$/.exec(arn) ?? [];
  return account !== undefined && account === ofAccount && name === ofName;
}

function hostOf(region: string): string {
  return awsHost('sts', region);
}

/** A digest of the subject of a proof: one request to one function. */
function digestOf({ functionName, request }: ProofSubject): string {
  const { id, words, options, reason, dryRun } = request;
  const text = JSON.stringify([functionName, id, words, Object.entries(options).sort(), reason, dryRun]);
  return createHash('sha256').update(text).digest('hex');
}
