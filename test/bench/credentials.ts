// The cost of authenticating an API call, by an access token and by an API key.
// Both are measured with GET /me, against the same handler with a known caller.
import { databaseOn } from '../../lambda/data/database.ts';
import { createPool } from '../../lambda/data/shared/queryable.ts';
import { migrate } from '../../lambda/migrate/migrate.ts';
import { createAccessTokens } from '../../lambda/surfaces/admission/access-tokens.ts';
import { hashApiKey } from '../../lambda/surfaces/admission/authenticate.ts';
import { audiencesOf } from '../../lambda/surfaces/admission/protected-resource.ts';
import { signAccessToken } from '../support/access-token.ts';
import { startLocalRun, temporaryDataFolder } from '../support/local-run.ts';
import { withdrawSigningKeys } from '../support/stored-credentials.ts';

const rounds = 3000;
const origin = 'https://live.example.com';

export async function credentialsBench(): Promise<void> {
  const data = await temporaryDataFolder();
  const run = await startLocalRun(data.path, '--no-demo');
  const pool = createPool({ connectionString: run.connection.databaseURL, max: 1 });
  try {
    await migrate(pool);
    await withdrawSigningKeys({ pool: () => pool });
    const token = await signAccessToken(pool, {
      origin,
      userID: 'usr_local',
      scopes: ['service:read'],
      audience: `${origin}/v1`,
    });
    const tokens = createAccessTokens(pool, origin, () => new Date());
    const audiences = audiencesOf(origin, '/v1');
    const { users } = databaseOn(pool);
    const apiKeyHash = hashApiKey(run.connection.apiKey);

    const call = () => users.find('usr_local');
    const alone = await medianMs(call);
    const withToken = await medianMs(async () => {
      await tokens.verify(token, audiences);
      await call();
    });
    const withKey = await medianMs(async () => {
      await users.ownerOfKey(apiKeyHash, null);
      await call();
    });
    console.log(`GET /me's statement alone          ${alone.toFixed(3)} ms at the median`);
    const compared = (ms: number) => `${ms.toFixed(3)} ms: ${(ms - alone).toFixed(3)} ms more`;
    console.log(`with an access token, warm keys    ${compared(withToken)}`);
    console.log(`with an API key, one statement     ${compared(withKey)}`);
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
