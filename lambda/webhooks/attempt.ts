// One attempt to deliver: a POST to a checked address, within a time, that follows no redirects and reads little.
import { request as requestHttp } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { WebhookFailure } from '../domain/notices/webhook-failures.ts';
import { faultOfWebhookURL } from '../domain/notices/webhook-url.ts';
import { checkedLookup } from '../ports/outbound/checked-lookup.ts';
import type { Resolve } from '../ports/outbound/checked-lookup.ts';
import { faultOfRequest } from '../ports/outbound/request-fault.ts';

export interface AttemptOptions {
  readonly allowPrivateAddresses: boolean;
  readonly resolve: Resolve;
  /** The time for all of the attempt, from looking up the name to the end of the answer. */
  readonly timeoutMs: number;
  /** PEM certificates to trust in place of the public authorities. */
  readonly tlsCa?: string;
}

export interface Outcome {
  /** The status of the answer; null without an answer. */
  readonly status: number | null;
  /** How the answer's body begins; null without an answer. */
  readonly excerpt: string | null;
  /** Null when the receiver took the event. */
  readonly failure: WebhookFailure | null;
  /** The seconds that the receiver asked for by Retry-After; 0 when it asked for none. */
  readonly retryAfterSeconds: number;
}

/** This much of an answer is read. */
export const excerptBytes = 1024;

/**
 * Makes one attempt. Whatever the receiver does is an outcome, no error.
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
  // The URL is checked again: the stage may have become stricter since it was registered, and the lookup, which checks
  // addresses, is not asked about a literal one.
  if (faultOfWebhookURL(url, options) !== null) return unanswered('address_forbidden');
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
    // No agent: each request has a connection of its own, whose address its own lookup checks.
    agent: false,
    lookup: checkedLookup(options.resolve, options),
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
  // This listener stays for errors after the answer. Those fail the body too, so its reader is told.
  request.on('error', reject);
  // Some answers bring no response event, such as one that switches protocols.
  request.once('close', () => reject(new Error('the connection was closed without an answer')));
  request.end(body);
  return promise;
}

/** How the body of an answer begins. An answer that breaks off or never ends counts by its status all the same. */
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
    // The excerpt is what has arrived.
  }
  answer.destroy();
  // Postgres cannot store a NUL.
  return Buffer.concat(chunks).subarray(0, excerptBytes).toString('utf8').replaceAll('\0', '');
}

function failureOf(status: number): WebhookFailure | null {
  if (status >= 200 && status < 300) return null;
  if (status === 410) return 'gone';
  return status >= 300 && status < 400 ? 'redirected' : 'refused';
}

/** The seconds of Retry-After; 0 without one, and for the form that gives a date. */
function retryAfterSecondsOf({ headers: { 'retry-after': value = '' } }: IncomingMessage): number {
  return /^\d{1,9}$/.test(value) ? Number(value) : 0;
}
