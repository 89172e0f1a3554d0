// The account of the local run: one user with a password and one API key, credits from one paid grant, and a destination that leads to the built-in ingest.
import { hashPassword } from 'better-auth/crypto';
import type { Pool } from 'pg';
import { databaseOn } from '../../lambda/data/database.ts';
import { destinationKeyPlace } from '../../lambda/domain/sealed-places.ts';
import type { Sealer } from '../../lambda/ports/sealer/sealer.ts';
import { hashApiKey } from '../../lambda/surfaces/authenticate.ts';

export interface LocalAccount {
  readonly apiKey: string;
  readonly password: string;
  readonly rtmpURL: string;
  /** Where the ingest was in the run before; null at the first. */
  readonly formerRtmpURL: string | null;
  readonly sealer: Sealer;
}

const grantedCredits = 100_000;
/** Of the demo user. */
export const localEmail = 'you@example.com';
const userID = 'usr_local';
const destinationID = 'dst_local';

/** Makes what is not there yet, and lets destinations that name the ingest follow it to another port. */
export async function ensureLocalAccount(
  pool: Pool,
  { apiKey, password, rtmpURL, formerRtmpURL, sealer }: LocalAccount,
): Promise<void> {
  const { accounts, billing, destinations } = databaseOn(pool);
  await accounts.ensureUser({ id: userID, email: localEmail, name: 'You' });
  await accounts.ensurePassword({ id: 'crd_local', userID, passwordHash: await hashPassword(password) });
  await accounts.ensureKey({
    id: 'key_local',
    userID,
    name: 'npm start',
    keySha256: hashApiKey(apiKey),
    keyStart: apiKey.slice(0, 10),
  });
  await billing.ensurePaidInvoice({
    id: 'inv_local',
    userID,
    type: 'adjustment',
    method: 'grant',
    cost: 0,
    credits: grantedCredits,
  });
  if (formerRtmpURL !== null && formerRtmpURL !== rtmpURL) await destinations.moveAddress(formerRtmpURL, rtmpURL);
  if (await destinations.find(userID, destinationID)) return;
  const sealedStreamKey = sealer.seal('local', destinationKeyPlace(destinationID));
  await destinations.insert({
    id: destinationID,
    userID,
    name: 'Built-in ingest',
    rtmpURL,
    backupRtmpURL: null,
    sealedStreamKey,
  });
}
