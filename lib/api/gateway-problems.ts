// Answers that API Gateway gives by itself, in the form the application gives its own: application/problem+json.
import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { problemCodes, type ProblemCode } from '../../lambda/operations/problem-codes.ts';

interface GatewayProblem {
  readonly type: ResponseType;
  readonly code: ProblemCode;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

// https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
const gatewayProblems: Readonly<Record<string, GatewayProblem>> = {
  Throttled: {
    type: ResponseType.THROTTLED,
    code: 'rate_limited',
    detail: 'The service has more requests than it takes at a time. Wait, then repeat the request.',
    headers: { 'Retry-After': '1' },
  },
  TooLarge: {
    type: ResponseType.REQUEST_TOO_LARGE,
    code: 'payload_too_large',
    detail: 'The request body is larger than 10 MB. Media is sent to an upload URL instead.',
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
};

/** The body of such an answer. `type` is relative to the request's host: what the public calls it is not known to the stacks. */
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

export function addGatewayProblems(api: RestApi): void {
  for (const [id, { type, code, detail, headers = {} }] of Object.entries(gatewayProblems)) {
    api.addGatewayResponse(id, {
      type,
      statusCode: String(problemCodes[code].status),
      templates: { 'application/json': problemBody(code, detail) },
      // API Gateway takes literal header values in single quotes.
      responseHeaders: Object.fromEntries(
        Object.entries({ 'Content-Type': 'application/problem+json', ...headers }).map(([name, value]) => [
          name,
          `'${value}'`,
        ]),
      ),
    });
  }
}
