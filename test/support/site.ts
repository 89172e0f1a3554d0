// The one origin that people and applications meet, on a port of its own: sign-in, OAuth, the REST API and MCP over a test database.
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
import { createService } from '../../lambda/api/create-service.ts';
import { createAuthHandler } from '../../lambda/auth/auth-handler.ts';
import type { AuthHandler } from '../../lambda/auth/auth-handler.ts';
import type { AuthorizationServerOptions } from '../../lambda/auth/authorization-server.ts';
import { ensureSigningKey } from '../../lambda/auth/signing-keys.ts';
import { guidance } from '../../lambda/mcp/guidance.ts';
import { databaseOn } from '../../lambda/data/database.ts';
import { createPool } from '../../lambda/data/queryable.ts';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import type { Mail } from '../../lambda/ports/mailer/mailer.ts';
import { createLocalCryptoProcessor } from '../../lambda/ports/crypto-processor/local-crypto-processor.ts';
import { createFileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import type { FileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import { createLocalPayment } from '../../lambda/ports/payment/local-payment.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import type { Sealer } from '../../lambda/ports/sealer/sealer.ts';
import { createAccessTokens } from '../../lambda/surfaces/access-tokens.ts';
import { createMcpHandler, mcpPath } from '../../lambda/surfaces/mcp/mcp-handler.ts';
import type { McpHandler } from '../../lambda/surfaces/mcp/mcp-handler.ts';
import { createRestHandler } from '../../lambda/surfaces/rest.ts';
import { testDatabase } from './database.ts';
import { plantedSecrets } from './planted-secrets.ts';
import { testDataKey } from './service.ts';

export interface TestSite {
  readonly origin: () => string;
  pool(): Pool;
  objects(): FileObjectStore;
  sealer(): Sealer;
  /** Every mail so far. */
  readonly mails: Mail[];
  /** Everything that was logged so far, as JSON lines. */
  readonly logged: string[];
  /** A user with a confirmed address. */
  user(): Promise<{ id: string; email: string; password: string }>;
  /** Moves the clock of everything here, by as much as is said, from then on. */
  advance(seconds: number): void;
}

export interface TestSiteOptions {
  readonly rateLimitFactor?: number;
  /** Makes the handler: by default the one that the local run uses. */
  readonly createAuth?: (options: AuthorizationServerOptions) => AuthHandler;
  /** Makes the MCP handler: by default the one that the local run uses. */
  readonly createMcp?: (...parts: Parameters<typeof createService>) => McpHandler;
  /** Answers what neither API nor sign-in has. */
  readonly pages?: (request: Request) => Promise<Response>;
}

const mcpOfLocalRun = (...parts: Parameters<typeof createService>) =>
  createMcpHandler(createService(...parts), guidance);

/** Made for the tests of the file or `describe` it is called in. */
export function testSite({
  rateLimitFactor = 1000,
  createAuth = createAuthHandler,
  createMcp = mcpOfLocalRun,
  pages,
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
    const log = (event: string, fields: Record<string, unknown>) =>
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
      { pool, objects, queue, sealer, payment, crypto, serviceSecret, origin },
      { allowPrivateAddresses: true, legacyRtmpURL: null, rateLimitFactor: 100 },
      log,
    ] as const;
    const service = createService(...parts);
    const mcp = createMcp(...parts);
    const rest = createRestHandler({ ...service, clock, accessTokens: createAccessTokens(pool, origin, clock) });
    const route: typeof auth = async (request, address) => {
      const { pathname } = new URL(request.url);
      if (pathname === mcpPath) return mcp(request, address ?? '');
      if (pathname.startsWith('/v1/')) return rest(request, address ?? '');
      if (pathname.startsWith('/api/auth/') || pathname.startsWith('/.well-known/')) return auth(request, address);
      return pages ? pages(request) : new Response(null, { status: 404 });
    };
    const answer = getRequestListener(async (request, { incoming }) => {
      secrets.plant(request.headers, await request.clone().text());
      const response = await route(request, incoming.socket.remoteAddress ?? null);
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
      const { accounts } = databaseOn(made!.pool);
      await accounts.ensureUser({ ...user, name: id });
      await accounts.ensurePassword({ id: `crd_${id}`, userID: id, passwordHash: await hashPassword(user.password) });
      return user;
    },
  };
}
