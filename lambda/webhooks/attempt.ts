// One delivery attempt: a POST to a checked address, with a timeout, no redirects, and a limit on the answer.
import type { IncomingMessage } from 'node:http';
import type { WebhookFailure } from '../domain/notices/webhook-failures.ts';
import { faultOfWebhookURL } from '../domain/notices/webhook-url.ts';
import { checkedRequest } from '../ports/outbound/checked-request.ts';
import type { ReachOptions } from '../ports/outbound/checked-request.ts';
import { faultOfRequest } from '../ports/outbound/request-fault.ts';

export interface AttemptOptions extends ReachOptions {
  /** The time limit of the attempt, from the DNS lookup to the end of the answer, in milliseconds. */
  readonly timeoutMs: number;
}

export interface Outcome {
  /** The HTTP status; null without an answer. */
  readonly status: number | null;
  /** The beginning of the answer's body; null without an answer. */
  readonly excerpt: string | null;
  /** Null if the receiver accepted the event. */
  readonly failure: WebhookFailure | null;
  /** The seconds of the answer's Retry-After; 0 if there is none. */
  readonly retryAfterSeconds: number;
}

/** The number of bytes of an answer that are read. */
export const excerptBytes = 1024;

/**
 * Makes one attempt. Failures of the receiver are an outcome, not an error.
 * @throws the signal's reason if aborted
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
  // The URL is checked again: the stage may have become stricter since its registration, and the lookup, which checks
  // addresses, is not called for a literal IP address.
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
  const request = checkedRequest(
    {
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'loop-streaming-webhooks/1.0',
        ...headers,
      },
    },
    options,
    signal,
  );
  request.once('response', resolve);
  // This listener also receives errors after the answer, which fail the body as well.
  request.on('error', reject);
  // Some answers cause no response event, such as one that switches protocols.
  request.once('close', () => reject(new Error('the connection was closed without an answer')));
  request.end(body);
  return promise;
}

/** The beginning of an answer's body. An answer that breaks off or never ends still counts by its status. */
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
    // Use the part that has arrived.
  }
  answer.destroy();
  // Postgres cannot store a NUL character.
  return Buffer.concat(chunks).subarray(0, excerptBytes).toString('utf8').replaceAll('\0', '');
}

function failureOf(status: number): WebhookFailure | null {
  if (status >= 200 && status < 300) return null;
  if (status === 410) return 'gone';
  return status >= 300 && status < 400 ? 'redirected' : 'refused';
}

/** The seconds of Retry-After; 0 if it is absent, or a date. */
function retryAfterSecondsOf({ headers: { 'retry-after': value = '' } }: IncomingMessage): number {
  return /^\d{1,9}$/.test(value) ? Number(value) : 0;
}
