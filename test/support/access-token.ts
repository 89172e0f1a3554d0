// Access tokens as the authorization server issues them, signed with the key of a test's database.
import { randomUUID } from 'node:crypto';
import { importJWK, SignJWT } from 'jose';
import type { Pool } from 'pg';
import { ensureSigningKey, keysForSigning } from '../../lambda/auth/signing-keys.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { accessTokenSeconds } from '../../lambda/surfaces/admission/protected-resource.ts';

const sealer = createSealer([{ id: 1, key: Buffer.alloc(32, 'a key for signing keys of tests') }]);

const clientID = 'app';

export interface TokenClaims {
  readonly origin: string;
  readonly userID: string;
  readonly scopes: readonly string[];
  /** Audience of the token. Default: the whole origin. */
  readonly audience?: string;
}

/**
 * Signs a token of an application that the user has agreed to, with a new signing key if the database has none. A key
 * of another sealer cannot be used.
 */
export async function signAccessToken(
  pool: Pool,
  { origin, userID, scopes, audience = origin }: TokenClaims,
): Promise<string> {
  await ensureSigningKey(pool, sealer, new Date());
  await agree(pool, userID, scopes);
  const [key] = await keysForSigning(pool, sealer, new Date());
  const nowSeconds = Math.floor(Date.now() / 1000);
  return new SignJWT({ azp: clientID, scope: scopes.join(' '), jti: randomUUID() })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key!.id })
    .setIssuer(origin)
    .setAudience(audience)
    .setSubject(userID)
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + accessTokenSeconds)
    .sign(await importJWK(JSON.parse(key!.privateKey), 'ES256'));
}

async function agree(pool: Pool, userID: string, scopes: readonly string[]): Promise<void> {
  await pool.query(
    `insert into oauth_clients (id, client_id, redirect_uris) values ($1, $1, '[]') on conflict do nothing`,
    [clientID],
  );
  await pool.query(
    `insert into oauth_consents (id, client_id, user_id, scopes, created_at, updated_at)
     values ($1, $2, $3, $4, now(), now())`,
    [randomUUID(), clientID, userID, JSON.stringify(scopes)],
  );
}
