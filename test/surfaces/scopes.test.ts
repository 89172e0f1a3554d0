// Access by scope: every operation without a credential, with a wrong one, with two, and with each scope alone.
import { beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../lambda/operations/index.ts';
import { allScopes } from '../../lambda/operations/scopes.ts';
import { signAccessToken } from '../support/access-token.ts';
import { baseURL, testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';

const service = testService();
let user: TestUser;
let tokens: ReadonlyMap<string, string>;
beforeAll(async () => {
  user = await service.user();
  const { origin } = new URL(baseURL);
  const signed = allScopes.map(
    async (scope) =>
      [
        `the scope ${scope}`,
        await signAccessToken(service.pool(), { origin, userID: user.id, scopes: [scope] }),
      ] as const,
  );
  tokens = new Map(await Promise.all(signed));
});

const outcomes: Readonly<Record<string, (scopes: readonly string[]) => boolean>> = {
  'no credential': () => false,
  'a key that is wrong': () => false,
  'a token that is wrong': () => false,
  'a key and a token': () => false,
  'a key': () => true,
  ...Object.fromEntries(
    allScopes.map((scope) => [`the scope ${scope}`, (scopes: readonly string[]) => scopes.includes(scope)]),
  ),
};

const headersOf = (credential: string): Record<string, string> => ({
  ...(credential === 'a key' || credential === 'a key and a token' ? { 'x-api-key': user.apiKey } : {}),
  ...(credential === 'a key that is wrong' ? { 'x-api-key': `${user.apiKey}x` } : {}),
  ...(/a token/.test(credential) ? { authorization: 'Bearer ey.J.x' } : {}),
  ...(tokens.has(credential) ? { authorization: `Bearer ${tokens.get(credential)}` } : {}),
});

describe.for(operations.map((operation) => [operation.id, operation] as const))(
  '%s',
  ([, { method, path, scopes, isForGuests }]) => {
    it.each(Object.entries(outcomes))('with %s', async (credential, isEnough) => {
      const scope = allScopes.find((name) => credential.endsWith(` ${name}`));
      const { status, headers, body } = await service.send(
        new Request(baseURL + path.replaceAll(/\{\w+\}/g, 'x'), { method, headers: headersOf(credential) }),
      );
      // A guest without the token of a link learns nothing, whatever the credential.
      if (isForGuests) expect(status).toBe(method === 'GET' ? 404 : 422);
      else if (scopes === 'public') expect(status).toBe(200);
      else if (scope) expect(body?.code === 'insufficient_scope').toBe(!isEnough(scopes));
      else expect(body?.code === 'unauthenticated').toBe(!isEnough(scopes));
      if (body?.code === 'insufficient_scope') {
        expect([status, body.detail]).toEqual([
          403,
          `This operation needs the scope ${[scopes].flat().join(' or ')}. ` +
            'Ask the user for this scope, or use an API key that has it.',
        ]);
        expect(headers.get('www-authenticate')).toContain(`error="insufficient_scope", scope="${[scopes].flat()[0]}"`);
      }
      if (body?.code === 'unauthenticated')
        expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Bearer')]);
    });
  },
);
