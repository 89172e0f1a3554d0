// Stands in for the AWS services that the checks of a deployment ask, in their own protocols, with their own refusals.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answers, Fault } from './account-answers.ts';
import type { AccountFacts } from './account-facts.ts';

export interface AwsStandIn {
  /** Credentials that it accepts, and its address. */
  readonly environment: Readonly<Record<string, string>>;
  /** Rights of the questions that it was asked, in order. */
  readonly asked: readonly string[];
  close(): void;
}

type Protocol = 'ec2' | 'query' | 'json' | 'rest-json' | 'rest-xml';

/** By the name that a service is signed for. */
const protocols: Readonly<Record<string, { readonly protocol: Protocol; readonly version?: string }>> = {
  sts: { protocol: 'query', version: '2011-06-15' },
  iam: { protocol: 'query', version: '2010-05-08' },
  cloudformation: { protocol: 'query', version: '2010-05-15' },
  rds: { protocol: 'query', version: '2014-10-31' },
  ec2: { protocol: 'ec2', version: '2016-11-15' },
  servicequotas: { protocol: 'json', version: 'ServiceQuotasV20190624' },
  ssm: { protocol: 'json', version: 'AmazonSSM' },
  ecr: { protocol: 'json', version: 'AmazonEC2ContainerRegistry_V20150921' },
  lambda: { protocol: 'rest-json' },
  ses: { protocol: 'rest-json' },
  route53: { protocol: 'rest-xml' },
};

/** The paths of REST APIs, by the right that they take. */
const paths: Readonly<Record<string, RegExp>> = {
  'lambda:GetAccountSettings': /^\/2016-08-19\/account-settings$/,
  'ses:GetAccount': /^\/v2\/email\/account$/,
  'ses:GetEmailIdentity': /^\/v2\/email\/identities\/(?<name>[^/]+)$/,
  'route53:GetHostedZone': /^\/2013-04-01\/hostedzone\/(?<name>[^/]+)$/,
};

/** How each protocol says that there are too many requests, and that a right is missing. */
const refusals: Readonly<Record<Protocol, { readonly busy: Fault; readonly forbidden: Fault }>> = {
  // https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
  ec2: {
    busy: new Fault(503, 'RequestLimitExceeded', 'Request limit exceeded.'),
    forbidden: new Fault(403, 'UnauthorizedOperation', 'You are not authorized to perform this operation.'),
  },
  // https://docs.aws.amazon.com/IAM/latest/APIReference/CommonErrors.html
  query: {
    busy: new Fault(400, 'Throttling', 'Rate exceeded'),
    forbidden: new Fault(403, 'AccessDenied', 'Not authorized'),
  },
  // https://docs.aws.amazon.com/systems-manager/latest/APIReference/CommonErrors.html
  json: {
    busy: new Fault(400, 'ThrottlingException', 'Rate exceeded'),
    forbidden: new Fault(400, 'AccessDeniedException', 'Not authorized'),
  },
  // https://docs.aws.amazon.com/lambda/latest/api/API_GetAccountSettings.html
  'rest-json': {
    busy: new Fault(429, 'TooManyRequestsException', 'Rate exceeded'),
    forbidden: new Fault(403, 'AccessDeniedException', 'Not authorized'),
  },
  // https://docs.aws.amazon.com/Route53/latest/APIReference/CommonErrors.html
  'rest-xml': {
    busy: new Fault(400, 'Throttling', 'Rate exceeded'),
    forbidden: new Fault(403, 'AccessDenied', 'Not authorized'),
  },
};

/** Signer and scope of a request. The clients of the SDK sign rightly, so a signature is not judged. */
interface Signer {
  readonly keyID: string;
  readonly region: string;
  /** The name that the service is signed for, such as `ses` for the host `email`. */
  readonly service: string;
}

function signerOf({ headers }: IncomingMessage): Signer | null {
  const scope = /Credential=([^/]+)\/\d{8}\/([^/]+)\/([^/]+)\/aws4_request/.exec(headers.authorization ?? '');
  if (!scope) return null;
  const [, keyID = '', region = '', service = ''] = scope;
  return { keyID, region, service };
}

