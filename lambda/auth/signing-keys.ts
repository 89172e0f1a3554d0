// The keys that tokens are signed with: made, rotated with overlap, and handed to better-auth.
import { exportJWK, generateKeyPair } from 'jose';
import type { Pool } from 'pg';
import { newID } from '../data/new-id.ts';
import { databaseOn } from '../data/database.ts';
import type { SigningKey } from '../data/signing-keys.ts';
import type { Sealer } from '../ports/sealer/sealer.ts';
import { accessTokenSeconds } from '../surfaces/protected-resource.ts';

/** How long others may keep the JWKS (its Cache-Control). */
export const jwksMaxAgeSeconds = 300;

/** A key as better-auth takes it. */
interface Jwk {
  readonly id: string;
  readonly alg: 'ES256';
  readonly publicKey: string;
  readonly privateKey: string;
  readonly createdAt: Date;
}

/** Makes the first key if there is none: at migration, because several processes that each made one would publish several. */
export async function ensureSigningKey(pool: Pool, sealer: Sealer, now: Date): Promise<void> {
  await databaseOn(pool).signingKeys.insertFirst(await makeKey(sealer, now));
}

/**
 * Makes the next key. It is published at once and signs when every cache of the JWKS has it; the former stays published until the last token
 * signed with it has expired. @returns when the new key begins to sign
 */
export async function rotateSigningKey(pool: Pool, sealer: Sealer, now: Date): Promise<Date> {
  return databaseOn(pool).signingKeys.insertNext(await makeKey(sealer, now), {
    publishedBeforeSeconds: 2 * jwksMaxAgeSeconds,
    publishedAfterSeconds: 2 * accessTokenSeconds,
  });
}

/** better-auth signs with the latest key that it gets, so one that does not sign yet is shown to it as the oldest. */
export async function keysForSigning(pool: Pool, sealer: Sealer, now: Date): Promise<Jwk[]> {
  const keys = await databaseOn(pool).signingKeys.published();
  return keys.map(({ id, public_jwk, sealed_private_jwk, signs_from }) => ({
    id,
    alg: 'ES256',
    publicKey: JSON.stringify(public_jwk),
    privateKey: sealer.open(sealed_private_jwk, privateKeyPlace(id)),
    createdAt: signs_from > now ? new Date(0) : signs_from,
  }));
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
