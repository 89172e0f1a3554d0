// The answers that API Gateway gives itself, in the application's format: application/problem+json.
import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { ProblemCode } from '../../lambda/operations/problem-codes.ts';
import { problemCodes } from '../../lambda/operations/problem-kinds.ts';

interface GatewayProblem {
  readonly type: ResponseType;
  readonly code: ProblemCode;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

// https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
// “Amazon API Gateway important notes”: the answer to a body that is too large cannot be changed.
export const gatewayProblems = {
  Throttled: {
    type: ResponseType.THROTTLED,
    code: 'rate_limited',
    detail: 'The service has more requests than it takes at a time. Wait, then repeat the request.',
    headers: { 'Retry-After': '1' },
  },
  TimedOut: {
    type: ResponseType.INTEGRATION_TIMEOUT,
    code: 'upstream_unavailable',
    detail: 'The request took too long. What it was to change may have been changed; read before repeating it.',
  },
  NotThroughDistribution: {
    type: ResponseType.WAF_FILTERED,
    code: 'not_found',
    detail: 'The API is not served at this address. Use the public one.',
  },
  OtherClientError: {
    type: ResponseType.DEFAULT_4XX,
    code: 'validation_failed',
    detail: 'The request could not be read.',
  },
  OtherServerError: {
    type: ResponseType.DEFAULT_5XX,
    code: 'internal_error',
    detail: 'Something went wrong on our side.',
  },
} satisfies Readonly<Record<string, GatewayProblem>>;

/** The body of such an answer. Its `type` is a URL without a host, as the stack does not know the public name. */
export function problemBody(code: ProblemCode, detail: string): string {
  const { title, status } = problemCodes[code];
  return JSON.stringify({
    type: `/v1/problems/${code}`,
    title,
    status,
    detail,
    code,
    ...(status === 422 && { errors: [] }),
  });
}

/** An answer of API Gateway itself, as it is sent. */
export function gatewayAnswer(id: keyof typeof gatewayProblems): {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
} {
  const { code, detail, headers = {} }: GatewayProblem = gatewayProblems[id];
  return {
    status: problemCodes[code].status,
    headers: { 'Content-Type': 'application/problem+json', ...headers },
    body: problemBody(code, detail),
  };
}

/** Configures the API to use this format for the answers that API Gateway gives itself. */
export function addGatewayProblems(api: RestApi): void {
  for (const id of Object.keys(gatewayProblems) as (keyof typeof gatewayProblems)[]) {
    const { status, headers, body } = gatewayAnswer(id);
    api.addGatewayResponse(id, {
      type: gatewayProblems[id].type,
      statusCode: String(status),
      templates: { 'application/json': body },
      // API Gateway expects literal header values in single quotes.
      responseHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`])),
    });
  }
}
