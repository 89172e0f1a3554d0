// Attacks on OAuth, sessions and tokens: each is refused with the error that the standards name, and gains nothing.
import { SignJWT, UnsecuredJWT, exportSPKI, generateKeyPair, importJWK } from 'jose';
import type { JWTPayload } from 'jose';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { keysForSigning } from '../../lambda/auth/signing-keys.ts';
import { browserSession } from '../support/browser-session.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { registerClient } from '../support/oauth.ts';
import type { TestClient } from '../support/oauth.ts';
import { testSite } from '../support/site.ts';

// Password hashing is deliberately slow.
vi.setConfig({ testTimeout: 30_000 });

const site = testSite();
const webRedirect = 'https://app.example.com/callback';
let user: Awaited<ReturnType<typeof site.user>>;
let browser: BrowserSession;
let client: TestClient;
let webClient: TestClient;
beforeAll(async () => {
  user = await site.user();
  browser = browserSession(site.origin);
  client = await registerClient(site.origin());
  webClient = await registerClient(site.origin(), { client_name: 'Web', redirect_uris: [webRedirect] });
});

/** Lets the user give a code to an application. @returns the code and its verifier */
async function codeFor(application: TestClient, scope = 'service:read'): Promise<{ code: string; verifier: string }> {
  const { url, verifier } = await application.authorizationRequest(scope);
  const callback = await browser.authorize(url, { user, accept: true });
  return { code: callback.searchParams.get('code')!, verifier };
}

async function tokensFor(
  application: TestClient,
  scope = 'service:read',
): Promise<{ access_token: string; refresh_token: string }> {
  const { code, verifier } = await codeFor(application, scope);
  return (await application.exchange(code, verifier)).body;
}

const callWith = (headers: Record<string, string>) => fetch(`${site.origin()}/v1/me`, { headers });
const statusOf = async (token: string) => (await callWith({ authorization: `Bearer ${token}` })).status;

/** The number of an application's refused token refreshes. */
async function refusedRefreshes(clientID: string): Promise<number> {
  const query = `select from security_events where kind = 'refresh_refused' and client_id = $1`;
  return (await site.pool().query(query, [clientID])).rowCount!;
}

const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

/** The number of refused sign-ins. */
async function refusedSignIns(): Promise<number> {
  return (await site.pool().query(`select from security_events where kind = 'sign_in_refused'`)).rowCount!;
}

describe('asking for authorization', () => {
  test.each([
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['with a method that there is not', { code_challenge_method: 'S512' }, 'invalid_request'],
    ['for a scope that there is not', { scope: 'service:root' }, 'invalid_scope'],
    ['for a resource that there is not', { resource: 'https://elsewhere.example/v1' }, 'invalid_target'],
    ['for a token at once', { response_type: 'token' }, 'unsupported_response_type'],
  ])('%s is refused', async (_name, changes, error) => {
    const { url, state } = await client.authorizationRequest('service:read', changes);
    const answer = await browser.authorize(url, { user, accept: true });
    // A request for an immediate token is answered in the fragment.
    const parameters = new URLSearchParams(`${answer.search.slice(1)}&${answer.hash.slice(1)}`);
    expect([parameters.get('error'), parameters.get('code'), parameters.get('access_token')]).toEqual([
      error,
      null,
      null,
    ]);
    if (answer.href.startsWith(client.redirectURI))
      expect([parameters.get('state'), parameters.get('iss')]).toEqual([state, site.origin()]);
  });

  test.each([
    ['another path', 'https://app.example.com/other'],
    ['a longer path', `${webRedirect}/more`],
    ['a query', `${webRedirect}?next=1`],
    ['another port', 'https://app.example.com:8443/callback'],
    ['another scheme', 'http://app.example.com/callback'],
    ['another host', 'https://app.example.com.evil.example/callback'],
    ['a name and password in it', 'https://app.example.com@evil.example/callback'],
    ['none', ''],
  ])('with the user to be sent to %s never sends anybody there', async (_name, redirectURI) => {
    const { url } = await webClient.authorizationRequest('service:read', { redirect_uri: redirectURI });
    const answer = await browser.authorize(url, { user, accept: true });
    expect(answer.origin).toBe(site.origin());
    expect(answer.searchParams.get('code')).toBeNull();
  });

  test('for no scope means to read, and nothing else', async () => {
    const { url } = await (await registerClient(site.origin())).authorizationRequest('', { scope: undefined });
    await browser.signIn(user);
    expect((await browser.visit(url)).searchParams.get('scope')).toBe('service:read offline_access');
  });

  test('by a form is refused', async () => {
    const { url } = await client.authorizationRequest('service:read');
    expect((await fetch(url.origin + url.pathname, { method: 'POST', body: url.searchParams })).status).toBe(405);
  });

  test('with more scopes than the consent page was signed for is refused', async () => {
    const { url } = await client.authorizationRequest('service:read service:write');
    const fresh = browserSession(site.origin);
    await fresh.signIn(user);
    const { searchParams: query } = await fresh.visit(url);
    query.set('scope', 'service:read service:write service:destructive');
    expect(await fresh.post('/api/auth/oauth2/consent', { accept: true, oauth_query: query.toString() })).toMatchObject(
      { status: 400, body: { error: 'invalid_signature' } },
    );
  });

  test('that the user denies gives the application an error, and no code', async () => {
    const { url, state } = await webClient.authorizationRequest('service:read');
    const answer = await browser.authorize(url, { user, accept: false });
    expect(Object.fromEntries(answer.searchParams)).toMatchObject({
      error: 'access_denied',
      state,
      iss: site.origin(),
    });
    expect(answer.searchParams.get('code')).toBeNull();
  });
});

