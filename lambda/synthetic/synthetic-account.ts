// The user that the synthetic stream belongs to: an account as any other, with credits that do not run out.
import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { databaseOn } from '../data/database.ts';
import { apiKeyPrefix, hashApiKey } from '../surfaces/admission/authenticate.ts';

const userID = 'usr_synthetic';
/** A name that nobody can have (RFC 2606), so no mail is sent to it. */
const email = 'synthetic@stream.invalid';
/** A start costs a credit at most, so they last for centuries. */
const credits = 1_000_000_000;

/** Makes what is not there yet. @returns a key of the account, in place of that before: nobody has to keep it */
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
