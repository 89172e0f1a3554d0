// The local site: API, objects and the page to watch, behind one port of the loopback interface.
import { getRequestListener } from '@hono/node-server';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveObjects } from '../../lambda/ports/object-store/serve-objects.ts';
import type { FileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import type { Log } from '../../lambda/log.ts';
import type { AuthHandler } from '../../lambda/auth/auth-handler.ts';
import type { GraphqlHandler } from '../../lambda/surfaces/graphql/graphql-handler.ts';
import { graphqlPath } from '../../lambda/surfaces/graphql/graphql-handler.ts';
import { mcpPath } from '../../lambda/surfaces/mcp/mcp-handler.ts';
import type { McpHandler } from '../../lambda/surfaces/mcp/mcp-handler.ts';
import type { RestHandler } from '../../lambda/surfaces/rest.ts';
import { isOfDashboard, serveDashboard } from './dashboard.ts';
import { checkoutPath, objectsPath } from './connections.ts';
import { depositPath, receiptPath } from './payment-pages.ts';
import type { GraphqlPage } from './graphql-page/page.ts';
import type { PaymentPages } from './payment-pages.ts';
import type { RtmpSink } from './rtmp-sink/rtmp-sink.ts';
import { serveWatchPage } from './watch-page/page.ts';

/** A port that nothing can be served on before it is known which one it is. */
export interface ReservedSite {
  readonly port: number;
  readonly url: string;
  serve(parts: SiteParts): void;
  close(): Promise<void>;
}

export interface SiteParts {
  readonly rest: RestHandler;
  readonly graphql: GraphqlHandler;
  readonly graphqlPage: GraphqlPage;
  readonly mcp: McpHandler;
  readonly auth: AuthHandler;
  readonly paymentPages: PaymentPages;
  readonly objects: FileObjectStore;
  readonly sink: RtmpSink;
  readonly rtmpURL: string;
  readonly log: Log;
}

const host = '127.0.0.1';
/** A hundred ids of a list, each as long as one may be and percent-encoded, fit into it. */
const maxHeaderBytes = 128 * 1024;

/**
 * Takes the port. Until `serve`, connections wait.
 * @param strict fails when the port is taken, instead of taking any free one
 */
export async function reserveSite(port: number, strict: boolean): Promise<ReservedSite> {
  const server = createServer({ maxHeaderSize: maxHeaderBytes });
  await listen(server, port).catch((error: NodeJS.ErrnoException) => {
    if (strict)
      throw new Error(`Port ${port} cannot be used (${error.code}). Choose another with --port.`, { cause: error });
    return listen(server, 0);
  });
  const { port: taken } = server.address() as AddressInfo;
  const url = `http://${host}:${taken}`;
  // Uploads take as long as they take; a client that sends nothing at all is cut off.
  server.requestTimeout = 0;
  server.timeout = 60_000;
  return {
    port: taken,
    url,
    serve: (parts) => route(server, url, parts),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function route(
  server: Server,
  siteURL: string,
  { rest, mcp, graphql, graphqlPage, auth, paymentPages, objects, sink, rtmpURL, log }: SiteParts,
): void {
  const answerRest = getRequestListener((request, { incoming }) => rest(request, incoming.socket.remoteAddress ?? ''));
  const answerGraphql = getRequestListener((request, { incoming }) =>
    graphql(request, incoming.socket.remoteAddress ?? ''),
  );
  const answerMcp = getRequestListener((request, { incoming }) => mcp(request, incoming.socket.remoteAddress ?? ''));
  const answerAuth = getRequestListener((received, { incoming }) =>
    auth(received, incoming.socket.remoteAddress ?? null),
  );
  const answerDashboard = getRequestListener(serveDashboard);
  const answerPayments = getRequestListener(paymentPages);
  const answerObjects = serveObjects(objects, { allowedOrigin: siteURL, log });
  const watch = {
    info: { siteURL, apiURL: `${siteURL}/v1`, rtmpURL },
    channels: () => sink.channels(),
    serveFlv: sink.serveFlv.bind(sink),
  };
  server.on('request', (request, response) => {
    const path = request.url ?? '/';
    if (!isOfThisMachine(request.headers.host)) {
      response
        .writeHead(403, { 'content-type': 'text/plain' })
        .end('This site answers to localhost and 127.0.0.1 only.\n');
      return;
    }
    if (path.startsWith(`${objectsPath}/`)) return answerObjects(request, response);
    if (/^\/(api\/auth|\.well-known)\//.test(path)) return void answerAuth(request, response);
    if (graphqlPage(request, response)) return;
    if (path.split('?')[0] === graphqlPath) return void answerGraphql(request, response);
    if (path.split('?')[0] === mcpPath) return void answerMcp(request, response);
    if (isOfDashboard(path.replace(/\?.*$/s, ''))) {
      // Sessions are for one origin: whoever wrote localhost is sent to it.
      if (request.headers.host === new URL(siteURL).host) return void answerDashboard(request, response);
      response.writeHead(302, { location: siteURL + path }).end();
      return;
    }
    if ([checkoutPath, depositPath].includes(path.split('?')[0]!) || path.startsWith(receiptPath))
      return void answerPayments(request, response);
    if (serveWatchPage(watch, request, response)) return;
    void answerRest(request, response);
  });
}

/** A name of the internet that was made to lead here must not let its pages read what is here (DNS rebinding). */
function isOfThisMachine(hostHeader = ''): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(hostHeader);
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