describe('registering an application', () => {
  test.each([
    ['javascript:alert(1)'],
    ['data:text/html,x'],
    ['http://app.example.com/callback'],
    ['https://app.example.com/callback#fragment'],
  ])('with the redirect address %s is refused', async (redirectURI) => {
    await expect(registerClient(site.origin(), { redirect_uris: [redirectURI] })).rejects.toThrow('answered 400');
  });

  test('with an address that we would call registers without it', async () => {
    const calls = vi.spyOn(globalThis, 'fetch');
    const curious = await registerClient(site.origin(), {
      backchannel_logout_uri: 'https://foo.internal/',
      backchannel_logout_session_required: true,
    });
    const through = browserSession(site.origin);
    const { url, verifier } = await curious.authorizationRequest('openid service:read');
    const callback = await through.authorize(url, { user, accept: true });
    expect((await curious.exchange(callback.searchParams.get('code')!, verifier)).status).toBe(200);
    expect((await through.post('/api/auth/sign-out')).status).toBe(200);
    const called = calls.mock.calls.map(([target]) => new URL(target instanceof Request ? target.url : target).origin);
    calls.mockRestore();
    expect(new Set(called)).toEqual(new Set([site.origin()]));
    const metadata = await (await fetch(`${site.origin()}/.well-known/openid-configuration`)).json();
    expect(metadata).toMatchObject({ backchannel_logout_supported: false });
    const keysElsewhere = {
      jwks_uri: 'https://foo.internal/keys',
      token_endpoint_auth_method: 'private_key_jwt',
      redirect_uris: [webRedirect],
    };
    await expect(registerClient(site.origin(), keysElsewhere)).rejects.toThrow('answered 400');
  });

  test('with a list that is nested deeply is refused, and no failure of ours', async () => {
    const answer = await fetch(`${site.origin()}/api/auth/oauth2/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"client_name":"Deep","redirect_uris":${deep(20_000)}}`,
    });
    expect([answer.status, (await answer.json()).error]).toEqual([400, 'invalid_client_metadata']);
  });

  test('with more metadata than we keep is refused', async () => {
    await expect(registerClient(site.origin(), { client_name: 'x'.repeat(5000) })).rejects.toThrow(
      'The metadata of an application may have at most 4096 bytes.',
    );
  });

  test('stores no metadata that nothing reads', async () => {
    const unread = {
      contacts: ['x'.repeat(5000)],
      software_statement: 'x'.repeat(5000),
      tos_uri: 'https://example.com',
    };
    const { clientID } = await registerClient(site.origin(), unread);
    const query = 'select contacts, software_statement, tos from oauth_clients where client_id = $1';
    const { rows } = await site.pool().query(query, [clientID]);
    expect(rows).toEqual([{ contacts: null, software_statement: null, tos: null }]);
  });

  test('without consent and PKCE does not do without them', async () => {
    const greedy = await registerClient(site.origin(), { skip_consent: true, require_pkce: false }).catch(() => null);
    if (!greedy) return;
    const { url } = await greedy.authorizationRequest('service:read');
    expect((await browser.visit(url)).pathname).not.toBe('/callback');
    const { url: withoutPKCE } = await greedy.authorizationRequest('service:read', {
      code_challenge: undefined,
      code_challenge_method: undefined,
    });
    expect((await browser.authorize(withoutPKCE, { user, accept: true })).searchParams.get('error')).toBe(
      'invalid_request',
    );
  });
});

