// Records the security events of accounts: a row for each, without any secret.
import type { BetterAuthOptions, GenericEndpointContext } from 'better-auth';
import { APIError, createAuthMiddleware, isAPIError } from 'better-auth/api';
import type { Pool } from 'pg';
import { databaseOn } from '../data/database.ts';
import type { SecurityEventKind } from '../data/accounts/security-events.ts';
import { bounds } from '../domain/shared/bounds.ts';
import { addressHeader } from './client-address.ts';
import type { SignInMails } from './sign-in-mails.ts';

/** Records one event of a request. @param userID null if the request names no existing user */
export async function recordEvent(
  pool: Pool,
  ctx: GenericEndpointContext | null,
  kind: SecurityEventKind,
  userID: string | null,
  clientID: string | null = null,
): Promise<void> {
  const header = (name: string) => ctx?.headers?.get(name) ?? null;
  await databaseOn(pool).securityEvents.record(userID, {
    kind,
    clientID,
    address: header(addressHeader),
    userAgent: header('user-agent')?.slice(0, 300) ?? null,
  });
}

/**
 * Records the events that are visible in the rows that better-auth writes, at any endpoint. Also refuses sessions of
 * disabled users, and bounds their number.
 */
export function recordChanges(pool: Pool): NonNullable<BetterAuthOptions['databaseHooks']> {
  return {
    user: { create: { after: (user, ctx) => recordEvent(pool, ctx, 'signed_up', user.id) } },
    account: {
      update: {
        after: ({ userId, password }, ctx) =>
          password && userId ? recordEvent(pool, ctx, 'password_changed', userId) : Promise.resolve(),
      },
    },
    session: {
      create: {
        before: async ({ userId }, ctx) => {
          const user = await ctx?.context.internalAdapter.findUserById(userId);
          if (user && 'disabledAt' in user && user.disabledAt)
            throw new APIError('FORBIDDEN', { code: 'ACCOUNT_DISABLED', message: 'This account is disabled.' });
        },
        after: async ({ userId }, ctx) => {
          await recordEvent(pool, ctx, 'signed_in', userId);
          await databaseOn(pool).sessions.deleteOldest(userId, bounds.sessionsPerUser);
        },
      },
      delete: { after: ({ userId }, ctx) => recordEvent(pool, ctx, 'session_ended', userId) },
    },
  };
}

/**
 * Records the events that are only visible in requests: refusals, and events of better-auth's OAuth provider.
 * @param mails counts requests for mails to addresses that get none
 */
export function recordRequests(pool: Pool, mails: Pick<SignInMails, 'countUnsent'>) {
  return createAuthMiddleware(async (ctx) => {
    const { path, body } = ctx;
    const isRefused = isAPIError(ctx.context.returned) && ctx.context.returned.statusCode >= 400;
    const userID = ctx.context.session?.user.id ?? ctx.context.newSession?.user.id ?? null;
    const userNamed = async () => {
      const email = textOf(body, 'email');
      return email === null
        ? null
        : ((await ctx.context.internalAdapter.findUserByEmail(email.toLowerCase()))?.user ?? null);
    };

    if (path === '/sign-in/email' && isRefused)
      await recordEvent(pool, ctx, 'sign_in_refused', (await userNamed())?.id ?? null);
    if (path === '/request-password-reset' && !isRefused) {
      const user = await userNamed();
      if (user === null) await mails.countUnsent(ctx.headers);
      await recordEvent(pool, ctx, 'password_reset_requested', user?.id ?? null);
    }
    if (path === '/send-verification-email' && !isRefused && ((await userNamed())?.emailVerified ?? true))
      await mails.countUnsent(ctx.headers);
    if (path === '/verify-email' && !isRefused) await recordEvent(pool, ctx, 'email_verified', userID);
    if (path === '/oauth2/consent' && !isRefused) {
      const clientID = new URLSearchParams(textOf(body, 'oauth_query') ?? '').get('client_id');
      await recordEvent(pool, ctx, body.accept ? 'application_connected' : 'application_denied', userID, clientID);
    }
    if (path === '/oauth2/token' && isRefused && textOf(body, 'grant_type') === 'refresh_token') {
      const clientID = textOf(body, 'client_id');
      // Strangers choose the id. Only that of an application is stored.
      if (clientID !== null && (await databaseOn(pool).applications.mayRefresh(clientID)))
        await recordEvent(pool, ctx, 'refresh_refused', null, clientID);
    }
  });
}

/** A text of an unchecked body; null if it is absent. */
function textOf(body: unknown, name: string): string | null {
  const value: unknown = Object(body)[name];
  return typeof value === 'string' ? value : null;
}
