// Sends one question to AWS with the engineer's credentials: signs it, retries while AWS is busy, parses the answer.
import { setTimeout as delay } from 'node:timers/promises';
import type { fromNodeProviderChain } from '@aws-sdk/credential-providers';
import { parseXML } from '@aws-sdk/xml-builder';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import { z, type ZodType } from 'zod';
import { awsHost, serviceOfAWS } from '../../lambda/domain/shared/aws-partition.ts';
import { type AwsService, awsServices, type QuestionInput, type ServiceFacts } from './aws-services.ts';

export interface Question<Answer> {
  readonly service: AwsService;
  /** The API's name of the action. */
  readonly action: string;
  /** The parameters: those of a form, as EC2 and IAM flatten them, or the fields of a JSON body. */
  readonly input?: QuestionInput;
  /** The path of a REST API, with its parts encoded. Such an API is only read here. */
  readonly path?: string;
  /** Default: the region of the stage. */
  readonly region?: string;
  /** The schema of the answer, which has to accept unknown fields and values. */
  readonly answer: ZodType<Answer>;
}

/** @throws {Unanswered} if there is no answer, or only an unreadable one */
export type AskAws = <Answer>(question: Question<Answer>) => Promise<Answer>;

export type Credentials = ReturnType<typeof fromNodeProviderChain>;

export type Reason = 'forbidden' | 'busy' | 'unreachable' | 'refused' | 'unreadable';

/** The reason why a question has no answer. */
export class Unanswered extends Error {
  /** The right that the question requires, such as `ec2:DescribeVpcs`. */
  readonly right: string;
  readonly reason: Reason;
  /** The API's name of the error, such as `ParameterNotFound`. */
  readonly code: string;

  constructor(right: string, reason: Reason, code: string, message: string) {
    super(`${right}: ${code} (${message})`);
    this.right = right;
    this.reason = reason;
    this.code = code;
  }
}

const tries = 4;
const timeoutMs = 10_000;
const firstPauseMs = 200;
const forbidden = /^(?:AccessDenied|UnauthorizedOperation|AuthorizationError|NotAuthorized)/;
const busy = /Throttl|^RequestLimitExceeded$|^TooManyRequests|^SlowDown$|^PriorRequestNotComplete$/;

/**
 * @param region region of questions that name none
 * @returns a function that asks AWS; it asks each question only once
 */
export function openAws(region: string, credentials: Credentials): AskAws {
  const answers = new Map<string, Promise<unknown>>();
  return async ({ answer, ...question }) => {
    const key = JSON.stringify(question);
    const given = answers.get(key) ?? askPatiently({ region, ...question }, credentials);
    answers.set(key, given);
    const parsed = answer.safeParse(await given);
    if (parsed.success) return parsed.data;
    throw new Unanswered(rightFor(question), 'unreadable', 'UnknownShape', parsed.error.issues[0]?.message ?? '');
  };
}

type PlacedQuestion = Omit<Question<unknown>, 'answer'> & { readonly region: string };

function rightFor({ service, action }: Pick<PlacedQuestion, 'service' | 'action'>): string {
  return `${awsServices[service].rights}:${action}`;
}

async function askPatiently(question: PlacedQuestion, credentials: Credentials): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await askOnce(question, credentials);
    } catch (error) {
      const passing = error instanceof Unanswered && (error.reason === 'busy' || error.reason === 'unreachable');
      if (!passing || attempt === tries) throw error;
      await delay(firstPauseMs * 2 ** (attempt - 1) * (1 + Math.random()));
    }
  }
}

async function askOnce(question: PlacedQuestion, credentials: Credentials): Promise<unknown> {
  const request = await signedRequest(question, credentials);
  const right = rightFor(question);
  const unreachable = (error: Error) => {
    const { message, cause } = error;
    return new Unanswered(right, 'unreachable', 'NoConnection', cause instanceof Error ? cause.message : message);
  };
  const response = await fetch(request).catch((error: Error) => Promise.reject(unreachable(error)));
  const text = await response.text().catch((error: Error) => Promise.reject(unreachable(error)));
  const content = parseContent(text, awsServices[question.service].answers);
  if (!response.ok) throw refusal(right, response, content);
  if (content === undefined) throw new Unanswered(right, 'unreadable', 'UnknownShape', text.slice(0, 80));
  return content;
}

async function signedRequest(
  { service, action, input = {}, path = '/', region }: PlacedQuestion,
  credentials: Credentials,
): Promise<Request> {
  const { signingName, oneForAll, endpointVariable, asks }: ServiceFacts = awsServices[service];
  const host = oneForAll === undefined ? awsHost(service, region) : serviceOfAWS(oneForAll);
  const url = new URL(process.env[endpointVariable] ?? process.env.AWS_ENDPOINT_URL ?? `https://${host}`);
  url.pathname = path;
  const body = asks.body?.(action, input);
  const headers = { host: url.host, ...asks.headers(action) };
  const method = body === undefined ? 'GET' : 'POST';
  const signer = new SignatureV4({
    service: signingName,
    region: oneForAll === undefined ? region : 'us-east-1',
    sha256: Sha256,
    credentials,
  });
  const signed = await signer.sign({ method, protocol: url.protocol, hostname: url.hostname, path, headers, body });
  return new Request(url, { method, headers: signed.headers, body, signal: AbortSignal.timeout(timeoutMs) });
}

/** @returns undefined for content that is neither JSON nor XML: a proxy may answer instead of AWS */
function parseContent(text: string, format: 'xml' | 'json'): unknown {
  try {
    return format === 'xml' ? parseXML(text) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const faultInXml = z.object({ Code: z.string(), Message: z.string() }).partial().catch({});
const faultAnswer = z
  .object({
    // The protocols of EC2, of the other query APIs, and of JSON.
    Response: z.object({ Errors: z.object({ Error: faultInXml }) }),
    ErrorResponse: z.object({ Error: faultInXml }),
    __type: z.string(),
    message: z.string(),
    Message: z.string(),
  })
  .partial()
  .catch({});

function refusal(right: string, response: Response, content: unknown): Unanswered {
  const { Response: ofEc2, ErrorResponse: ofQuery, __type, message, Message } = faultAnswer.parse(content);
  const fault = ofEc2?.Errors.Error ?? ofQuery?.Error ?? {};
  const named = response.headers.get('x-amzn-errortype') ?? __type ?? fault.Code ?? `HTTP ${response.status}`;
  // The name may be between a namespace and the address of a model: NAMESPACE#NAME:ADDRESS.
  const code = named.replace(/:.*$/s, '').replace(/^.*#/s, '');
  const said = message ?? Message ?? fault.Message ?? 'without a message';
  return new Unanswered(right, reasonOf(code, response.status), code, said);
}

function reasonOf(code: string, status: number): Reason {
  if (forbidden.test(code)) return 'forbidden';
  if (busy.test(code) || status === 429) return 'busy';
  return status >= 500 ? 'unreachable' : 'refused';
}
