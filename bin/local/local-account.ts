// The account of the local run: a user with password, API key, credits, and a destination at the built-in ingest.
import { hashPassword } from 'better-auth/crypto';
import type { Pool } from 'pg';
import { databaseOn } from '../../lambda/data/database.ts';
import { inboxOf } from '../../lambda/domain/billing/inbox.ts';
import { destinationKeyPlace } from '../../lambda/domain/shared/sealed-places.ts';
import type { Sealer } from '../../lambda/ports/sealer/sealer.ts';
import { hashApiKey } from '../../lambda/surfaces/admission/authenticate.ts';

export interface LocalAccountOptions {
  readonly apiKey: string;
  readonly password: string;
  /** Address of the built-in ingest. */
  readonly rtmpURL: string;
  /** Address of the built-in ingest in the last run; null at the first run. */
  readonly formerRtmpURL: string | null;
  readonly sealer: Sealer;
  /** Initial credits of the user, who gets no free ones. */
  readonly credits: number;
}

/** Address of the demo user. */
export const localEmail = 'you@example.com';
const userID = 'usr_local';
const destinationID = 'dst_local';

/** Creates the missing parts of the account. Destinations with the ingest's former address get the current one. */
export async function ensureLocalAccount(pool: Pool, options: LocalAccountOptions): Promise<void> {
  const { apiKey, password, rtmpURL, formerRtmpURL, sealer, credits } = options;
  const { users, creditAccounts, invoices, destinations } = databaseOn(pool);
  await users.ensureUser({ id: userID, email: localEmail, name: 'You' });
  // Before the password, which confirms the address: the free credits would come on top of the requested ones.
  await creditAccounts.claimFreeCredits(userID, inboxOf(localEmail));
  await users.ensurePassword({ id: 'crd_local', userID, passwordHash: await hashPassword(password) });
  await users.ensureKey({
    id: 'key_local',
    userID,
    name: 'npm start',
    keySha256: hashApiKey(apiKey),
    keyStart: apiKey.slice(0, 10),
  });
  await invoices.ensurePaid({
    id: 'inv_local',
    userID,
    type: 'adjustment',
    method: 'grant',
    cost: 0,
    credits,
  });
  if (formerRtmpURL !== null && formerRtmpURL !== rtmpURL) await destinations.moveAddress(formerRtmpURL, rtmpURL);
  if (await destinations.find(userID, destinationID)) return;
  await destinations.insert({
    id: destinationID,
    userID,
    settings: {
      name: 'Built-in ingest',
      url: rtmpURL,
      backup_url: null,
      sealed_stream_key: sealer.seal('local', destinationKeyPlace(destinationID)),
      srt_latency_ms: null,
      srt_stream_id: null,
      sealed_srt_passphrase: null,
    },
  });
}
