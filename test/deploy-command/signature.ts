// Judges a request's signature as AWS does (IAM User Guide, “Create a signed AWS API request”).
import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface Signer {
  readonly keyID: string;
  readonly region: string;
  /** The name that requests to the service are signed for, such as `ses` for the host `email`. */
  readonly service: string;
}

const shape =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)$/;

/** @returns the signer and the signed scope; null if the signature is missing or wrong */
export function signerOf(request: IncomingMessage, body: string, secret: string): Signer | null {
  const match = shape.exec(request.headers.authorization ?? '');
  if (!match) return null;
  const [, keyID = '', day = '', region = '', service = '', signedHeaders = '', signature] = match;
  const [path = '', query = ''] = (request.url ?? '').split('?');
  // All services except S3 encode the path, which is already encoded, once more.
  const canonicalPath = path.split('/').map(encodeURIComponent).join('/');
  const headers = signedHeaders.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`);
  const canonical = [request.method, canonicalPath, query, headers.join(''), signedHeaders, sha256(body)].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const time = String(request.headers['x-amz-date']);
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  let key = Buffer.from(`AWS4${secret}`);
  for (const part of [day, region, service, 'aws4_request']) key = createHmac('sha256', key).update(part).digest();
  const expected = createHmac('sha256', key).update(text).digest('hex');
  return expected === signature ? { keyID, region, service } : null;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