describe('a sign-up', () => {
  test.each([
    ['name', { name: 'x'.repeat(256) }],
    ['image', { image: `https://example.com/${'x'.repeat(2048)}` }],
    ['email', { email: `${'x'.repeat(60)}@${'example.'.repeat(30)}com` }],
  ])('with a long %s is refused, and stores nothing', async (name, text) => {
    const texts = { name: 'Long', email: 'long@example.com', password: 'a long enough password', ...text };
    const answer = await browserSession(site.origin).post('/api/auth/sign-up/email', texts);
    expect(answer).toMatchObject({
      status: 400,
      body: {
        code: `${name.toUpperCase()}_TOO_LONG`,
        message: expect.stringContaining(`The ${name} may have at most`),
      },
    });
    expect((await site.pool().query('select from users where email = $1', [texts.email])).rowCount).toBe(0);
  });
});

describe('a sign-in', () => {
  test.each([
    ['an address that is no text', '{"email":{"toString":1},"password":"x"}'],
    ['no object', '[]'],
    ['an address that is nested deeply', `{"email":${deep(5000)},"password":"x"}`],
    ['a password that is nested deeply', `{"email":"a@example.com","password":${deep(5000)}}`],
    ['more that is nested deeply', `{"email":"a@example.com","password":"x","more":${deep(20_000)}}`],
  ])('with %s is refused, and written down', async (_name, body) => {
    const before = await refusedSignIns();
    const failuresBefore = site.logged.length;
    const answer = await fetch(`${site.origin()}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: site.origin() },
      body,
    });
    expect([400, 401]).toContain(answer.status);
    expect(await answer.json()).toMatchObject({ message: expect.any(String) });
    expect(await refusedSignIns()).toBe(before + 1);
    expect(site.logged.slice(failuresBefore).join()).not.toContain('auth_failed');
  });
});

describe('trading a code', () => {
  test.each([
    ['with an altered verifier', { code_verifier: 'x'.repeat(43) }],
    ['with another redirect address', { redirect_uri: 'http://127.0.0.1:9/other' }],
  ])('%s is refused', async (_name, changes) => {
    const { code, verifier } = await codeFor(client);
    expect(await client.exchange(code, verifier, changes)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
  });

  test('without its verifier is refused', async () => {
    const { code } = await codeFor(client);
    expect(
      await client.token({ grant_type: 'authorization_code', code, redirect_uri: client.redirectURI }),
    ).toMatchObject({ status: 400, body: { error: expect.stringMatching(/^invalid_/) } });
  });

  test('that another application was given is refused', async () => {
    const { code, verifier } = await codeFor(client);
    const thief = await registerClient(site.origin());
    expect(await thief.exchange(code, verifier)).toMatchObject({
      body: { error: expect.stringMatching(/^invalid_(grant|client)$/) },
    });
  });

  test('twice is refused, and ends the tokens of the first time', async () => {
    const { code, verifier } = await codeFor(client);
    const first = await client.exchange(code, verifier);
    expect(first.status).toBe(200);
    expect(await client.exchange(code, verifier)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await client.refresh(first.body.refresh_token)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
  });
});

describe('refreshing', () => {
  test('with a token that was used before is refused, and ends the token that took its place', async () => {
    const { refresh_token: first } = await tokensFor(client);
    const second = await client.refresh(first);
    expect(second.status).toBe(200);
    expect(await client.refresh(first)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await client.refresh(second.body.refresh_token)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
    expect(await refusedRefreshes(client.clientID)).toBeGreaterThan(0);
  });

  test('as an application that there is not is refused, and stores nothing', async () => {
    const form = { grant_type: 'refresh_token', refresh_token: 'unknown', client_id: 'x'.repeat(60_000) };
    const answer = await client.token(form);
    expect([answer.status, answer.body.error]).toEqual([expect.any(Number), expect.stringMatching(/^invalid_/)]);
    expect(await refusedRefreshes(form.client_id)).toBe(0);
  });

  test('for more scopes than were granted is refused', async () => {
    const { refresh_token: token } = await tokensFor(client);
    expect(await client.refresh(token, { scope: 'service:read service:destructive' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope' },
    });
  });

  test('with the token of another application is refused', async () => {
    const { refresh_token: token } = await tokensFor(client);
    const thief = await registerClient(site.origin());
    expect((await thief.refresh(token)).body.error).toMatch(/^invalid_(grant|client)$/);
  });
});

describe('an access token', () => {
  let claims: JWTPayload;
  let privateKey: Awaited<ReturnType<typeof importJWK>>;
  let publicKey: CryptoKey;
  let kid: string;
  const nowSeconds = Math.floor(Date.now() / 1000);
  beforeAll(async () => {
    const [key] = await keysForSigning(site.pool(), site.sealer(), new Date());
    kid = key!.id;
    privateKey = await importJWK(JSON.parse(key!.privateKey), 'ES256');
    publicKey = (await importJWK(JSON.parse(key!.publicKey), 'ES256', { extractable: true })) as CryptoKey;
    claims = {
      iss: site.origin(),
      aud: `${site.origin()}/v1`,
      sub: user.id,
      azp: client.clientID,
      scope: 'service:read',
      iat: nowSeconds,
      exp: nowSeconds + 900,
      jti: 'forged',
    };
  });
  const sign = (payload: JWTPayload, header: Record<string, unknown> = {}) =>
    new SignJWT(payload).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...header }).sign(privateKey);

  test('as it should be opens the API', async () => {
    expect(await statusOf(await sign(claims))).toBe(200);
    expect(await statusOf(await sign({ ...claims, aud: [`${site.origin()}/`, 'https://elsewhere.example'] }))).toBe(
      200,
    );
  });

  test.each<[string, (c: JWTPayload) => JWTPayload]>([
    ['of another issuer', (c) => ({ ...c, iss: 'https://elsewhere.example' })],
    ['without an issuer', ({ iss: _iss, ...c }) => c],
    ['for another resource', (c) => ({ ...c, aud: 'https://elsewhere.example/v1' })],
    ['for another part of the API', (c) => ({ ...c, aud: `${site.origin()}/mcp` })],
    ['without an audience', ({ aud: _aud, ...c }) => c],
    ['that has expired', (c) => ({ ...c, exp: nowSeconds - 6 })],
    ['that never expires', ({ exp: _exp, ...c }) => c],
    ['that is not valid yet', (c) => ({ ...c, nbf: nowSeconds + 60 })],
    ['of nobody', ({ sub: _sub, ...c }) => c],
    ['of no application', ({ azp: _azp, ...c }) => c],
    ['without scopes', ({ scope: _scope, ...c }) => c],
  ])('%s is refused', async (_name, change) => {
    expect(await statusOf(await sign(change(claims)))).toBe(401);
  });

  test('without a signature (alg: none) is refused', async () => {
    expect(await statusOf(new UnsecuredJWT(claims).encode())).toBe(401);
  });

  test('signed with the public key as a shared secret (HS256) is refused', async () => {
    const secret = new TextEncoder().encode(await exportSPKI(publicKey));
    expect(
      await statusOf(await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid }).sign(secret)),
    ).toBe(401);
  });

  test('signed with a key of the attacker’s is refused, whatever key it names or brings', async () => {
    const own = await generateKeyPair('ES256', { extractable: true });
    for (const header of [{ kid }, { kid: 'unknown' }, {}]) {
      expect(
        await statusOf(
          await new SignJWT(claims)
            .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', ...header, jku: 'https://elsewhere.example/jwks' })
            .sign(own.privateKey),
        ),
      ).toBe(401);
    }
  });

  test('of another kind, such as an ID token, is refused', async () => {
    expect(await statusOf(await sign(claims, { typ: 'JWT' }))).toBe(401);
  });

  test('with one altered character is refused', async () => {
    const [header, payload, signature = ''] = (await sign(claims)).split('.');
    expect(await statusOf(`${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`)).toBe(
      401,
    );
  });

  test.each([
    ['a word', 'nonsense'],
    ['nothing', ''],
    ['a key', 'lss_0123456789'],
    ['two dots', '..'],
    ['much', 'x'.repeat(10_000)],
  ])('that is %s is refused', async (_name, token) => {
    expect(await statusOf(token)).toBe(401);
  });

  test('is refused in the place of a key, as a key is in its place, and both at once are', async () => {
    await browser.signIn(user);
    const { body } = await browser.post('/api/auth/account/api-keys/create', { name: 'test' });
    const token = await sign(claims);
    expect((await callWith({ 'x-api-key': body.key })).status).toBe(200);
    expect((await callWith({ 'x-api-key': token })).status).toBe(401);
    expect((await callWith({ authorization: `Bearer ${body.key}` })).status).toBe(401);
    const both = await callWith({ 'x-api-key': body.key, authorization: `Bearer ${token}` });
    expect([both.status, await both.json()]).toMatchObject([401, { detail: 'Send one credential, not two.' }]);
  });
});

describe('a session', () => {
  test('that somebody else planted before the sign-in is replaced by it', async () => {
    const victim = browserSession(site.origin);
    const { headers } = await victim.post('/api/auth/sign-in/email', user, {
      cookie: 'loop.session_token=planted.signature',
    });
    const cookie = headers.getSetCookie().find((line) => line.startsWith('loop.session_token=')) ?? '';
    expect(cookie).not.toContain('planted');
    expect(cookie).toMatch(/HttpOnly/i);
    expect(cookie).toMatch(/SameSite=Lax/i);
    expect(
      (
        await fetch(`${site.origin()}/api/auth/account/api-keys`, {
          headers: { cookie: 'loop.session_token=planted.signature' },
        })
      ).status,
    ).toBe(401);
  });

  test('opens nothing of the API by itself', async () => {
    await browser.signIn(user);
    expect((await callWith({ cookie: browser.cookies() })).status).toBe(401);
  });

  test.each([
    ['another site', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
    ['a form on another site', { origin: 'https://evil.example', 'content-type': 'text/plain' }],
  ])('cannot be used by %s', async (_name, headers) => {
    await browser.signIn(user);
    for (const [path, body] of [
      ['/account/api-keys/create', { name: 'stolen' }],
      ['/update-user', { name: 'stolen' }],
      ['/sign-out', {}],
    ] as const) {
      expect((await browser.post(`/api/auth${path}`, body, headers)).status).toBeGreaterThanOrEqual(400);
    }
    const { body } = await browser.get('/api/auth/account/api-keys');
    expect(body.data.map(({ name }: { name: string }) => name)).not.toContain('stolen');
  });
});

describe('a redirect through our pages', () => {
  const elsewhere = ['https://evil.example/', '//evil.example/', String.raw`/\evil.example`, 'javascript:alert(1)'];
  test.concurrent.each(elsewhere)('to %s is refused wherever an address is taken', async (address) => {
    const stranger = browserSession(site.origin);
    expect((await stranger.post('/api/auth/sign-in/email', { ...user, callbackURL: address })).status).toBe(403);
    expect(
      (await stranger.post('/api/auth/request-password-reset', { email: user.email, redirectTo: address })).status,
    ).toBe(403);
    expect(
      (
        await stranger.post('/api/auth/sign-up/email', {
          name: 'x',
          email: 'x@example.com',
          password: 'long enough password',
          callbackURL: address,
        })
      ).status,
    ).toBe(403);
    const followed = await fetch(
      `${site.origin()}/api/auth/verify-email?token=x&callbackURL=${encodeURIComponent(address)}`,
      { redirect: 'manual' },
    );
    expect([followed.status, followed.headers.get('location')]).toEqual([403, null]);
  });
});
