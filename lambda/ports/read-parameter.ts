// Reads one parameter of AWS Systems Manager. Its SDK client would be a tenth of every function's bundle, for this one call at the start.
import { fromNodeProviderChain } from '@aws-sdk/credential-providers';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';

export interface ParameterPlace {
  readonly region: string;
  /** Default: that of AWS in the region. */
  readonly endpoint?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/**
 * `GetParameter` of the Systems Manager API, version 2014-11-06.
 * @throws with the answer's status and kind of error
 */
export async function readParameter(name: string, { region, endpoint, credentials }: ParameterPlace): Promise<string> {
  const url = new URL(endpoint ?? `https://ssm.${region}.amazonaws.com`);
  const signer = new SignatureV4({ service: 'ssm', region, sha256: Sha256, credentials: credentials ?? fromNodeProviderChain() });
  const body = JSON.stringify({ Name: name });
  const signed = await signer.sign({
    method: 'POST',
    protocol: url.protocol,
    hostname: url.hostname,
    path: '/',
    headers: { host: url.host, 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AmazonSSM.GetParameter' },
    body,
  });
  const response = await fetch(url, { method: 'POST', headers: signed.headers, body });
  const answer = (await response.json()) as { Parameter?: { Value?: string }; __type?: string };
  if (!response.ok || !answer.Parameter?.Value) throw new Error(`the parameter ${name} could not be read: ${response.status} ${answer.__type ?? 'without a value'}`);
  return answer.Parameter.Value;
}
