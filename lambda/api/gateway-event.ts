// Between API Gateway's proxy events (REST API, payload 1.0) and fetch requests.
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';

/**
 * The client's address. API Gateway appends the distribution's address to X-Forwarded-For, and the distribution the client's before it;
 * what stands further left is the client's word. The origin guard lets nothing else through.
 */
export function addressOf(event: APIGatewayProxyEvent): string {
  const hops = (event.multiValueHeaders?.['X-Forwarded-For'] ?? []).flatMap((value) => value.split(','));
  return hops.at(-2)?.trim() || event.requestContext.identity.sourceIp;
}

/** @param origin the public one: what API Gateway calls itself is of no use to clients */
export function requestOf(event: APIGatewayProxyEvent, origin: string): Request {
  // Joined, not resolved: `//` at the beginning of a path would make a host of what follows.
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

/** A header may hold Latin-1 only. What is more is taken byte by byte, as node:http does. */
function readable(value: string): string {
  return /[\u0100-\uffff]/.test(value) ? Buffer.from(value).toString('latin1') : value;
}

export async function resultOf(response: Response): Promise<APIGatewayProxyResult> {
  return {
    statusCode: response.status,
    headers: Object.fromEntries([...response.headers].filter(([name]) => name !== 'set-cookie')),
    // One line each: cookies cannot be joined.
    multiValueHeaders: { 'set-cookie': response.headers.getSetCookie() },
    body: await response.text(),
  };
}