export async function startAws(facts: AccountFacts): Promise<AwsStandIn> {
  const asked: string[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const body = (await request.toArray()).join('');
    const signer = signerOf(request);
    const protocol = protocols[signer?.service ?? '']?.protocol ?? 'query';
    try {
      const answer = answerTo(request, body, signer, facts, asked);
      const isXml = answer.startsWith('<');
      response.writeHead(200, { 'content-type': isXml ? 'text/xml;charset=UTF-8' : 'application/x-amz-json-1.1' });
      response.end(answer);
    } catch (error) {
      const fault = error instanceof Fault ? error : new Fault(500, 'InternalFailure', String(error));
      response.writeHead(fault.status, protocol === 'rest-json' ? { 'x-amzn-errortype': `${fault.code}:` } : {});
      response.end(errorBody(protocol, fault));
    }
  };
  const server = createServer((request, response) => void serve(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    asked,
    environment: {
      AWS_ACCESS_KEY_ID: 'GOOD',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    },
    close: () => server.close(),
  };
}

function answerTo(
  request: IncomingMessage,
  body: string,
  signer: Signer | null,
  facts: AccountFacts,
  asked: string[],
): string {
  if (!signer) throw new Fault(403, 'SignatureDoesNotMatch', 'The request signature we calculated does not match');
  const { service, region, keyID } = signer;
  if (keyID !== 'GOOD') throw new Fault(403, 'ExpiredToken', 'The security token included in the request is expired');
  const { right, input } = questionOf(request, body, service);
  asked.push(right);
  const answer = answers[right];
  if (!answer) throw new Fault(400, 'InvalidAction', `The action ${right} is not valid for this web service.`);
  const { busy, forbidden } = refusals[protocols[service]!.protocol];
  if (right !== 'sts:GetCallerIdentity') {
    if (facts.forbidden === 'all' || facts.forbidden.includes(right)) throw forbidden;
    if (asked.filter((other) => other === right).length <= facts.busyTimes) throw busy;
  }
  return answer(facts, { input, region });
}

function questionOf(
  request: IncomingMessage,
  body: string,
  service: string,
): { readonly right: string; readonly input: Readonly<Record<string, string>> } {
  const { protocol, version } = protocols[service] ?? {};
  if (protocol === 'ec2' || protocol === 'query') {
    const { Action, Version, ...input } = Object.fromEntries(new URLSearchParams(body));
    if (Version !== version) throw new Fault(400, 'NoSuchVersion', `${service} ${Version}`);
    return { right: `${service}:${Action}`, input };
  }
  if (protocol === 'json') {
    const [target, action] = String(request.headers['x-amz-target']).split('.');
    if (target !== version || request.headers['content-type'] !== 'application/x-amz-json-1.1')
      throw new Fault(400, 'UnknownOperationException', String(target));
    return { right: `${service}:${action}`, input: JSON.parse(body) };
  }
  for (const [right, path] of Object.entries(paths)) {
    const match = path.exec(request.url ?? '');
    const name = decodeURIComponent(match?.groups?.name ?? '');
    if (match && request.method === 'GET' && right.startsWith(`${service}:`)) return { right, input: { name } };
  }
  throw new Fault(404, 'UnknownOperationException', `${request.method} ${request.url}`);
}

function errorBody(protocol: Protocol, { code, message }: Fault): string {
  const fault = `<Code>${code}</Code><Message>${message}</Message>`;
  const inXml = `<Error><Type>Sender</Type>${fault}</Error><RequestId>1</RequestId>`;
  const bodies: Readonly<Record<Protocol, string>> = {
    ec2: `<Response><Errors><Error>${fault}</Error></Errors><RequestID>1</RequestID></Response>`,
    query: `<ErrorResponse>${inXml}</ErrorResponse>`,
    json: JSON.stringify({ __type: code, message }),
    'rest-json': JSON.stringify({ message }),
    'rest-xml': `<?xml version="1.0"?>\n<ErrorResponse>${inXml}</ErrorResponse>`,
  };
  return bodies[protocol];
}
