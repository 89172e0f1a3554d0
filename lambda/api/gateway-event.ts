// Translates API Gateway's proxy events (REST API, payload 1.0) to fetch requests, and fetch responses back.
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';

/**
 * The client's address. The CloudFront distribution appends the client's address to X-Forwarded-For, and API Gateway
 * that of the distribution after it. What stands before these two, the client itself may have written. Requests that
 * did not come through the distribution are refused earlier, by the origin guard.
 */
export function addressOf(event: APIGatewayProxyEvent): string {
  const hops = (event.multiValueHeaders?.['X-Forwarded-For'] ?? []).flatMap((value) => value.split(','));
  return hops.at(-2)?.trim() || event.requestContext.identity.sourceIp;
}

/** @param origin the public origin, since clients cannot use the address that API Gateway has itself */
export function requestOf(event: APIGatewayProxyEvent, origin: string): Request {
  // The parts are joined as text. Resolving a path that begins with `//` would take what follows for a host.
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

/** A header may hold Latin-1 only. Other text is taken byte by byte, as node:http does. */
function readable(value: string): string {
  return /[\u0100-\uffff]/.test(value) ? Buffer.from(value).toString('latin1') : value;
}

export async function resultOf(response: Response): Promise<APIGatewayProxyResult> {
  return {
    statusCode: response.status,
    headers: Object.fromEntries([...response.headers].filter(([name]) => name !== 'set-cookie')),
    // Each cookie needs a header of its own, since cookies cannot be joined by commas.
    multiValueHeaders: { 'set-cookie': response.headers.getSetCookie() },
    body: await response.text(),
  };
}
