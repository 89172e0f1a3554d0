// An HTTP request to a user's address: over a connection of its own, to a checked address, with bounds of the answer.
import { request as requestHttp } from 'node:http';
import type { ClientRequest, OutgoingHttpHeaders } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect, isIP } from 'node:net';
import type { Socket } from 'node:net';
import type { AddressRules } from '../../domain/shared/network-address.ts';
import { boundedTls, SentTooMuch } from './bounded-tls.ts';
import { checkedLookup } from './checked-lookup.ts';
import type { Resolve } from './checked-lookup.ts';

export interface ReachOptions extends AddressRules {
  readonly resolve: Resolve;
  /** PEM certificates to trust in place of the public authorities. */
  readonly tlsCa?: string;
}

export interface CheckedRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
}

/** Answers before the final one, such as `100 Continue`. Each costs work, and HTTP has no bound. */
const mostInterimAnswers = 2;

/**
 * Begins a request. Redirects are not followed.
 * @param request its URL's host, if it is a literal address, has been checked
 * @param signal ends the request, and later the body
 * @returns the request, which its caller ends. Errors have a meaning by `faultOfRequest`
 */
export function checkedRequest(
  { url, method, headers }: CheckedRequest,
  options: ReachOptions,
  signal: AbortSignal,
): ClientRequest {
  const secure = url.protocol === 'https:';
  const request = (secure ? requestHttps : requestHttp)(url, {
    method,
    headers,
    signal,
    // No agent: each request has its own connection, whose address its own lookup checks. Decision D40.
    createConnection: (_options, done) => {
      open(url, options, signal, done as Opened);
      return undefined;
    },
  });
  return boundInterimAnswers(request);
}

/** Ends a request at the third answer before the final one. */
export function boundInterimAnswers(request: ClientRequest): ClientRequest {
  let answers = 0;
  return request.on('information', () => {
    answers += 1;
    if (answers > mostInterimAnswers) request.destroy(new SentTooMuch());
  });
}

type Opened = (error: Error | null, socket?: Socket) => void;

function open({ protocol, hostname, port }: URL, options: ReachOptions, signal: AbortSignal, done: Opened): void {
  const secure = protocol === 'https:';
  // The URL has brackets around an address of IPv6.
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const connection = connect({
    host,
    port: Number(port) || (secure ? 443 : 80),
    lookup: checkedLookup(options.resolve, options),
    signal,
  });
  connection.once('error', done);
  connection.once('connect', () => {
    connection.off('error', done);
    if (!secure) return done(null, connection);
    const { tlsCa: ca } = options;
    const name = isIP(host) ? { host } : { servername: host };
    done(null, boundedTls(connection, { ...name, ALPNProtocols: ['http/1.1'], ...(ca !== undefined && { ca }) }));
  });
}
