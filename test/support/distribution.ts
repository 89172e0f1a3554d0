// CloudFront in front of API Gateway, with the API's behaviors: its added headers and its edge function.
import type { CloudFrontHeaders, CloudFrontResponse, CloudFrontResponseEvent } from 'aws-lambda';
import { handler as giveChallengesBack } from '../../lambda/edge/challenge.lambda.ts';
import { type GatewayFunction, throughGateway } from './gateway.ts';

/** The distribution's address that API Gateway sees. */
const edgeAddress = '203.0.113.9';

/** A function at CloudFront for the event “origin response”. */
export type EdgeFunction = (event: CloudFrontResponseEvent) => Promise<CloudFrontResponse>;

export interface DistributionOptions {
  /** Null for a distribution without one. Default: the function of `lib/web/web-stack.ts`. */
  readonly onOriginResponse?: EdgeFunction | null;
}

// https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/edge-functions-restrictions.html, HTTP headers
const hiddenFromFunctions = new RegExp(
  `^(?:${[
    'connection|expect|keep-alive|trailer|upgrade|proxy-(?:authenticate|authorization|connection)',
    'x-accel-(?:buffering|charset|limit-rate|redirect)|x-amz-cf-.*|x-cache|x-edge-.*|x-forwarded-proto|x-real-ip',
    'x-amzn-(?:auth|cf-billing|cf-id|cf-xff|errortype|fle-profile|header-(?:count|order)|requestid)',
    'x-amzn-lambda-integration-tag',
  ].join('|')})$`,
);
const readOnly = ['transfer-encoding', 'via'];

/** @param address the client's address */
export async function throughDistribution(
  handler: GatewayFunction,
  request: Request,
  address: string | null,
  { onOriginResponse = giveChallengesBack }: DistributionOptions = {},
): Promise<Response> {
  const headers = new Headers(request.headers);
  const claimed = headers.get('x-forwarded-for');
  headers.set('x-forwarded-for', [...(claimed ? [claimed] : []), address].join(', '));
  // The policy AllViewerExceptHostHeader.
  headers.delete('host');
  const body = request.body === null ? null : await request.arrayBuffer();
  const sent = new Request(request.url, { method: request.method, headers, body });
  const answer = await throughGateway(handler, sent, { sourceAddress: edgeAddress });
  return onOriginResponse ? changedBy(onOriginResponse, sent, answer) : answer;
}

/**
 * Unlike functions for viewer responses, those for origin responses run at every status (same page, “HTTP status
 * codes”). CloudFront answers 502 if a function breaks a rule.
 */
async function changedBy(run: EdgeFunction, request: Request, answer: Response): Promise<Response> {
  const response: CloudFrontResponse = {
    status: String(answer.status),
    statusDescription: answer.statusText,
    headers: shownHeaders(answer.headers),
  };
  // Functions get JSON, and cannot change the objects here.
  const returned = await run(structuredClone(eventOf(request, response))).catch(() => null);
  if (!returned || breaksRules(response.headers, returned.headers)) return new Response(null, { status: 502 });
  const headers = new Headers([...answer.headers].filter(([name]) => hiddenFromFunctions.test(name)));
  for (const [name, values] of Object.entries(returned.headers))
    for (const { value } of values) headers.append(name, value);
  return new Response(answer.body, { status: Number(returned.status), headers });
}

function shownHeaders(headers: Headers): CloudFrontHeaders {
  const shown: CloudFrontHeaders = {};
  for (const [name, value] of headers)
    if (!hiddenFromFunctions.test(name)) (shown[name] ??= []).push({ key: name, value });
  return shown;
}

function breaksRules(before: CloudFrontHeaders, after: CloudFrontHeaders): boolean {
  const valueOf = (headers: CloudFrontHeaders, name: string) =>
    JSON.stringify(headers[name]?.map(({ value }) => value));
  return (
    readOnly.some((name) => valueOf(before, name) !== valueOf(after, name)) ||
    Object.entries(after).some(
      ([name, values]) =>
        hiddenFromFunctions.test(name) || values.some(({ key }) => key !== undefined && key.toLowerCase() !== name),
    )
  );
}

function eventOf(request: Request, response: CloudFrontResponse): CloudFrontResponseEvent {
  const { pathname, search } = new URL(request.url);
  return {
    Records: [
      {
        cf: {
          config: {
            distributionDomainName: 'd111111abcdef8.cloudfront.net',
            distributionId: 'EDFDVBD6EXAMPLE',
            eventType: 'origin-response',
            requestId: 'xGN7KWpVEmB9Dp7ctcVFQC4E-nrcOcEKS3QyAez--06dV7TEXAMPLE==',
          },
          request: {
            clientIp: '192.0.2.1',
            method: request.method,
            uri: pathname,
            querystring: search.slice(1),
            headers: shownHeaders(request.headers),
          },
          response,
        },
      },
    ],
  };
}
