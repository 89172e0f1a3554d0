// The endpoints of the page where a signed-in user confirms or refuses the code of a device.
import { APIError, createAuthEndpoint, sessionMiddleware } from 'better-auth/api';
import type { BetterAuthPlugin, GenericEndpointContext } from 'better-auth';
import type { Pool } from 'pg';
import * as z from 'zod';
import { databaseOn } from '../data/database.ts';
import { newID } from '../data/shared/new-id.ts';
import { asUserCode } from './device-codes.ts';
import { attemptsPerUser } from './rate-limits.ts';
import { recordEvent } from './security-events.ts';

const userCode = z.string().max(50);
const unknown = { code: 'UNKNOWN_CODE', message: 'There is no such code, or it is older than ten minutes, or used.' };

interface Options {
  readonly pool: Pool;
  readonly clock: () => Date;
  /** Multiplies the attempts of a user. */
  readonly rateLimitFactor: number;
}

/** A plugin of better-auth, so that each endpoint has its session, rate limits and origin check. */
export function deviceConfirmation({ pool, clock, rateLimitFactor }: Options) {
  const use = [sessionMiddleware];
  /** The code of an attempt, which counts. @throws {APIError} */
  const attempt = async (userID: string, given: string): Promise<string> => {
    const { windowSeconds, requests } = attemptsPerUser;
    const now = clock();
    const { deviceCodes } = databaseOn(pool);
    const count = await deviceCodes.countAttempt(newID('aut', now), userID, windowSeconds * 1000, now);
    if (count > requests * rateLimitFactor)
      throw new APIError('TOO_MANY_REQUESTS', { code: 'RATE_LIMITED', message: 'Too many codes. Wait an hour.' });
    return asUserCode(given) ?? refuse();
  };
  const answer = async (ctx: GenericEndpointContext, userID: string, code: string, accept: boolean) => {
    const { deviceCodes } = databaseOn(pool);
    const now = clock();
    const clientID = accept
      ? await deviceCodes.approve(code, userID, newID('aut', now), now)
      : await deviceCodes.deny(code, userID, now);
    if (clientID === null) refuse();
    await recordEvent(pool, ctx, accept ? 'application_connected' : 'application_denied', userID, clientID);
  };
  return {
    id: 'device-confirmation',
    endpoints: {
      readDeviceRequest: createAuthEndpoint(
        '/device/request',
        { method: 'POST', use, body: z.strictObject({ userCode }) },
        async (ctx) => {
          const code = await attempt(ctx.context.session.user.id, ctx.body.userCode);
          const found = (await databaseOn(pool).deviceCodes.pending(code, clock())) ?? refuse();
          return ctx.json({
            userCode: code,
            clientName: found.client_name,
            scopes: found.scope.split(' ').filter(Boolean),
            expiresAt: found.expires_at,
          });
        },
      ),
      answerDeviceRequest: createAuthEndpoint(
        '/device/answer',
        { method: 'POST', use, body: z.strictObject({ userCode, accept: z.boolean() }) },
        async (ctx) => {
          const { user } = ctx.context.session;
          const code = await attempt(user.id, ctx.body.userCode);
          await answer(ctx, user.id, code, ctx.body.accept);
          return ctx.json({ accepted: ctx.body.accept });
        },
      ),
    },
  } satisfies BetterAuthPlugin;
}

function refuse(): never {
  throw new APIError('NOT_FOUND', unknown);
}
