// Translates API Gateway's proxy events (REST API, payload 1.0) to fetch requests, and fetch responses back.
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';

/**
 * The client's address. CloudFront appends the client's address to X-Forwarded-For, and API Gateway appends
 * CloudFront's address. Earlier entries come from the client and may be forged. The origin guard has already refused
 * requests that bypass CloudFront.
 */
export function addressOf(event: APIGatewayProxyEvent): string {
  const hops = (event.multiValueHeaders?.['X-Forwarded-For'] ?? []).flatMap((value) => value.split(','));
  return hops.at(-2)?.trim() || event.requestContext.identity.sourceIp;
}

/** @param origin the public origin, because clients cannot use API Gateway's own address */
export function requestOf(event: APIGatewayProxyEvent, origin: string): Request {
  // Joined as text: resolving a path that begins with `//` would replace the host.
  const url = new URL(origin + event.path);
  for (const [name, values] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    for (const value of values ?? []) url.searchParams.append(name, value);
  }
  const headers = new Headers();
  for (const [name, values] of Object.entries(event.multiValueHeaders ?? {}))
    for (const value of values ?? []) headers.append(name, readable(value));
  const hasBody = event.body !== null && event.httpMethod !== 'GET' && event.httpMethod !== 'HEAD';
  const body = hasBody ? Buffer.from(event.body!, event.isBase64Encoded ? 'base64' : 'utf8') : null;
  return new Request(url, { method: event.httpMethod, headers, body });
}

/** A header may contain only Latin-1. Other text is passed byte by byte, as node:http does. */
function readable(value: string): string {
  return /[\u0100-\uffff]/.test(value) ? Buffer.from(value).toString('latin1') : value;
}

export async function resultOf(response: Response): Promise<APIGatewayProxyResult> {
  return {
    statusCode: response.status,
    headers: Object.fromEntries([...response.headers].filter(([name]) => name !== 'set-cookie')),
    // Each cookie needs its own header, because cookies cannot be joined by commas.
    multiValueHeaders: { 'set-cookie': response.headers.getSetCookie() },
    body: await response.text(),
  };
}
