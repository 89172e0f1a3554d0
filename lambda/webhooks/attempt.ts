// One attempt to deliver: a POST to a checked address, without following redirects, within a time and of a small answer.
import { request as requestHttp } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { WebhookFailure } from '../domain/webhook-failures.ts';
import { faultOfWebhookURL } from '../domain/webhook-url.ts';
import { checkedLookup } from '../ports/outbound/checked-lookup.ts';
import type { Resolve } from '../ports/outbound/checked-lookup.ts';
import { faultOfRequest } from '../ports/outbound/request-fault.ts';

export interface AttemptOptions {
  readonly allowPrivateAddresses: boolean;
  readonly resolve: Resolve;
  /** For all of it, from the name to the end of the answer. */
  readonly timeoutMs: number;
  /** PEM certificates to trust in place of the public authorities. */
  readonly tlsCa?: string;
}

export interface Outcome {
  /** Null without an answer. */
  readonly status: number | null;
  /** How the answer begins; null without one. */
  readonly excerpt: string | null;
  /** Null when the event was taken. */
  readonly failure: WebhookFailure | null;
  /** What the receiver asked for by Retry-After, in seconds; 0 when nothing. */
  readonly retryAfterSeconds: number;
}

/** Of an answer; the rest is not read. */
export const excerptBytes = 1024;

/**
 * Never throws for what the receiver does.
 * @throws the signal's reason when aborted
 */
export async function attempt(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  options: AttemptOptions,
  signal: AbortSignal,
): Promise<Outcome> {
  const unanswered = (failure: WebhookFailure): Outcome => ({
    status: null,
    excerpt: null,
    failure,
    retryAfterSeconds: 0,
  });
  // Stages may have become stricter since it was registered; and a literal address is never looked up.
  if (faultOfWebhookURL(url, options.allowPrivateAddresses) !== null) return unanswered('address_forbidden');
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const either = AbortSignal.any([signal, timeout]);
  try {
    const answer = await post(new URL(url), headers, body, options, either);
    const { statusCode = 0 } = answer;
    const excerpt = await beginningOf(answer);
    signal.throwIfAborted();
    return {
      status: statusCode,
      excerpt,
      failure: failureOf(statusCode),
      retryAfterSeconds: retryAfterSecondsOf(answer),
    };
  } catch (error) {
    signal.throwIfAborted();
    return unanswered(timeout.aborted ? 'timed_out' : faultOfRequest(error));
  }
}

function post(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  options: AttemptOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    method: 'POST',
    // A connection of its own, checked by its own lookup.
    agent: false,
    lookup: checkedLookup(options.resolve, options.allowPrivateAddresses),
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'loop-streaming-webhooks/1.0',
      ...headers,
    },
    signal,
    ...(options.tlsCa === undefined ? {} : { ca: options.tlsCa }),
  });
  request.once('response', resolve);
  // Stays: what fails after the answer fails its body too, and is told there.
  request.on('error', reject);
  // Some answers are none, such as one that switches protocols.
  request.once('close', () => reject(new Error('the connection was closed without an answer')));
  request.end(body);
  return promise;
}

/** An answer that breaks off, or never ends, is one by its status all the same. */
async function beginningOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= excerptBytes) break;
    }
  } catch {
    // What has arrived has to do.
  }
  answer.destroy();
  // Postgres holds no NUL.
  return Buffer.concat(chunks).subarray(0, excerptBytes).toString('utf8').replaceAll('\0', '');
}

function failureOf(status: number): WebhookFailure | null {
  if (status >= 200 && status < 300) return null;
  if (status === 410) return 'gone';
  return status >= 300 && status < 400 ? 'redirected' : 'refused';
}

/** Only of the form that says how long. */
function retryAfterSecondsOf({ headers: { 'retry-after': value = '' } }: IncomingMessage): number {
  return /^\d{1,9}$/.test(value) ? Number(value) : 0;
}
