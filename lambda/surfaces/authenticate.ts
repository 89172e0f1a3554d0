// Ties a request to one user by its credential.
import { createHash } from 'node:crypto';
import { databaseOn } from '../data/database.ts';
import type { Caller } from '../operations/context.ts';
import { ProblemError } from '../operations/problem-codes.ts';
import { allScopes } from '../operations/scopes.ts';
import type { Service } from './service.ts';

/** Every API key begins with this. */
export const apiKeyPrefix = 'lss_';

/** What is stored of a key. Keys are 256 random bits, so a plain hash is enough. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** @throws {ProblemError} unauthenticated, with the same words for every key that is not valid */
export async function authenticate(service: Service, headers: Headers): Promise<Caller> {
  const apiKey = headers.get('x-api-key');
  if (headers.has('authorization')) {
    const detail = apiKey === null ? 'The access token is not valid.' : 'Send one credential, not two.';
    throw new ProblemError('unauthenticated', detail);
  }
  if (apiKey === null) throw new ProblemError('unauthenticated', 'Send an API key in the header X-API-Key.');
  const owner = apiKey.startsWith(apiKeyPrefix) ? await databaseOn(service.pool).accounts.ownerOfKey(hashApiKey(apiKey)) : null;
  if (!owner) throw new ProblemError('unauthenticated', 'The API key is not valid.');
  return { userID: owner.user_id, scopes: allScopes };
}
