// Sends one request, only to a checked address, without following redirects.
import type { IncomingMessage } from 'node:http';
import { checkedRequest } from '../ports/outbound/checked-request.ts';
import type { ReachOptions } from '../ports/outbound/checked-request.ts';
import { faultOfRequest } from '../ports/outbound/request-fault.ts';
import { ImportError } from './import-error.ts';

export interface RequestOptions extends ReachOptions {
  /** The time for the connection and the answer's headers. */
  readonly answerMs: number;
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
  { method = 'GET', headers: given, body }: Asked,
  options: RequestOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = {
    'user-agent': 'loop-streaming-import/1.0',
    accept: '*/*',
    'accept-encoding': 'identity',
    ...given,
  };
  const request = checkedRequest({ url, method, headers }, options, signal);
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
