// API Gateway and the distribution before it, as far as a function sees them: requests become events, results become answers.
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';

/** An address of the distribution, which API Gateway sees. */
const edgeAddress = '203.0.113.9';

/** @param address the client's */
export async function throughGateway(
  handler: (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>,
  request: Request,
  address: string | null,
): Promise<Response> {
  const url = new URL(request.url);
  const claimed = request.headers.get('x-forwarded-for');
  const forwardedFor = [...(claimed ? [claimed] : []), address, edgeAddress].join(', ');
  const body = await request.text();
  const event = {
    httpMethod: request.method,
    path: url.pathname,
    multiValueQueryStringParameters: Object.fromEntries(
      [...new Set(url.searchParams.keys())].map((name) => [name, url.searchParams.getAll(name)]),
    ),
    multiValueHeaders: {
      ...Object.fromEntries([...request.headers].map(([name, value]) => [name, [value]])),
      'X-Forwarded-For': [forwardedFor],
    },
    body: body === '' ? null : body,
    isBase64Encoded: false,
    requestContext: { identity: { sourceIp: edgeAddress } },
  } as unknown as APIGatewayProxyEvent;
  const { statusCode, headers = {}, multiValueHeaders = {}, body: answer } = await handler(event);
  const received = new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  for (const [name, values] of Object.entries(multiValueHeaders))
    for (const value of values ?? []) received.append(name, String(value));
  return new Response(answer === '' ? null : answer, { status: statusCode, headers: received });
}
