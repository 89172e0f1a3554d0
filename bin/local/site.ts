// The local site: API, objects and the watch page, behind one port of the loopback interface.
import { getRequestListener } from '@hono/node-server';
import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerMetrics, metricsPath } from './metrics.ts';
import type { Measured } from '../../lambda/telemetry/measures.ts';
import { serveObjects } from './serve-objects.ts';
import type { FileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import type { Log } from '../../lambda/log.ts';
import type { AuthHandler } from '../../lambda/auth/auth-handler.ts';
import type { GraphqlHandler } from '../../lambda/surfaces/graphql/graphql-handler.ts';
import { graphqlPath } from '../../lambda/surfaces/graphql/graphql-handler.ts';
import { mcpPath } from '../../lambda/surfaces/mcp/mcp-handler.ts';
import type { McpHandler } from '../../lambda/surfaces/mcp/mcp-handler.ts';
import type { RestHandler } from '../../lambda/surfaces/rest/rest-handler.ts';
import { isBrowsing, isOfPages, servePages } from './web.ts';
import { checkoutPath, objectsPath } from './connections.ts';
import { depositPath, receiptPath } from './payment-pages.ts';
import type { PaymentPages } from './payment-pages.ts';
import type { RtmpSink } from './rtmp-sink/rtmp-sink.ts';
import { youtubePath } from './youtube/stand-in.ts';
import type { StandIn } from './youtube/stand-in.ts';
import { serveWatchPage } from './watch-page/page.ts';

/** A port that is open before its content is ready, because the content has to know its own address. */
export interface ReservedSite {
  readonly port: number;
  /** Origin of the site, without a trailing slash. */
  readonly url: string;
  /** Starts to answer requests. Earlier requests have waited. */
  serve(options: SiteOptions): void;
  close(): Promise<void>;
}

export interface SiteOptions {
  readonly rest: RestHandler;
  readonly graphql: GraphqlHandler;
  readonly mcp: McpHandler;
  readonly auth: AuthHandler;
  readonly paymentPages: PaymentPages;
  readonly youtube: StandIn;
  readonly objects: FileObjectStore;
  readonly sink: RtmpSink;
  readonly rtmpURL: string;
  /** Reads the measurements of each agent of the run. */
  readonly readMeasures: () => Promise<Measured[][]>;
  readonly log: Log;
}

const host = '127.0.0.1';
/** Bytes of headers. A request for a list may have a hundred ids of the maximum length, percent-encoded. */
const maxHeaderBytes = 128 * 1024;

/**
 * Takes a port of the loopback interface.
 * @param options.fallsBack whether to use any free port if `port` is taken, instead of failing
 * @throws if the port is taken and `fallsBack` is false
 */
export async function reserveSite(options: {
  readonly port: number;
  readonly fallsBack: boolean;
}): Promise<ReservedSite> {
  const { port, fallsBack } = options;
  const server = createServer({ maxHeaderSize: maxHeaderBytes });
  await listen(server, port).catch((error: NodeJS.ErrnoException) => {
    if (fallsBack) return listen(server, 0);
    throw new Error(`Port ${port} cannot be used (${error.code}). Choose another with --port.`, { cause: error });
  });
  const { port: taken } = server.address() as AddressInfo;
  const url = `http://${host}:${taken}`;
  // An upload may take any time, so there is no limit for a whole request. An idle client is disconnected.
  server.requestTimeout = 0;
  server.timeout = 60_000;
  return {
    port: taken,
    url,
    serve: (siteOptions) => route(server, url, siteOptions),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function route(server: Server, siteURL: string, options: SiteOptions): void {
  const { auth, sink, rtmpURL, log } = options;
  const answerRest = withAddress(options.rest);
  const answerGraphql = withAddress(options.graphql);
  const answerMcp = withAddress(options.mcp);
  const answerAuth = getRequestListener((request, { incoming }) =>
    auth(request, incoming.socket.remoteAddress ?? null),
  );
  const answerPages = getRequestListener(servePages);
  const answerPayments = getRequestListener(options.paymentPages);
  const answerYoutube = getRequestListener(options.youtube);
  const answerObjects = serveObjects(options.objects, { allowedOrigin: siteURL, log });
  const watch = {
    info: { siteURL, apiURL: `${siteURL}/v1`, rtmpURL },
    channels: () => sink.channels(),
    serveFlv: sink.serveFlv.bind(sink),
  };
  server.on('request', (request, response) => {
    const target = request.url ?? '/';
    const path = target.replace(/\?.*$/s, '');
    if (!isOfThisMachine(request.headers.host)) {
      response
        .writeHead(403, { 'content-type': 'text/plain' })
        .end('This site answers to localhost and 127.0.0.1 only.\n');
      return;
    }
    if (path === metricsPath) return void answerMetrics(options.readMeasures, response);
    if (path.startsWith(`${objectsPath}/`)) return answerObjects(request, response);
    if (/^\/(api\/auth|\.well-known)\//.test(path)) return void answerAuth(request, response);
    if (path === graphqlPath) return void answerGraphql(request, response);
    if (path === mcpPath) return void answerMcp(request, response);
    if (isOfPages(path)) {
      // The session cookie is bound to one host name: users of the name localhost are redirected to the site's host.
      if (request.headers.host === new URL(siteURL).host) return void answerPages(request, response);
      response.writeHead(302, { location: siteURL + target }).end();
      return;
    }
    const isOfYoutube = path.startsWith(`${youtubePath}/`);
    if ((isOfPayments(path) || isOfYoutube) && isSentByOtherPage(request)) {
      response.writeHead(403, { 'content-type': 'text/plain' }).end('Another page sent this. Use the form here.\n');
      return;
    }
    if (isOfPayments(path)) return void answerPayments(request, response);
    if (isOfYoutube) return void answerYoutube(request, response);
    if (serveWatchPage(watch, request, response)) return;
    if (isBrowsing(request, path)) return void answerPages(request, response);
    void answerRest(request, response);
  });
}

/** A listener for a handler that needs the caller's address. */
function withAddress(handler: (request: Request, address: string) => Promise<Response>) {
  return getRequestListener((request, { incoming }) => handler(request, incoming.socket.remoteAddress ?? ''));
}

function isOfPayments(path: string): boolean {
  return path === checkoutPath || path === depositPath || path.startsWith(receiptPath);
}

/**
 * Whether the Host header names this machine. A web page of the internet may resolve its name to this address (DNS
 * rebinding). It still sends its own name, and must not read this site.
 */
function isOfThisMachine(hostHeader = ''): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(hostHeader);
}

/** Whether a page of another site sends something: the forms of stand-ins have no session to protect them. */
function isSentByOtherPage({ method, headers }: IncomingMessage): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return headers.origin !== undefined && headers.origin !== `http://${headers.host}`;
}

function listen(server: Server, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, host, () => {
    server.off('error', reject);
    resolve();
  });
  return promise;
}
