// The user of the synthetic stream: a normal account, with credits that do not run out.
import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { databaseOn } from '../data/database.ts';
import { apiKeyPrefix, hashApiKey } from '../surfaces/admission/authenticate.ts';

const userID = 'usr_synthetic';
/** A reserved domain (RFC 2606), so no mail can be sent to it. */
const email = 'synthetic@stream.invalid';
/** A start costs one credit at most, so these last for centuries. */
const credits = 1_000_000_000;

/** Creates the account if it is missing. @returns a new API key, which replaces the previous one */
export async function openSyntheticAccount(pool: Pool): Promise<string> {
  const { users, invoices } = databaseOn(pool);
  await users.ensureUser({ id: userID, email, name: 'Synthetic stream' });
  await invoices.ensurePaid({ id: 'inv_synthetic', userID, type: 'adjustment', method: 'grant', cost: 0, credits });
  const apiKey = apiKeyPrefix + randomBytes(32).toString('base64url');
  await users.replaceKey({
    id: 'key_synthetic',
    userID,
    name: 'Synthetic stream',
    keySha256: hashApiKey(apiKey),
    keyStart: apiKey.slice(0, 10),
  });
  return apiKey;
}
