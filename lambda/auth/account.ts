// The endpoints of the account page that better-auth lacks: API keys, connected applications, sessions, history.
import { randomBytes } from 'node:crypto';
import { APIError, createAuthEndpoint, sessionMiddleware } from 'better-auth/api';
import type { BetterAuthPlugin } from 'better-auth';
import type { Pool } from 'pg';
import * as z from 'zod';
import { databaseOn } from '../data/database.ts';
import { ChangeRefused } from '../data/shared/change-bounds.ts';
import { limits } from '../domain/shared/limits.ts';
import type { ApiKey } from '../data/accounts/api-keys.ts';
import { newID } from '../data/shared/new-id.ts';
import { allScopes } from '../operations/scopes.ts';
import { apiKeyPrefix, hashApiKey } from '../surfaces/admission/authenticate.ts';
import { disconnectApplication } from './disconnect-application.ts';
import { recordEvent } from './security-events.ts';

const keysPerUser = limits.apiKeys.base;
const shownCharacters = 10;
const eventsShown = 50;
const dayMs = 86_400_000;

const newKey = z.strictObject({
  name: z.string().trim().min(1).max(100),
  /** The lifetime of the key in days; absent if it never expires. */
  expiresInDays: z.int().min(1).max(3650).optional(),
  /** Absent if the key has full access. */
  scopes: z.array(z.enum(allScopes)).min(1).optional(),
});

/**
 * A plugin of better-auth, so that each endpoint has its session, rate limits and origin check. The endpoints do not
 * accept API keys or access tokens, so neither can create another one.
 */
export function account({ pool, clock }: { readonly pool: Pool; readonly clock: () => Date }) {
  const use = [sessionMiddleware];
  const toKey = (key: ApiKey) => ({
    id: key.id,
    name: key.name,
    start: key.key_start,
    scopes: key.scopes,
    createdAt: key.created_at,
    lastUsedAt: key.last_used_at,
    expiresAt: key.expires_at,
  });
  return {
    id: 'account',
    endpoints: {
      listApiKeys: createAuthEndpoint('/account/api-keys', { method: 'GET', use }, async (ctx) =>
        ctx.json({ data: (await databaseOn(pool).apiKeys.of(ctx.context.session.user.id)).map(toKey) }),
      ),
      /** The key itself is only in this answer. */
      createApiKey: createAuthEndpoint(
        '/account/api-keys/create',
        { method: 'POST', use, body: newKey },
        async (ctx) => {
          const { user } = ctx.context.session;
          const { name, expiresInDays, scopes = null } = ctx.body;
          const now = clock();
          const key = apiKeyPrefix + randomBytes(32).toString('base64url');
          const expiresAt = expiresInDays === undefined ? null : new Date(now.getTime() + expiresInDays * dayMs);
          const row = {
            id: newID('key', now),
            userID: user.id,
            name,
            keySha256: hashApiKey(key),
            keyStart: key.slice(0, shownCharacters),
            scopes,
            expiresAt,
          };
          const made = await databaseOn(pool).apiKeys.insert(row, keysPerUser);
          if (!made)
            throw new APIError('UNPROCESSABLE_ENTITY', {
              code: 'TOO_MANY_KEYS',
              message: `There are ${keysPerUser} keys already. Revoke one first.`,
            });
          await recordEvent(pool, ctx, 'api_key_created', user.id);
          ctx.setHeader('cache-control', 'no-store');
          return ctx.json({ ...toKey(made), key });
        },
      ),
      revokeApiKey: createAuthEndpoint(
        '/account/api-keys/revoke',
        { method: 'POST', use, body: z.strictObject({ id: z.string() }) },
        async (ctx) => {
          const { user } = ctx.context.session;
          if (!(await databaseOn(pool).apiKeys.revoke(user.id, ctx.body.id)))
            throw new APIError('NOT_FOUND', { code: 'NOT_FOUND', message: 'There is no such key.' });
          await recordEvent(pool, ctx, 'api_key_revoked', user.id);
          return ctx.json({ revoked: true });
        },
      ),
      listApplications: createAuthEndpoint('/account/applications', { method: 'GET', use }, async (ctx) => {
        const connected = await databaseOn(pool).applications.connectedTo(ctx.context.session.user.id, clock());
        return ctx.json({
          data: connected.map((application) => ({
            clientID: application.client_id,
            name: application.name,
            redirectURLs: application.redirect_uris,
            scopes: application.scopes,
            connectedAt: application.connected_at,
          })),
        });
      }),
      disconnectApplication: createAuthEndpoint(
        '/account/applications/disconnect',
        { method: 'POST', use, body: z.strictObject({ clientID: z.string() }) },
        async (ctx) => {
          const { user } = ctx.context.session;
          const { clientID } = ctx.body;
          if (!(await disconnectApplication(pool, user.id, clientID).catch(refuse)))
            throw new APIError('NOT_FOUND', { code: 'NOT_FOUND', message: 'This application is not connected.' });
          await recordEvent(pool, ctx, 'application_disconnected', user.id, clientID);
          return ctx.json({ disconnected: true });
        },
      ),
      listSessions: createAuthEndpoint('/account/sessions', { method: 'GET', use }, async (ctx) => {
        const { user, session: current } = ctx.context.session;
        const sessions = await ctx.context.internalAdapter.listSessions(user.id, { onlyActiveSessions: true });
        return ctx.json({
          // The session's token is never shown, because the cookie contains it.
          data: sessions.map(({ id, createdAt, updatedAt, ipAddress, userAgent }) => ({
            id,
            createdAt,
            seenAt: updatedAt,
            address: ipAddress,
            userAgent,
            isCurrent: id === current.id,
          })),
        });
      }),
      endSession: createAuthEndpoint(
        '/account/sessions/end',
        { method: 'POST', use, body: z.strictObject({ id: z.string() }) },
        async (ctx) => {
          const sessions = await ctx.context.internalAdapter.listSessions(ctx.context.session.user.id);
          const session = sessions.find(({ id }) => id === ctx.body.id);
          if (!session) throw new APIError('NOT_FOUND', { code: 'NOT_FOUND', message: 'There is no such session.' });
          await ctx.context.internalAdapter.deleteSession(session.token);
          return ctx.json({ ended: true });
        },
      ),
      listSecurityEvents: createAuthEndpoint('/account/security-events', { method: 'GET', use }, async (ctx) => {
        const events = await databaseOn(pool).securityEvents.latest(ctx.context.session.user.id, eventsShown);
        return ctx.json({
          data: events.map(({ kind, client_name, address, user_agent, at }) => ({
            kind,
            clientName: client_name,
            address,
            userAgent: user_agent,
            at,
          })),
        });
      }),
    },
  } satisfies BetterAuthPlugin;
}

/** @throws {APIError} in place of a change that was refused */
function refuse(error: unknown): never {
  if (!(error instanceof ChangeRefused)) throw error;
  const { message, retrySeconds } = error;
  throw new APIError('TOO_MANY_REQUESTS', { code: 'RATE_LIMITED', message }, { 'retry-after': String(retrySeconds) });
}
