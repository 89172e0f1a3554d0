// Edge cases of the authorization server: headers, CORS, limits, rotation of signing keys, cookies under HTTPS.
import { decodeProtectedHeader } from 'jose';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { createAuthHandler } from '../../lambda/auth/auth-handler.ts';
import { ensureSigningKey, rotateSigningKey } from '../../lambda/auth/signing-keys.ts';
import { all } from '../../lambda/data/shared/queryable.ts';
import { browserSession } from '../support/browser-session.ts';
import { bundledAuth } from '../support/bundled-auth.ts';
import { registerClient } from '../support/oauth.ts';
import { testSite } from '../support/site.ts';
import { streamedRequest } from '../support/streamed-request.ts';

// Password hashing is deliberately slow.
vi.setConfig({ testTimeout: 30_000 });

describe('answers', () => {
  const site = testSite();

  test.each([
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/api/auth/jwks',
  ])('%s may be cached, and read by pages of others', async (path) => {
    const answer = await fetch(site.origin() + path, { headers: { origin: 'https://elsewhere.example' } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  });

  test('the metadata names each endpoint and what can be asked of it', async () => {
    const at = (path: string) => site.origin() + path;
    const metadata = await (await fetch(at('/.well-known/oauth-authorization-server'))).json();
    expect(metadata).toMatchObject({
      issuer: site.origin(),
      authorization_endpoint: at('/api/auth/oauth2/authorize'),
      token_endpoint: at('/api/auth/oauth2/token'),
      registration_endpoint: at('/api/auth/oauth2/register'),
      jwks_uri: at('/api/auth/jwks'),
      code_challenge_methods_supported: ['S256'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      scopes_supported: expect.arrayContaining([
        'service:read',
        'service:write',
        'service:destructive',
        'service:billing',
      ]),
    });
  });

  test('a page elsewhere may ask for tokens, keys and registration, and nothing else', async () => {
    const preflight = (path: string) =>
      fetch(`${site.origin()}/api/auth${path}`, {
        method: 'OPTIONS',
        headers: { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' },
      });
    for (const path of ['/oauth2/token', '/oauth2/register', '/jwks'])
      expect([
        (await preflight(path)).status,
        (await preflight(path)).headers.get('access-control-allow-origin'),
      ]).toEqual([204, '*']);
    for (const path of ['/sign-in/email', '/account/api-keys', '/oauth2/consent'])
      expect((await preflight(path)).headers.get('access-control-allow-origin')).toBeNull();
  });

  test('no answer may be framed, and tokens may not be cached', async () => {
    const token = await fetch(`${site.origin()}/api/auth/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'authorization_code' }),
    });
    expect(token.headers.get('cache-control')).toContain('no-store');
    expect(token.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(token.headers.get('x-frame-options')).toBe('DENY');
  });

  test.each([
    '/api/auth/token',
    '/api/auth/admin/oauth2/create-client',
    '/api/auth/list-sessions',
    '/api/auth/nothing',
    '/.well-known/nothing',
  ])('%s is not there', async (path) => {
    expect((await fetch(site.origin() + path)).status).toBe(404);
  });

  test('a body that is too large is refused before it is read', async () => {
    const answer = await fetch(`${site.origin()}/api/auth/oauth2/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'x'.repeat(70_000) }),
    });
    expect(answer.status).toBe(413);
  });

  test('a null character is refused in every kind of request, and is no failure of ours', async () => {
    const browser = browserSession(site.origin);
    const signUp = await browser.post('/api/auth/sign-up/email', {
      name: 'a\0b',
      email: 'null@example.com',
      password: 'a long enough password',
    });
    expect(signUp).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    await expect(registerClient(site.origin(), { client_name: 'a\0b' })).rejects.toThrow('answered 400');
    const client = await registerClient(site.origin());
    expect(await client.exchange('a\0b', 'x'.repeat(43))).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
    const { url } = await client.authorizationRequest('service:read', { state: 'a\0b' });
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(400);
  });

  test.concurrent.each([
    '{',
    '[]',
    'null',
    '"text"',
    '{"email":1}',
    '{"email":{"$ne":1},"password":["x"]}',
    'x'.repeat(1000),
  ])('the body %j is refused, and is no failure of ours', async (body) => {
    for (const path of [
      '/sign-in/email',
      '/sign-up/email',
      '/oauth2/register',
      '/oauth2/consent',
      '/account/api-keys/create',
      '/request-password-reset',
    ]) {
      const answer = await fetch(`${site.origin()}/api/auth${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: site.origin() },
        body,
      });
      expect([path, answer.status]).toEqual([path, expect.toSatisfy((status) => status >= 400 && status < 500)]);
    }
  });

  const origin = 'https://live.example.com';
  const auth = () =>
    createAuthHandler({
      origin,
      pool: site.pool(),
      sealer: site.sealer(),
      mailer: { send: async () => {} },
      serviceSecret: 'a secret for tests',
      rateLimitFactor: 1000,
      clock: () => new Date(),
      log: () => {},
    });

  test.each(['/sign-in/email', '/oauth2/token', '/oauth2/register', '/get-session'])(
    'a body for %s whose length is not known is not read beyond the bound',
    async (path) => {
      const { request, takenBytes } = streamedRequest(`${origin}/api/auth${path}`, { origin });
      expect((await auth()(request, '192.0.2.1')).status).toBe(413);
      expect(takenBytes()).toBeLessThan(200_000);
    },
  );

  test('cookies are for HTTPS alone where the origin has HTTPS', async () => {
    const user = await site.user();
    const request = new Request(`${origin}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify(user),
    });
    const [cookie] = (await auth()(request, '192.0.2.1')).headers.getSetCookie();
    expect(cookie).toMatch(/^__Secure-loop\.session_token=.*; Secure/i);
  });
});

describe('limits', () => {
  const site = testSite({ rateLimitFactor: 1 });

  test('stop who guesses passwords, whatever address they claim', async () => {
    const user = await site.user();
    const guess = (forwardedFor: string) =>
      browserSession(site.origin).post(
        '/api/auth/sign-in/email',
        { email: user.email, password: 'a wrong password' },
        { 'x-forwarded-for': forwardedFor, 'x-client-address': forwardedFor },
      );
    const statuses = [];
    for (let attempt = 0; attempt < 12; attempt++) statuses.push((await guess(`198.51.100.${attempt}`)).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
    expect(Number((await guess('198.51.100.99')).headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('stop who registers applications without end', async () => {
    const registrations = await Promise.allSettled(Array.from({ length: 12 }, () => registerClient(site.origin())));
    expect(registrations.filter(({ status }) => status === 'rejected')).toHaveLength(2);
  });
});

describe('paths that do not exist', () => {
  const site = testSite({ rateLimitFactor: 1 });

  test('are refused without a row for each', async () => {
    const paths = [
      '/nothing',
      '/sign-in/other',
      '/sign-in/email/',
      '/reset-password/x',
      '/callback/x',
      '/Jwks',
      '/a/b/c',
    ];
    for (const path of paths)
      expect([path, (await fetch(`${site.origin()}/api/auth${path}?callbackURL=/`)).status]).toEqual([path, 404]);
    expect(await all(site.pool(), 'select key from auth_rate_limits')).toEqual([]);
  });

  test('are not those of the page, which are counted', async () => {
    expect((await fetch(`${site.origin()}/api/auth/get-session`)).status).toBe(200);
    expect(await all(site.pool(), 'select count from auth_rate_limits')).toEqual([{ count: 1 }]);
  });
});

describe('a forgotten password', () => {
  const site = testSite();

  test('is replaced by the link of the mail, which leads to the page', async () => {
    const [user, browser] = [await site.user(), browserSession(site.origin)];
    await browser.post('/api/auth/request-password-reset', { email: user.email, redirectTo: '/new-password' });
    await expect.poll(() => site.mails.length).toBe(1);
    const link = new URL(/http\S+/.exec(site.mails[0]!.text)![0]);
    expect(link.origin + link.pathname).toBe(`${site.origin()}/new-password`);
    const token = new URLSearchParams(link.hash.slice(1)).get('token');
    const former = await browser.get(`/api/auth/reset-password/${token}?callbackURL=/new-password`);
    expect([former.status, former.headers.get('location')]).toEqual([302, link.href]);
    const changed = { email: user.email, password: 'another long password' };
    const reset = await browser.post('/api/auth/reset-password', { newPassword: changed.password, token });
    expect(reset.status).toBe(200);
    expect((await browser.post('/api/auth/sign-in/email', changed)).status).toBe(200);
  });
});

describe('limits behind the gateway', async () => {
  const site = testSite({ rateLimitFactor: 1, createAuth: await bundledAuth() });

  test('count by the address that the distribution saw', async () => {
    const user = await site.user();
    const statuses = [];
    for (let attempt = 0; attempt < 11; attempt++) {
      const { status } = await browserSession(site.origin).post(
        '/api/auth/sign-in/email',
        { email: user.email, password: 'a wrong password' },
        { 'x-forwarded-for': `198.51.100.${attempt}` },
      );
      statuses.push(status);
    }
    expect(statuses.at(-1)).toBe(429);
    const query = `select distinct address from security_events where kind = 'sign_in_refused'`;
    expect(await all(site.pool(), query)).toEqual([{ address: '127.0.0.1' }]);
  });
});

describe('signing keys', () => {
  const site = testSite();
  const published = async () =>
    ((await (await fetch(`${site.origin()}/api/auth/jwks`)).json()) as { keys: Record<string, string>[] }).keys;
  /** Moves the start of signing and the end of publication of all keys eleven minutes into the past. */
  const pass11Minutes = () =>
    site.pool().query(
      `update signing_keys set
         signs_from = signs_from - interval '11 minutes',
         published_until = published_until - interval '11 minutes'`,
    );
  /** Ends the publication of a key now. */
  const endPublication = (keyID: string) =>
    site.pool().query('update signing_keys set published_until = now() where id = $1', [keyID]);
  /** Lets a token be signed. @returns the token, and the id of its key */
  let signedWith: () => Promise<{ kid: string; token: string }>;
  beforeAll(async () => {
    const [user, browser, client] = [
      await site.user(),
      browserSession(site.origin),
      await registerClient(site.origin()),
    ];
    signedWith = async () => {
      const { url, verifier } = await client.authorizationRequest('service:read');
      const callback = await browser.authorize(url, { user, accept: true });
      const { body } = await client.exchange(callback.searchParams.get('code')!, verifier);
      return { kid: decodeProtectedHeader(body.access_token).kid!, token: body.access_token };
    };
  });
  const statusOf = async (token: string) =>
    (await fetch(`${site.origin()}/v1/me`, { headers: { authorization: `Bearer ${token}` } })).status;

  test('are one, however many make the first at once, and only the public half is published', async () => {
    await Promise.all(Array.from({ length: 8 }, () => ensureSigningKey(site.pool(), site.sealer(), new Date())));
    const keys = await published();
    expect(keys).toHaveLength(1);
    expect(Object.keys(keys[0]!).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'x', 'y']);
    expect(keys[0]).toMatchObject({ alg: 'ES256', kty: 'EC', crv: 'P-256' });
  });

  test('overlap when they are rotated, as each is published before it signs and after it has signed', async () => {
    const first = await signedWith();
    await rotateSigningKey(site.pool(), site.sealer(), new Date());
    expect(await published()).toHaveLength(2);
    expect((await signedWith()).kid).toBe(first.kid);
    await pass11Minutes();
    const second = await signedWith();
    expect(second.kid).not.toBe(first.kid);
    expect([await statusOf(first.token), await statusOf(second.token)]).toEqual([200, 200]);
    await endPublication(first.kid);
    expect((await published()).map(({ kid }) => kid)).toEqual([second.kid]);
  });
});
