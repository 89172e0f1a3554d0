// What it costs an API call to know its caller: GET /me with an access token and with an API key, against the same handler that knows already.
import { randomUUID } from 'node:crypto';
import { SignJWT, importJWK } from 'jose';
import { keysForSigning, ensureSigningKey } from '../../lambda/auth/signing-keys.ts';
import { databaseOn } from '../../lambda/data/database.ts';
import { createPool } from '../../lambda/data/queryable.ts';
import { migrate } from '../../lambda/migrate/migrate.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { createAccessTokens } from '../../lambda/surfaces/access-tokens.ts';
import { hashApiKey } from '../../lambda/surfaces/authenticate.ts';
import { audiencesOf } from '../../lambda/surfaces/protected-resource.ts';
import { startLocalRun, temporaryDataFolder } from '../support/local-run.ts';

const rounds = 3000;
const origin = 'https://live.example.com';

export async function credentialsBench(): Promise<void> {
  const data = await temporaryDataFolder();
  const run = await startLocalRun(data.path, '--no-demo');
  const pool = createPool({ connectionString: run.connection.databaseURL, max: 1 });
  try {
    await migrate(pool);
    const sealer = createSealer([{ id: 1, key: Buffer.alloc(32) }]);
    await pool.query('delete from signing_keys');
    await ensureSigningKey(pool, sealer, new Date());
    const [key] = await keysForSigning(pool, sealer, new Date());
    const nowSeconds = Math.floor(Date.now() / 1000);
    const token = await new SignJWT({ azp: 'app', scope: 'service:read', jti: randomUUID() })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key!.id })
      .setIssuer(origin).setAudience(`${origin}/v1`).setSubject('usr_local').setIssuedAt(nowSeconds).setExpirationTime(nowSeconds + 900)
      .sign(await importJWK(JSON.parse(key!.privateKey), 'ES256'));
    const tokens = createAccessTokens(pool, origin, () => new Date());
    const audiences = audiencesOf(origin, '/v1');
    const { accounts } = databaseOn(pool);
    const apiKeyHash = hashApiKey(run.connection.apiKey);

    const call = () => accounts.find('usr_local');
    const alone = await medianMs(call);
    const withToken = await medianMs(async () => (await tokens.verify(token, audiences), call()));
    const withKey = await medianMs(async () => (await accounts.ownerOfKey(apiKeyHash), call()));
    console.log(`GET /me's statement alone          ${alone.toFixed(3)} ms at the median`);
    console.log(`with an access token, warm keys    ${withToken.toFixed(3)} ms: ${(withToken - alone).toFixed(3)} ms more`);
    console.log(`with an API key, one statement     ${withKey.toFixed(3)} ms: ${(withKey - alone).toFixed(3)} ms more`);
  } finally {
    await pool.end();
    await run.interrupt();
    await data.remove();
  }
}

async function medianMs(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const beganMs = performance.now();
    await work();
    times.push(performance.now() - beganMs);
  }
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)]!;
}
