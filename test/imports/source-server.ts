// A source on loopback that serves a file as well, or as badly, as a test requests.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Certificate } from '../support/certificates.ts';

export interface SourceServer extends AsyncDisposable {
  readonly port: number;
  /** The requests so far, in the order of arrival. */
  readonly requests: { readonly path: string; readonly range: string | undefined }[];
  url(path: string): string;
}

export type Answer = (request: IncomingMessage, response: ServerResponse, numberOfRequest: number) => unknown;

/** Starts a source. @param certificate makes it use https, on localhost */
export async function startSource(answer: Answer, certificate?: Certificate): Promise<SourceServer> {
  const requests: SourceServer['requests'] = [];
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    requests.push({ path: request.url ?? '', range: request.headers.range });
    answer(request, response, requests.length);
  };
  const server = certificate ? createSecureServer({ ...certificate }, listener) : createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the source has no port');
  return {
    port: address.port,
    requests,
    url: (path) => `${certificate ? 'https://localhost' : 'http://127.0.0.1'}:${address.port}${path}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export interface FileOptions {
  readonly headers?: Record<string, string>;
  /** Null omits the header. */
  readonly etag?: string | null;
  readonly ranges?: boolean;
  /** Number of bytes of an answer after which the connection is cut. */
  readonly cutAfterBytes?: number;
}

/** Answers with a file, or with the requested range, as in RFC 9110. */
export function sendFile(
  bytes: Buffer,
  request: IncomingMessage,
  response: ServerResponse,
  options: FileOptions = {},
): void {
  const { headers = {}, etag = '"one"', ranges = true, cutAfterBytes = Infinity } = options;
  const { range, 'if-range': ifRange } = request.headers;
  const mayBeRange = ranges && (ifRange === undefined || ifRange === etag);
  const start = mayBeRange ? Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0) : 0;
  const tagged = {
    'content-type': 'video/mp4',
    'accept-ranges': ranges ? 'bytes' : 'none',
    ...(etag === null ? {} : { etag }),
  };
  if (start > 0 && start >= bytes.length)
    return void response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end();
  response.writeHead(start > 0 ? 206 : 200, {
    ...tagged,
    'content-length': bytes.length - start,
    ...(start > 0 && { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` }),
    ...headers,
  });
  const sent = bytes.subarray(start, Math.min(bytes.length, start + cutAfterBytes));
  if (start + sent.length === bytes.length) response.end(sent);
  else response.write(sent, () => response.destroy());
}

/** Random bytes, different in each test. */
export function anyBytes(size: number): Buffer {
  return randomBytes(size);
}
