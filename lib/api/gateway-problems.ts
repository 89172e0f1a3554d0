// Answers that API Gateway gives by itself, in the form the application gives its own: application/problem+json.
import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';

interface GatewayProblem {
  readonly type: ResponseType;
  /** Status, code and title are those the application has for the same thing. */
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

// https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
const problems: Readonly<Record<string, GatewayProblem>> = {
  Throttled: {
    type: ResponseType.THROTTLED,
    status: 429,
    code: 'rate_limited',
    title: 'Too many requests',
    detail: 'The service has more requests than it takes at a time. Wait, then repeat the request.',
    headers: { 'Retry-After': '1' },
  },
  TooLarge: {
    type: ResponseType.REQUEST_TOO_LARGE,
    status: 422,
    code: 'payload_too_large',
    title: 'Payload too large',
    detail: 'The request body is larger than 10 MB. Media is sent to an upload URL instead.',
  },
  TimedOut: {
    type: ResponseType.INTEGRATION_TIMEOUT,
    status: 502,
    code: 'upstream_unavailable',
    title: 'Upstream service unavailable',
    detail: 'The request took too long. What it was to change may have been changed; read before repeating it.',
  },
  NotThroughDistribution: {
    type: ResponseType.WAF_FILTERED,
    status: 404,
    code: 'not_found',
    title: 'Not found',
    detail: 'The API is not served at this address. Use the public one.',
  },
  OtherClientError: {
    type: ResponseType.DEFAULT_4XX,
    status: 422,
    code: 'validation_failed',
    title: 'Validation failed',
    detail: 'The request could not be read.',
  },
  OtherServerError: {
    type: ResponseType.DEFAULT_5XX,
    status: 500,
    code: 'internal_error',
    title: 'Internal error',
    detail: 'Something went wrong on our side.',
  },
};

/** Gives an API those answers. `type` is relative to the request's host: what the public calls it is not known here. */
export function addGatewayProblems(api: RestApi): void {
  for (const [id, { type, status, code, title, detail, headers = {} }] of Object.entries(problems)) {
    const errors = status === 422 ? { errors: [] } : {};
    api.addGatewayResponse(id, {
      type,
      statusCode: String(status),
      templates: { 'application/json': JSON.stringify({ type: `/v1/problems/${code}`, title, status, detail, code, ...errors }) },
      // API Gateway takes literal header values in single quotes.
      responseHeaders: Object.fromEntries(
        Object.entries({ 'Content-Type': 'application/problem+json', ...headers }).map(([name, value]) => [name, `'${value}'`]),
      ),
    });
  }
}
