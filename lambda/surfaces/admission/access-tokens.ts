// Verifies access tokens (RFC 9068) in this process, without a request to the authorization server.
// Decision D30.
import { createLocalJWKSet, errors, jwtVerify } from 'jose';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import type { Pool } from 'pg';
import { databaseOn } from '../../data/database.ts';
import type { TokenRevocation } from '../../data/accounts/token-revocations.ts';
import { accessTokenSeconds } from './protected-resource.ts';

export interface VerifiedToken {
  readonly userID: string;
  readonly clientID: string;
  readonly scopes: readonly string[];
}

export interface AccessTokens {
  /**
   * Verifies a token.
   * @param audiences the token must name one of these
   * @returns null for an invalid token, whatever the reason
   */
  verify(token: string, audiences: readonly string[]): Promise<VerifiedToken | null>;
}

/** The last read keys and revocations, and the tokens that they verified. */
interface Known {
  readonly readAtMs: number;
  readonly key: JWTVerifyGetKey;
  readonly revocations: readonly TokenRevocation[];
  /**
   * Payloads by token. Verifying a signature takes longer than all other work to admit a request, so it is done once
   * per token.
   */
  readonly verified: Map<string, JWTPayload>;
}

/** The time after which keys and revocations are read again. A revocation takes effect within it. */
const refreshMs = 30_000;
/** The shortest time between two reads that are caused by a token with an unknown key. */
const lookAgainMs = 5_000;
const clockToleranceSeconds = 5;
/** The most payloads that are kept. A token has about one kilobyte. */
const maxVerified = 2000;

/**
 * Creates a verifier of access tokens.
 * @param issuer the public origin
 */
export function createAccessTokens(pool: Pool, issuer: string, clock: () => Date): AccessTokens {
  let known: Promise<Known> | undefined;

  const read = async (): Promise<Known> => {
    const readAtMs = clock().getTime();
    const listed = await databaseOn(pool).signingKeys.listed();
    const keys = listed.map(({ id, public_jwk }) => ({ ...public_jwk, kid: id, alg: 'ES256' }));
    const revocations = await databaseOn(pool).tokenRevocations.within(accessTokenSeconds + clockToleranceSeconds);
    return { readAtMs, key: createLocalJWKSet({ keys }), revocations, verified: new Map() };
  };
  const readWithin = async (ageMs: number): Promise<Known> => {
    const latest = known;
    const before = await latest?.catch(() => undefined);
    if (before && clock().getTime() - before.readAtMs < ageMs) return before;
    // The first of several concurrent requests reads again, and the others use its result.
    if (known === latest || known === undefined) known = read();
    return known;
  };

  const isStillGood = ({ aud, exp = 0 }: JWTPayload, audiences: readonly string[]) => {
    if (exp + clockToleranceSeconds <= clock().getTime() / 1000) return false;
    return [aud].flat().some((name) => name !== undefined && audiences.includes(name));
  };

  const payloadOf = async ({ key, verified }: Known, token: string, audiences: readonly string[]) => {
    const before = verified.get(token);
    if (before && isStillGood(before, audiences)) return before;
    const { payload } = await jwtVerify(token, key, {
      issuer,
      audience: [...audiences],
      algorithms: ['ES256'],
      typ: 'at+jwt',
      requiredClaims: ['sub', 'exp', 'iat', 'azp'],
      clockTolerance: clockToleranceSeconds,
      currentDate: clock(),
    });
    if (verified.size >= maxVerified) verified.clear();
    verified.set(token, payload);
    return payload;
  };

  return {
    async verify(token, audiences) {
      const verifyWith = async (current: Known): Promise<VerifiedToken | null> => {
        const payload = await payloadOf(current, token, audiences);
        const { sub, azp, iat, scope } = payload as { sub: string; azp: unknown; iat: number; scope?: unknown };
        if (typeof azp !== 'string' || typeof scope !== 'string') return null;
        // Times in tokens are whole seconds, so tokens issued in the second of the revocation count as revoked.
        const isRevoked = current.revocations.some(
          ({ user_id, client_id, revoked_at }) =>
            user_id === sub && (client_id ?? azp) === azp && iat * 1000 <= revoked_at.getTime(),
        );
        return isRevoked ? null : { userID: sub, clientID: azp, scopes: scope.split(' ') };
      };
      try {
        return await verifyWith(await readWithin(refreshMs)).catch(async (error: unknown) => {
          if (error instanceof errors.JWKSNoMatchingKey) return verifyWith(await readWithin(lookAgainMs));
          throw error;
        });
      } catch (error) {
        if (error instanceof errors.JOSEError) return null;
        throw error;
      }
    },
  };
}
