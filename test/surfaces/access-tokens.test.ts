// A token that was good once, verified again: what was remembered of it opens nothing that the token itself would not.
import { describe, expect, test } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { createAccessTokens } from '../../lambda/surfaces/access-tokens.ts';
import { accessTokenSeconds } from '../../lambda/surfaces/protected-resource.ts';
import { signAccessToken } from '../support/access-token.ts';
import { testDatabase } from '../support/database.ts';

const origin = 'https://live.example.com';

describe('a token that was verified before', () => {
  const database = testDatabase();
  const verifiedOnce = async () => {
    const pool = database.pool();
    await databaseOn(pool).accounts.ensureUser({ id: 'usr_1', email: 'ada@example.com', name: 'Ada' });
    const token = await signAccessToken(pool, {
      origin,
      userID: 'usr_1',
      scopes: ['service:read'],
      audience: `${origin}/v1`,
    });
    let now = new Date();
    const tokens = createAccessTokens(pool, origin, () => now);
    expect(await tokens.verify(token, [`${origin}/v1`])).toEqual({
      userID: 'usr_1',
      clientID: 'app',
      scopes: ['service:read'],
    });
    return { token, tokens, pool, wait: (seconds: number) => (now = new Date(now.getTime() + seconds * 1000)) };
  };

  test('is good again', async () => {
    const { token, tokens } = await verifiedOnce();
    expect(await tokens.verify(token, [`${origin}/v1`, origin])).toMatchObject({ userID: 'usr_1' });
  });

  test('is refused where it is not meant for', async () => {
    const { token, tokens } = await verifiedOnce();
    expect(await tokens.verify(token, [`${origin}/mcp`, origin])).toBeNull();
  });

  test('is refused when it has expired, also before keys are read again', async () => {
    const { token, tokens, wait } = await verifiedOnce();
    wait(accessTokenSeconds - 1);
    expect(await tokens.verify(token, [`${origin}/v1`])).not.toBeNull();
    wait(10);
    expect(await tokens.verify(token, [`${origin}/v1`])).toBeNull();
  });

  test('is refused with another signature', async () => {
    const { token, tokens } = await verifiedOnce();
    const [header, payload, signature] = token.split('.');
    const altered = [header, payload, (signature!.startsWith('A') ? 'B' : 'A') + signature!.slice(1)].join('.');
    expect(await tokens.verify(altered, [`${origin}/v1`])).toBeNull();
  });

  test('is refused when its key is withdrawn', async () => {
    const { token, tokens, pool, wait } = await verifiedOnce();
    await pool.query('delete from signing_keys');
    wait(31);
    expect(await tokens.verify(token, [`${origin}/v1`])).toBeNull();
  });
});
