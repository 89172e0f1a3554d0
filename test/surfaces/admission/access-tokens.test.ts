// A token that is verified again: the cached result never grants more than the token itself.
import { describe, expect, test } from 'vitest';
import { databaseOn } from '../../../lambda/data/database.ts';
import { createAccessTokens } from '../../../lambda/surfaces/admission/access-tokens.ts';
import { accessTokenSeconds } from '../../../lambda/surfaces/admission/protected-resource.ts';
import { signAccessToken } from '../../support/access-token.ts';
import { testDatabase } from '../../support/database.ts';
import { withdrawSigningKeys } from '../../support/stored-credentials.ts';

const origin = 'https://live.example.com';

describe('a token that was verified before', () => {
  const database = testDatabase();
  /** A verified token, its verifier, and a function that advances the verifier's clock. */
  const verifiedOnce = async () => {
    const pool = database.pool();
    await databaseOn(pool).users.ensureUser({ id: 'usr_1', email: 'ada@example.com', name: 'Ada' });
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
    const wait = (seconds: number) => {
      now = new Date(now.getTime() + seconds * 1000);
    };
    return { token, tokens, wait };
  };

  test('is accepted again', async () => {
    const { token, tokens } = await verifiedOnce();
    expect(await tokens.verify(token, [`${origin}/v1`, origin])).toMatchObject({ userID: 'usr_1' });
  });

  test('is refused by a part of the API that it is not meant for', async () => {
    const { token, tokens } = await verifiedOnce();
    expect(await tokens.verify(token, [`${origin}/mcp`, origin])).toBeNull();
  });

  test('is refused once it has expired, even before the keys are read again', async () => {
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

  test('is refused half a minute after its key was withdrawn', async () => {
    const { token, tokens, wait } = await verifiedOnce();
    await withdrawSigningKeys(database);
    wait(31);
    expect(await tokens.verify(token, [`${origin}/v1`])).toBeNull();
  });
});
