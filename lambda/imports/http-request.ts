// Sends one request, only to a checked address, without following redirects.
import { request as requestHttp } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { checkedLookup } from '../ports/outbound/checked-lookup.ts';
import type { Resolve } from '../ports/outbound/checked-lookup.ts';
import { faultOfRequest } from '../ports/outbound/request-fault.ts';
import { ImportError } from './import-error.ts';

export interface RequestOptions {
  readonly allowPrivateAddresses: boolean;
  readonly resolve: Resolve;
  /** The time for the connection and the answer's headers. */
  readonly answerMs: number;
  /** PEM certificates to trust in place of the public authorities. */
  readonly tlsCa?: string;
}

/** The method (default GET), headers and body of a request. */
export interface Asked {
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * @param url a URL whose host, if it is a literal address, has been checked
 * @param signal ends the request, and later the body
 * @returns the answer. The caller must read or destroy its body
 * @throws {ImportError} when there is no answer; the signal's reason when aborted
 */
export function httpRequest(
  url: URL,
  { method = 'GET', headers, body }: Asked,
  options: RequestOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    method,
    // No agent: each request has its own connection, whose address its own lookup checks. Decision D40.
    agent: false,
    lookup: checkedLookup(options.resolve, options),
    headers: { 'user-agent': 'loop-streaming-import/1.0', accept: '*/*', 'accept-encoding': 'identity', ...headers },
    signal,
    ...(options.tlsCa === undefined ? {} : { ca: options.tlsCa }),
  });
  const silence = setTimeout(() => request.destroy(new ImportError('source_unreachable')), options.answerMs);
  request.once('response', (response) => {
    clearTimeout(silence);
    resolve(response);
  });
  request.once('close', () => clearTimeout(silence));
  // The listener also catches errors after the answer. Those fail the body too, so its reader gets them.
  request.on('error', (error) => reject(signal.aborted ? signal.reason : causeOf(error)));
  request.end(body);
  return promise;
}

function causeOf(error: Error): ImportError {
  if (error instanceof ImportError) return error;
  const fault = faultOfRequest(error);
  return new ImportError(fault === 'unreachable' ? 'source_unreachable' : fault, { cause: error });
}
