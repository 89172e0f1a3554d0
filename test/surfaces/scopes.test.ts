// Who may call what: every operation with no credential, a wrong one, two at once, and with each scope alone.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Caller } from '../../lambda/operations/context.ts';
import { operations } from '../../lambda/operations/index.ts';
import { allScopes } from '../../lambda/operations/scopes.ts';
import { baseURL, testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';

// A token with any scopes, without the service that issues them: what is proved here begins once a credential has been read.
const granted = vi.hoisted(() => ({ caller: null as Caller | null }));
vi.mock(import('../../lambda/surfaces/authenticate.ts'), async (original) => {
  const { authenticate, ...rest } = await original();
  return { ...rest, authenticate: async (...from: Parameters<typeof authenticate>) => granted.caller ?? (await authenticate(...from)) };
});

const service = testService();
let user: TestUser;
beforeAll(async () => {
  user = await service.user();
});

const outcomes: Readonly<Record<string, (scopes: readonly string[]) => boolean>> = {
  'no credential': () => false,
  'a key that is wrong': () => false,
  'a token that is wrong': () => false,
  'a key and a token': () => false,
  'a key': () => true,
  ...Object.fromEntries(allScopes.map((scope) => [`the scope ${scope}`, (scopes: readonly string[]) => scopes.includes(scope)])),
};

const headersOf = (credential: string): Record<string, string> => ({
  ...(credential === 'a key' || credential === 'a key and a token' ? { 'x-api-key': user.apiKey } : {}),
  ...(credential === 'a key that is wrong' ? { 'x-api-key': `${user.apiKey}x` } : {}),
  ...(/a token/.test(credential) ? { authorization: 'Bearer ey.J.x' } : {}),
});

describe.for(operations.map((operation) => [operation.id, operation] as const))('%s', ([, { method, path, scopes }]) => {
  it.each(Object.entries(outcomes))('with %s', async (credential, isEnough) => {
    const scope = allScopes.find((name) => credential.endsWith(` ${name}`));
    granted.caller = scope ? { userID: user.id, scopes: [scope] } : null;
    const { status, headers, body } = await service.send(new Request(baseURL + path.replaceAll(/\{\w+\}/g, 'x'), { method, headers: headersOf(credential) }));
    if (scopes === 'public') expect(status).toBe(200);
    else if (scope) expect(body?.code === 'insufficient_scope').toBe(!isEnough(scopes));
    else expect(body?.code === 'unauthenticated').toBe(!isEnough(scopes));
    if (body?.code === 'insufficient_scope') expect([status, body.detail]).toEqual([403, `The access token lacks the scope ${[scopes].flat().join(' or ')}. Ask the user to grant it.`]);
    if (body?.code === 'unauthenticated') expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Bearer')]);
  });
});
