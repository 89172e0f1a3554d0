// Calls of AWS APIs in JSON that every function needs at its start.
// The SDK's clients for them would be a tenth of each bundle.
import { setTimeout as delay } from 'node:timers/promises';
import { fromNodeProviderChain } from '@aws-sdk/credential-providers';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import { awsHost } from '../../domain/shared/aws-partition.ts';

export interface AwsPlace {
  readonly region: string;
  /** Default: AWS_ENDPOINT_URL, as for any client of the SDK, else the endpoint of AWS in the region. */
  readonly endpoint?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** Prefix of X-Amz-Target, from the service model of each API. */
const targets = {
  ssm: 'AmazonSSM',
  secretsmanager: 'secretsmanager',
  kms: 'TrentService',
  ecs: 'AmazonEC2ContainerServiceV20141113',
} as const;

const tries = 3;
const timeoutMs = 5000;
const firstPauseMs = 100;

/** An error that AWS answered with. */
export class AwsRefusal extends Error {
  readonly status: number;

  /** @param kind the API's name of the error, such as `ParameterNotFound` */
  constructor(action: string, status: number, kind: string) {
    super(`${action}: ${status} ${kind}`);
    this.status = status;
    this.name = kind;
  }
}

/**
 * Calls an action, and retries while AWS is unreachable, overloaded or failing.
 * @throws {AwsRefusal} if AWS answers with an error
 */
export async function callAws<Answer>(
  api: keyof typeof targets,
  action: string,
  input: object,
  place: AwsPlace,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await callOnce<Answer>(api, action, input, place);
    } catch (error) {
      const refused = error instanceof AwsRefusal && error.status < 500 && !error.name.includes('Throttl');
      if (refused || attempt === tries) throw error;
      await delay(firstPauseMs * 2 ** attempt);
    }
  }
}

async function callOnce<Answer>(
  api: keyof typeof targets,
  action: string,
  input: object,
  { region, endpoint, credentials }: AwsPlace,
): Promise<Answer> {
  const url = new URL(endpoint ?? process.env.AWS_ENDPOINT_URL ?? `https://${awsHost(api, region)}`);
  const signer = new SignatureV4({
    service: api,
    region,
    sha256: Sha256,
    credentials: credentials ?? fromNodeProviderChain(),
  });
  const body = JSON.stringify(input);
  const { headers } = await signer.sign({
    method: 'POST',
    protocol: url.protocol,
    hostname: url.hostname,
    path: '/',
    headers: {
      host: url.host,
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `${targets[api]}.${action}`,
    },
    body,
  });
  const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(timeoutMs) });
  const answer = (await response.json().catch(() => ({}))) as Answer & { __type?: string };
  if (response.ok) return answer;
  const kind = answer.__type?.split('#').at(-1) ?? 'without a name';
  throw new AwsRefusal(`${api} ${action}`, response.status, kind);
}

/** Region of an ARN (AWS General Reference, "Amazon Resource Names"). */
export function regionOf(arn: string): string {
  return arn.split(':')[3] ?? '';
}

/** Value of an SSM parameter. @throws {AwsRefusal} also if the parameter does not exist */
export async function readParameter(name: string, place: AwsPlace): Promise<string> {
  const { Parameter } = await callAws<{ Parameter: { Value: string } }>('ssm', 'GetParameter', { Name: name }, place);
  return Parameter.Value;
}

/** Text of a secret. @throws {AwsRefusal} also if the secret does not exist @throws {Error} if it has no text */
export async function readSecret(arn: string): Promise<string> {
  const place = { region: regionOf(arn) };
  const answer = await callAws<{ SecretString?: string }>('secretsmanager', 'GetSecretValue', { SecretId: arn }, place);
  const { SecretString } = answer;
  if (!SecretString) throw new Error(`the secret ${arn} has no text`);
  return SecretString;
}
