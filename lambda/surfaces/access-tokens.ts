// Verifies access tokens (RFC 9068) in this process: no request goes to the authorization server.
import { createLocalJWKSet, errors, jwtVerify } from 'jose';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import type { Pool } from 'pg';
import { databaseOn } from '../data/database.ts';
import type { TokenRevocation } from '../data/token-revocations.ts';
import { accessTokenSeconds } from './protected-resource.ts';

export interface VerifiedToken {
  readonly userID: string;
  readonly clientID: string;
  readonly scopes: readonly string[];
}

export interface AccessTokens {
  /** Null for every token that is not valid, whatever is wrong with it. @param audiences one of which it has to name */
  verify(token: string, audiences: readonly string[]): Promise<VerifiedToken | null>;
}

/** Keys and revocations as they were read last. */
interface Known {
  readonly readAtMs: number;
  readonly key: JWTVerifyGetKey;
  readonly revocations: readonly TokenRevocation[];
  /** By token: what was verified with these keys, since a signature takes longer to verify than the rest of a request's admission. */
  readonly verified: Map<string, JWTPayload>;
}

/** A revocation takes effect within this. */
const refreshMs = 30_000;
/** A token with an unknown key makes us look for a new one, but not more often than this. */
const lookAgainMs = 5_000;
const clockToleranceSeconds = 5;
/** A token has about a kilobyte. */
const maxVerified = 2000;

/** @param issuer the public origin */
export function createAccessTokens(pool: Pool, issuer: string, clock: () => Date): AccessTokens {
  let known: Promise<Known> | undefined;

  const read = async (): Promise<Known> => {
    const readAtMs = clock().getTime();
    const keys = await databaseOn(pool).signingKeys.published();
    const revocations = await databaseOn(pool).tokenRevocations.within(accessTokenSeconds + clockToleranceSeconds);
    return {
      readAtMs,
      key: createLocalJWKSet({ keys: keys.map(({ id, public_jwk }) => ({ ...public_jwk, kid: id, alg: 'ES256' })) }),
      revocations,
      verified: new Map(),
    };
  };
  const readWithin = async (ageMs: number): Promise<Known> => {
    const latest = known;
    const before = await latest?.catch(() => undefined);
    if (before && clock().getTime() - before.readAtMs < ageMs) return before;
    // Of several that come at once, one reads.
    return known === latest || !known ? (known = read()) : known;
  };

  const isCurrent = ({ exp = 0 }: JWTPayload) => exp + clockToleranceSeconds > clock().getTime() / 1000;

  return {
    async verify(token, audiences) {
      const payloadOf = async ({ key, verified }: Known): Promise<JWTPayload> => {
        const before = verified.get(token);
        if (
          before &&
          isCurrent(before) &&
          [before.aud].flat().some((name) => name !== undefined && audiences.includes(name))
        )
          return before;
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
      const verifyWith = async (current: Known): Promise<VerifiedToken | null> => {
        const payload = await payloadOf(current);
        const { sub, azp, iat, scope } = payload as { sub: string; azp: unknown; iat: number; scope?: unknown };
        if (typeof azp !== 'string' || typeof scope !== 'string') return null;
        // Whole seconds in the token: of the second in which it was revoked, all are.
        const isRevoked = current.revocations.some(
          ({ user_id, client_id, revoked_at }) =>
            user_id === sub && (client_id ?? azp) === azp && iat * 1000 <= revoked_at.getTime(),
        );
        return isRevoked ? null : { userID: sub, clientID: azp, scopes: scope.split(' ') };
      };
      try {
        return await verifyWith(await readWithin(refreshMs)).catch((error: unknown) => {
          if (error instanceof errors.JWKSNoMatchingKey) return readWithin(lookAgainMs).then(verifyWith);
          throw error;
        });
      } catch (error) {
        if (error instanceof errors.JOSEError) return null;
        throw error;
      }
    },
  };
}
