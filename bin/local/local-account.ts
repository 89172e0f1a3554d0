// The account of the local run: one user with one API key, and credits from one paid grant.
import type { Pool } from 'pg';
import { databaseOn } from '../../lambda/data/database.ts';
import { hashApiKey } from '../../lambda/surfaces/authenticate.ts';

const grantedCredits = 100_000;

/** Makes what is not there yet. */
export async function ensureLocalAccount(pool: Pool, apiKey: string): Promise<void> {
  const { accounts, billing } = databaseOn(pool);
  const user = await accounts.ensureUser({ id: 'usr_local', email: 'you@localhost', name: 'You' });
  await accounts.ensureKey({ id: 'key_local', userID: user.id, name: 'npm start', keySha256: hashApiKey(apiKey), keyStart: apiKey.slice(0, 10) });
  await billing.ensurePaidInvoice({ id: 'inv_local', userID: user.id, type: 'adjustment', method: 'grant', cost: 0, credits: grantedCredits });
}
