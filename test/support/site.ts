// One origin for users and applications: sign-in, OAuth, the REST API and MCP over a test database.
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { hashPassword } from 'better-auth/crypto';
import type { Pool } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { createRestService } from '../../lambda/api/create-rest-service.ts';
import { createService } from '../../lambda/api/create-service.ts';
import { addressOf, requestOf, resultOf } from '../../lambda/api/gateway-event.ts';
import { createAuthHandler } from '../../lambda/auth/auth-handler.ts';
import type { AuthHandler } from '../../lambda/auth/auth-handler.ts';
import type { AuthorizationServerOptions } from '../../lambda/auth/authorization-server.ts';
import { ensureSigningKey } from '../../lambda/auth/signing-keys.ts';
import { guidance } from '../../lambda/api/mcp-guidance.ts';
import { databaseOn } from '../../lambda/data/database.ts';
import { createPool } from '../../lambda/data/shared/queryable.ts';
import type { Log } from '../../lambda/log.ts';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import type { Mail } from '../../lambda/ports/mailer/mailer.ts';
import { createLocalCryptoProcessor } from '../../lambda/ports/payments/local-crypto-processor.ts';
import { createFileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import type { FileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import { createLocalPayment } from '../../lambda/ports/payments/local-payment.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import type { Sealer } from '../../lambda/ports/sealer/sealer.ts';
import { createAccessTokens } from '../../lambda/surfaces/admission/access-tokens.ts';
import { createMcpHandler, mcpPath } from '../../lambda/surfaces/mcp/mcp-handler.ts';
import type { McpHandler } from '../../lambda/surfaces/mcp/mcp-handler.ts';
import { createRestHandler } from '../../lambda/surfaces/rest/rest-handler.ts';
import { testDatabase } from './database.ts';
import { throughDistribution } from './distribution.ts';
import type { DistributionOptions } from './distribution.ts';
import { plantedSecrets } from './planted-secrets.ts';
import { testDataKey, testSettings } from './service.ts';
import { testPlatforms } from './platforms.ts';

export interface TestSite {
  readonly origin: () => string;
  pool(): Pool;
  objects(): FileObjectStore;
  sealer(): Sealer;
  /** All mails so far. */
  readonly mails: Mail[];
  /** All lines of the log so far, as JSON. */
  readonly logged: string[];
  /** Creates a user with a confirmed address. */
  user(): Promise<{ id: string; email: string; password: string }>;
  /** Advances the clock of the whole site. */
  advance(seconds: number): void;
}

export interface TestSiteOptions {
  readonly rateLimitFactor?: number;
  /** Makes the handler. Default: the one of the local run. */
  readonly createAuth?: (options: AuthorizationServerOptions) => AuthHandler;
  /** Makes the MCP handler. Default: the one of the local run. */
  readonly createMcp?: (...parts: Parameters<typeof createService>) => McpHandler;
  /** Answers the requests that neither the API nor sign-in answers. */
  readonly pages?: (request: Request) => Promise<Response>;
  /** The distribution between clients and handlers. Default: none, as in the local run. */
  readonly distribution?: DistributionOptions;
}

const mcpOfLocalRun = (...parts: Parameters<typeof createService>) =>
  createMcpHandler(createService(...parts), guidance);

/** Makes a site for the tests of the calling file or `describe`. */
export function testSite({
  rateLimitFactor = 1000,
  createAuth = createAuthHandler,
  createMcp = mcpOfLocalRun,
  pages,
  distribution,
}: TestSiteOptions = {}): TestSite {
  const database = testDatabase();
  const mails: Mail[] = [];
  const logged: string[] = [];
  const secrets = plantedSecrets();
  const sealer = createSealer([testDataKey]);
  let made: { server: Server; origin: string; pool: Pool; objects: FileObjectStore; folder: string } | undefined;
  let aheadMs = 0;
  let users = 0;

  beforeAll(async () => {
    const pool = createPool({ connectionString: database.url(), max: 5 });
    const clock = () => new Date(Date.now() + aheadMs);
    const log: Log = (event, fields) =>
      void logged.push(
        JSON.stringify({ event, ...fields }, (_, value) => (value instanceof Error ? value.stack : value)),
      );
    await ensureSigningKey(pool, sealer, clock());
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const serviceSecret = 'a secret for tests';
    const mailer = { send: async (mail: Mail) => void mails.push(mail) };
    const auth = createAuth({ origin, pool, sealer, mailer, serviceSecret, rateLimitFactor, clock, log });
    const queue = createPostgresCommandQueue({ pool, log });
    const payment = createLocalPayment({
      checkoutURL: `${origin}/checkout`,
      signingKey: 'test',
      webhookSecret: 'whsec_test',
      clock,
    });
    const crypto = createLocalCryptoProcessor('a merchant key for tests');
    const folder = await mkdtemp(join(tmpdir(), 'objects-'));
    const objects = createFileObjectStore({ folder, baseURL: `${origin}/objects`, signingKey: 'test' });
    const parts = [
      {
        pool,
        objects,
        queue,
        sealer,
        sourceSealer: sealer,
        liveSealer: sealer,
        payment,
        crypto,
        platforms: testPlatforms(),
        serviceSecret,
        origin,
      },
      testSettings,
      log,
    ] as const;
    const service = createRestService(...parts);
    const mcp = createMcp(...parts);
    const rest = createRestHandler({ ...service, clock, accessTokens: createAccessTokens(pool, origin, clock) });
    const route: typeof auth = async (request, address) => {
      const { pathname } = new URL(request.url);
      if (pathname === mcpPath) return mcp(request, address ?? '');
      if (pathname.startsWith('/v1/')) return rest(request, address ?? '');
      if (pathname.startsWith('/api/auth/') || pathname.startsWith('/.well-known/')) return auth(request, address);
      return pages ? pages(request) : new Response(null, { status: 404 });
    };
    const fromOutside: typeof auth = distribution
      ? (request, address) =>
          throughDistribution(
            async (event) => resultOf(await route(requestOf(event, origin), addressOf(event))),
            request,
            address,
            distribution,
          )
      : route;
    const answer = getRequestListener(async (request, { incoming }) => {
      secrets.plant(request.headers, await request.clone().text(), request.url);
      const response = await fromOutside(request, incoming.socket.remoteAddress ?? null);
      secrets.expectNoneIn(await response.clone().text(), `the answer to ${request.method} ${request.url}`);
      return response;
    });
    server.on('request', (request, response) => void answer(request, response));
    made = { server, origin, pool, objects, folder };
  });
  afterAll(async () => {
    secrets.expectNoneIn(logged.join('\n'), 'the log');
    made?.server.closeAllConnections();
    made?.server.close();
    await made?.pool.end();
    if (made) await rm(made.folder, { recursive: true });
  });

  return {
    origin: () => made!.origin,
    pool: () => made!.pool,
    objects: () => made!.objects,
    sealer: () => sealer,
    mails,
    logged,
    advance: (seconds) => void (aheadMs += seconds * 1000),
    async user() {
      const id = `usr_${++users}`;
      const user = { id, email: `${id}@example.com`, password: `the password of ${id}` };
      const data = databaseOn(made!.pool);
      await data.users.ensureUser({ ...user, name: id });
      await data.users.ensurePassword({ id: `crd_${id}`, userID: id, passwordHash: await hashPassword(user.password) });
      return user;
    },
  };
}
