// The keys that sign access tokens: creates and rotates them, and passes them to better-auth.
// better-auth's own encryption is not used: the migration would need the library, and eight processes at once would
// each create a key.
import { exportJWK, generateKeyPair, importJWK, SignJWT } from 'jose';
import type { JWK } from 'jose';
import type { Pool } from 'pg';
import { newID } from '../data/shared/new-id.ts';
import { databaseOn } from '../data/database.ts';
import type { SigningKey } from '../data/accounts/signing-keys.ts';
import type { Sealer } from '../ports/sealer/sealer.ts';
import { accessTokenSeconds } from '../surfaces/admission/protected-resource.ts';

/** The Cache-Control max-age of the JWKS, in seconds. */
export const jwksMaxAgeSeconds = 300;

/** A key in better-auth's format. */
interface Jwk {
  readonly id: string;
  readonly alg: 'ES256';
  readonly publicKey: string;
  readonly privateKey: string;
  readonly createdAt: Date;
}

/** Creates the first key if there is none. The migration calls it, because several processes would each create one. */
export async function ensureSigningKey(pool: Pool, sealer: Sealer, now: Date): Promise<void> {
  await databaseOn(pool).signingKeys.insertFirst(await makeKey(sealer, now));
}

/**
 * Creates the next key. The JWKS lists it at once, and it signs once no cache can hold a JWKS without it. The JWKS
 * lists the previous key until the last token that it signed has expired.
 * @returns the time when the new key begins to sign
 */
export async function rotateSigningKey(pool: Pool, sealer: Sealer, now: Date): Promise<Date> {
  return databaseOn(pool).signingKeys.insertNext(await makeKey(sealer, now), {
    listedBeforeSeconds: 2 * jwksMaxAgeSeconds,
    listedAfterSeconds: 2 * accessTokenSeconds,
  });
}

/** better-auth signs with the latest key of its list, so a key that must not sign yet comes first. */
export async function keysForSigning(pool: Pool, sealer: Sealer, now: Date): Promise<Jwk[]> {
  const keys = await databaseOn(pool).signingKeys.listed();
  return keys.map(({ id, public_jwk, sealed_private_jwk, signs_from }) => ({
    id,
    alg: 'ES256',
    publicKey: JSON.stringify(public_jwk),
    privateKey: sealer.open(sealed_private_jwk, privateKeyPlace(id)),
    createdAt: signs_from > now ? new Date(0) : signs_from,
  }));
}

/**
 * Signs a statement with the current key of access tokens. It names no audience and has its own type, so that it is
 * never accepted as a token.
 */
export async function signStatement(
  pool: Pool,
  sealer: Sealer,
  statement: Readonly<Record<string, unknown>>,
  now: Date,
): Promise<string> {
  const keys = await databaseOn(pool).signingKeys.listed();
  const signing = keys.filter(({ signs_from }) => signs_from <= now);
  const { id, sealed_private_jwk: sealed } = signing.reduce((a, b) => (a.signs_from > b.signs_from ? a : b));
  const key = await importJWK(JSON.parse(sealer.open(sealed, privateKeyPlace(id))) as JWK, 'ES256');
  return new SignJWT(statement)
    .setProtectedHeader({ alg: 'ES256', typ: 'on-air+jwt', kid: id })
    .setIssuedAt(now)
    .sign(key);
}

async function makeKey(sealer: Sealer, now: Date): Promise<Omit<SigningKey, 'signs_from'>> {
  const id = newID('sig', now);
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  return {
    id,
    public_jwk: (await exportJWK(publicKey)) as SigningKey['public_jwk'],
    sealed_private_jwk: sealer.seal(JSON.stringify(await exportJWK(privateKey)), privateKeyPlace(id)),
  };
}

function privateKeyPlace(keyID: string): string {
  return `signing-key/${keyID}`;
}
