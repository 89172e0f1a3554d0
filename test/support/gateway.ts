// API Gateway as a function sees it: a REST API that converts requests to events, with Lambda proxy limits.
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { gatewayProblems } from '../../lib/api/gateway-problems.ts';

export type GatewayFunction = (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;

export interface GatewayOptions {
  /** The address that connects to API Gateway: one of the distribution. */
  readonly sourceAddress: string;
  /** Timeout of the function. Default: the limit of API Gateway. */
  readonly timeoutMs?: number;
}

/**
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html:
 * payload size and integration time-out of a REST API.
 */
const gatewayBytes = 10 * 1024 ** 2;
const timeoutMs = 29_000;
/** https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html: of a synchronous call, in each direction */
const functionBytes = 6 * 1024 ** 2;

// Rules for headers on the way to a function and back, from the table of “Amazon API Gateway important notes”:
// https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html
const droppedFromRequests = new Set([
  'connection',
  'content-md5',
  'expect',
  'max-forwards',
  'proxy-authenticate',
  'server',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'www-authenticate',
]);
const droppedFromAnswers = new Set([
  'expect',
  'host',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
]);
const renamedInAnswers = new Set([
  'authorization',
  'connection',
  'content-md5',
  'date',
  'max-forwards',
  'server',
  'user-agent',
  'www-authenticate',
]);

/** The parameters of a query as API Gateway reads them: it takes a semicolon for another `&`. */
function queryOf(search: string): Record<string, string[]> | null {
  const parameters = new URLSearchParams(search.replaceAll(';', '&'));
  const names = [...new Set(parameters.keys())];
  return names.length === 0 ? null : Object.fromEntries(names.map((name) => [name, parameters.getAll(name)]));
}

/** The last value of each list, for the members of an event that hold one value for each name. */
function lastOf(lists: Readonly<Record<string, string[]>> | null): Record<string, string> | null {
  return lists && Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, values.at(-1)!]));
}

/** API Gateway's own host name of an API, to which the distribution sends requests. */
const apiName = 'api.execute-api.us-east-1.amazonaws.com';

async function eventOf(request: Request, sourceAddress: string): Promise<APIGatewayProxyEvent> {
  const url = new URL(request.url);
  const signedForAWS = /^AWS4-HMAC-SHA256\b/.test(request.headers.get('authorization') ?? '');
  const passed = [...request.headers].filter(
    ([name]) => !droppedFromRequests.has(name) && !(name === 'authorization' && signedForAWS),
  );
  const forwardedFor = [request.headers.get('x-forwarded-for'), sourceAddress].filter(Boolean).join(', ');
  const multiValueHeaders = {
    ...Object.fromEntries(passed.filter(([name]) => !gatewaysOwn.has(name)).map(([name, value]) => [name, [value]])),
    Host: [apiName],
    'X-Forwarded-For': [forwardedFor],
    'X-Forwarded-Port': ['443'],
    'X-Forwarded-Proto': ['https'],
  };
  const query = queryOf(url.search);
  // No media type of the API is binary, so API Gateway treats every body as text, whatever its bytes are.
  const body = await request.text();
  return {
    resource: '/{proxy+}',
    // Same page: API Gateway takes the method from this header.
    httpMethod: request.headers.get('x-http-method-override') ?? request.method,
    path: url.pathname,
    pathParameters: { proxy: url.pathname.slice(1) },
    stageVariables: null,
    headers: lastOf(multiValueHeaders)!,
    multiValueHeaders,
    queryStringParameters: lastOf(query),
    multiValueQueryStringParameters: query,
    body: body === '' ? null : body,
    isBase64Encoded: false,
    requestContext: {
      domainName: apiName,
      identity: { sourceIp: sourceAddress },
    } as APIGatewayProxyEvent['requestContext'],
  };
}

/** Headers that API Gateway makes itself, or reads and keeps. */
const gatewaysOwn = new Set([
  'host',
  'x-forwarded-for',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-http-method-override',
]);

/** Accepts a request as API Gateway does. The answer is the function's, or API Gateway's own error. */
export async function throughGateway(
  handler: GatewayFunction,
  request: Request,
  { sourceAddress, timeoutMs: allowedMs = timeoutMs }: GatewayOptions,
): Promise<Response> {
  // Same page: these characters must be percent-encoded in a query.
  if (/[|{}]/.test(new URL(request.url).search)) return problem('OtherClientError');
  const event = await eventOf(request, sourceAddress);
  if (Buffer.byteLength(event.body ?? '') > gatewayBytes || bytesOf(event) > functionBytes) return tooLarge();
  let end: NodeJS.Timeout;
  const late = new Promise<'late'>((resolve) => {
    end = setTimeout(resolve, allowedMs, 'late');
  });
  try {
    // A function gets and returns JSON, so values that JSON cannot hold do not arrive.
    const result = await Promise.race([handler(throughJSON(event)).then(throughJSON), late]);
    if (result === 'late') return await problem('TimedOut');
    return isResult(result) && bytesOf(result) <= functionBytes ? answerOf(result) : await problem('OtherServerError');
  } catch {
    return await problem('OtherServerError');
  } finally {
    clearTimeout(end!);
  }
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function throughJSON<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value ?? null)) as Value;
}

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html, output format */
function isResult(result: APIGatewayProxyResult | null): result is APIGatewayProxyResult {
  return result !== null && Number.isInteger(result.statusCode) && typeof (result.body ?? '') === 'string';
}

function answerOf({ statusCode, headers = {}, multiValueHeaders = {}, body }: APIGatewayProxyResult): Response {
  // Same page (output format): API Gateway merges both maps; a pair that is in both appears once.
  const lists = new Map<string, string[]>();
  const add = (name: string, value: unknown) => {
    const values = lists.get(name) ?? [];
    if (!values.includes(String(value))) lists.set(name, [...values, String(value)]);
  };
  for (const [name, values] of Object.entries(multiValueHeaders)) for (const value of values ?? []) add(name, value);
  for (const [name, value] of Object.entries(headers)) add(name, value);
  const received = new Headers();
  for (const [name, values] of lists) {
    const known = name.toLowerCase();
    if (droppedFromAnswers.has(known)) continue;
    for (const value of values) received.append(renamedInAnswers.has(known) ? `x-amzn-Remapped-${name}` : name, value);
  }
  // Important notes: every answer has a media type. This is the default.
  if (!received.has('content-type')) received.set('content-type', 'application/json');
  return new Response(body === '' || bodiless.has(statusCode) ? null : body, {
    status: statusCode,
    headers: withOwn(received),
  });
}

/** Statuses whose answers have no body: `Response` refuses one. */
const bodiless = new Set([204, 205, 304]);

function withOwn(headers: Headers): Headers {
  headers.set('x-amzn-requestid', crypto.randomUUID());
  return headers;
}

/** The important notes: “Customizing the default gateway response for 413 REQUEST_TOO_LARGE isn't supported”. */
function tooLarge(): Response {
  return Response.json({ message: 'Request Too Long' }, { status: 413, headers: withOwn(new Headers()) });
}

/** The answer that the API configures for requests that API Gateway refuses. */
async function problem(id: keyof typeof gatewayProblems): Promise<Response> {
  // Imported on demand: few tests need it, and the CDK is large.
  const { gatewayAnswer } = await import('../../lib/api/gateway-problems.ts');
  const { status, headers, body } = gatewayAnswer(id);
  return new Response(body, { status, headers: withOwn(new Headers(headers)) });
}
