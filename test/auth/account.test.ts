// What people manage: keys, applications, sessions; what ends access, and how fast; what strangers learn; what is written down.
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { browserSession } from '../support/browser-session.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { registerClient } from '../support/oauth.ts';
import type { TestClient } from '../support/oauth.ts';
import { testSite } from '../support/site.ts';

// Passwords are hashed slowly, on purpose.
vi.setConfig({ testTimeout: 30_000 });

const site = testSite();
type User = Awaited<ReturnType<typeof site.user>>;
let user: User;
let browser: BrowserSession;
beforeAll(async () => {
  user = await site.user();
  browser = browserSession(site.origin);
  await browser.signIn(user);
});

const callWith = (headers: Record<string, string>, method = 'GET', path = '/me') =>
  fetch(`${site.origin()}/v1${path}`, { method, headers });
const statusOf = async (accessToken: string) => (await callWith({ authorization: `Bearer ${accessToken}` })).status;
const makeKey = async (settings: Record<string, unknown> = {}, by = browser) =>
  (await by.post('/api/auth/account/api-keys/create', { name: 'script', ...settings })).body;

async function connect(
  application: TestClient,
  as: User,
  through: BrowserSession,
): Promise<{ access_token: string; refresh_token: string }> {
  const { url, verifier } = await application.authorizationRequest('service:read');
  const callback = await through.authorize(url, { user: as, accept: true });
  return (await application.exchange(callback.searchParams.get('code')!, verifier)).body;
}

describe('an API key', () => {
  test('is shown once, and stored as a hash', async () => {
    const { key, id } = await makeKey();
    expect(key).toMatch(/^lss_[\w-]{43}$/);
    expect(JSON.stringify((await browser.get('/api/auth/account/api-keys')).body)).not.toContain(key);
    const { rows } = await site.pool().query('select to_jsonb(k) as row from api_keys k where id = $1', [id]);
    expect(JSON.stringify(rows)).not.toContain(key.slice(10));
  });

  test('can do everything, or what its scopes grant', async () => {
    const [full, limited] = [await makeKey(), await makeKey({ scopes: ['service:read'] })];
    expect((await callWith({ 'x-api-key': limited.key })).status).toBe(200);
    const refused = await callWith({ 'x-api-key': limited.key }, 'POST', '/streams');
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      403,
      expect.stringContaining('error="insufficient_scope", scope="service:write"'),
    ]);
    expect((await callWith({ 'x-api-key': full.key }, 'POST', '/streams')).status).toBe(422);
  });

  test('costs one statement, but for once a minute', async () => {
    const { key } = await makeKey();
    await callWith({ 'x-api-key': key });
    const statements: unknown[] = [];
    const pool = site.pool();
    const query = pool.query.bind(pool);
    Object.assign(pool, { query: (...args: Parameters<typeof query>) => (statements.push(args[0]), query(...args)) });
    await callWith({ 'x-api-key': key });
    Object.assign(pool, { query });
    expect(statements.filter((statement) => String(statement).includes('api_keys'))).toHaveLength(1);
  });

  test('says when it was used, and ends when it is revoked or has expired', async () => {
    const [revoked, expired] = [
      await makeKey({ name: 'revoked' }),
      await makeKey({ name: 'expired', expiresInDays: 1 }),
    ];
    for (const { key } of [revoked, expired]) expect((await callWith({ 'x-api-key': key })).status).toBe(200);
    const { data } = (await browser.get('/api/auth/account/api-keys')).body;
    expect(data.find(({ id }: { id: string }) => id === revoked.id).lastUsedAt).toBeTruthy();
    await browser.post('/api/auth/account/api-keys/revoke', { id: revoked.id });
    await site.pool().query('update api_keys set expires_at = now() where id = $1', [expired.id]);
    for (const { key } of [revoked, expired]) expect((await callWith({ 'x-api-key': key })).status).toBe(401);
  });

  test('is its owner’s to revoke only', async () => {
    const { id, key } = await makeKey();
    const stranger = browserSession(site.origin);
    await stranger.signIn(await site.user());
    expect((await stranger.post('/api/auth/account/api-keys/revoke', { id })).status).toBe(404);
    expect((await callWith({ 'x-api-key': key })).status).toBe(200);
  });

  test.each([
    [{ name: '' }],
    [{ name: 'x', prefix: 'foo_' }],
    [{ name: 'x', scopes: ['service:root'] }],
    [{ name: 'x', expiresInDays: 0 }],
  ])('is not made of %j', async (settings) => {
    expect((await browser.post('/api/auth/account/api-keys/create', settings)).status).toBe(400);
  });

  test('makes no other key, and neither does an access token', async () => {
    const { key } = await makeKey();
    const { access_token: token } = await connect(await registerClient(site.origin()), user, browser);
    for (const headers of [{ 'x-api-key': key }, { authorization: `Bearer ${token}` }] as Record<string, string>[]) {
      const answer = await fetch(`${site.origin()}/api/auth/account/api-keys/create`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: site.origin(), ...headers },
        body: JSON.stringify({ name: 'more' }),
      });
      expect(answer.status).toBe(401);
    }
  });
});

describe('an application', () => {
  test('is agreed to once for its scopes, and again for more', async () => {
    const application = await registerClient(site.origin());
    await connect(application, user, browser);
    const visit = async (scope: string) => {
      const { url } = await application.authorizationRequest(scope);
      return browser.visit(url);
    };
    expect((await visit('service:read')).searchParams.get('code')).toBeTruthy();
    expect((await visit('service:read service:write')).pathname).toBe('/consent');
  });

  test('that is disconnected loses its refresh token at once and its access token within a minute; others keep theirs', async () => {
    const [gone, kept] = [await registerClient(site.origin()), await registerClient(site.origin())];
    const [goneTokens, keptTokens] = [await connect(gone, user, browser), await connect(kept, user, browser)];
    expect(await statusOf(goneTokens.access_token)).toBe(200);
    const { data } = (await browser.get('/api/auth/account/applications')).body;
    expect(data).toContainEqual(
      expect.objectContaining({
        clientID: gone.clientID,
        name: 'Test',
        scopes: expect.arrayContaining(['service:read']),
      }),
    );
    await browser.post('/api/auth/account/applications/disconnect', { clientID: gone.clientID });
    expect((await gone.refresh(goneTokens.refresh_token)).body.error).toBe('invalid_grant');
    site.advance(60);
    expect([await statusOf(goneTokens.access_token), await statusOf(keptTokens.access_token)]).toEqual([401, 200]);
  });

  test('gives its access token back', async () => {
    const application = await registerClient(site.origin());
    const { access_token: token } = await connect(application, user, browser);
    const revoke = (clientID: string) =>
      fetch(`${site.origin()}/api/auth/oauth2/revoke`, {
        method: 'POST',
        body: new URLSearchParams({ token, client_id: clientID }),
      });
    await revoke((await registerClient(site.origin())).clientID);
    site.advance(60);
    expect(await statusOf(token)).toBe(200);
    expect((await revoke(application.clientID)).status).toBe(200);
    site.advance(60);
    expect(await statusOf(token)).toBe(401);
  });

  test('that says nothing of refresh tokens gets none', async () => {
    const application = await registerClient(site.origin(), { grant_types: ['authorization_code'] });
    expect(await connect(application, user, browser)).not.toHaveProperty('refresh_token');
  });

  test('that nobody has agreed to for a week is forgotten; others are not', async () => {
    const [unused, used] = [await registerClient(site.origin()), await registerClient(site.origin())];
    await connect(used, user, browser);
    await site
      .pool()
      .query("update oauth_clients set updated_at = now() - interval '8 days' where client_id = any($1)", [
        [unused.clientID, used.clientID],
      ]);
    await databaseOn(site.pool()).expiredCredentials.delete();
    const { rows } = await site
      .pool()
      .query('select client_id from oauth_clients where client_id = any($1)', [[unused.clientID, used.clientID]]);
    expect(rows).toEqual([{ client_id: used.clientID }]);
  });
});

describe('somebody who is disabled', () => {
  test('has no key and no session from then on, no token after a minute, and cannot come back', async () => {
    const [person, through] = [await site.user(), browserSession(site.origin)];
    await through.signIn(person);
    const { key } = await makeKey({}, through);
    const application = await registerClient(site.origin());
    const tokens = await connect(application, person, through);
    expect(await statusOf(tokens.access_token)).toBe(200);
    await site.pool().query('update users set disabled_at = now() where id = $1', [person.id]);
    expect((await callWith({ 'x-api-key': key })).status).toBe(401);
    expect((await through.get('/api/auth/account/api-keys')).status).toBe(401);
    expect((await application.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant');
    expect(await through.post('/api/auth/sign-in/email', person)).toMatchObject({
      status: 403,
      body: { code: 'ACCOUNT_DISABLED' },
    });
    site.advance(60);
    expect(await statusOf(tokens.access_token)).toBe(401);
  });

  test('or deleted, likewise', async () => {
    const [person, through] = [await site.user(), browserSession(site.origin)];
    await through.signIn(person);
    const { key } = await makeKey({}, through);
    const { access_token: token } = await connect(await registerClient(site.origin()), person, through);
    // Only somebody without books can be deleted.
    await site.pool().query('delete from billing_accounts where user_id = $1', [person.id]);
    await site.pool().query('delete from users where id = $1', [person.id]);
    expect((await callWith({ 'x-api-key': key })).status).toBe(401);
    site.advance(60);
    expect(await statusOf(token)).toBe(401);
  });
});

describe('a stranger', () => {
  test('does not learn who has an account: not by signing up, signing in, or asking for a new password', async () => {
    const stranger = browserSession(site.origin);
    const signUp = (email: string) =>
      stranger.post('/api/auth/sign-up/email', { name: 'Somebody', email, password: 'a long enough password' });
    const [known, unknown] = [await signUp(user.email), await signUp('new@example.com')];
    const shapeOf = ({ status, body }: typeof known) => [status, Object.keys(body.user).sort(), body.token];
    expect(shapeOf(known)).toEqual(shapeOf(unknown));
    const answersOf = async (path: string, body: object) =>
      Promise.all(
        [user.email, 'nobody@example.com'].map(async (email) => (await stranger.post(path, { email, ...body })).body),
      );
    for (const [path, body] of [
      ['/api/auth/sign-in/email', { password: 'a wrong password' }],
      ['/api/auth/request-password-reset', { redirectTo: '/new-password' }],
      ['/api/auth/send-verification-email', {}],
    ] as const) {
      const [ofKnown, ofUnknown] = await answersOf(path, body);
      expect(ofKnown).toEqual(ofUnknown);
    }
    await expect
      .poll(() => site.mails.filter(({ to }) => to === user.email).map(({ subject }) => subject))
      .toContain('You have an account already');
  });

  test('does not get in before the address is confirmed', async () => {
    const stranger = browserSession(site.origin);
    await stranger.post('/api/auth/sign-up/email', {
      name: 'Early',
      email: 'early@example.com',
      password: 'a long enough password',
    });
    expect(
      await stranger.post('/api/auth/sign-in/email', {
        email: 'early@example.com',
        password: 'a long enough password',
      }),
    ).toMatchObject({ status: 403, body: { code: 'EMAIL_NOT_VERIFIED' } });
    const { rows } = await site
      .pool()
      .query(
        "select kind, address from security_events e join users u on u.id = user_id where email = 'early@example.com' order by seq",
      );
    expect(rows).toEqual([
      { kind: 'signed_up', address: '127.0.0.1' },
      { kind: 'sign_in_refused', address: '127.0.0.1' },
    ]);
  });
});

describe('what happened', () => {
  test('is written down, and shown to its owner only', async () => {
    const [person, through] = [await site.user(), browserSession(site.origin)];
    await through.post('/api/auth/sign-in/email', { ...person, password: 'a wrong password' });
    await through.signIn(person);
    const { id } = await makeKey({}, through);
    await through.post('/api/auth/account/api-keys/revoke', { id });
    const application = await registerClient(site.origin());
    await connect(application, person, through);
    await through.post('/api/auth/account/applications/disconnect', { clientID: application.clientID });
    const other = browserSession(site.origin);
    await other.signIn(person);
    const sessions = (await through.get('/api/auth/account/sessions')).body.data;
    expect(JSON.stringify(sessions)).not.toContain('token');
    await through.post('/api/auth/account/sessions/end', {
      id: sessions.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent).id,
    });
    expect((await other.get('/api/auth/account/sessions')).status).toBe(401);
    await through.post('/api/auth/change-password', {
      currentPassword: person.password,
      newPassword: 'another long password',
      revokeOtherSessions: true,
    });
    const { data } = (await through.get('/api/auth/account/security-events')).body;
    expect(data.map(({ kind }: { kind: string }) => kind).reverse()).toEqual(
      expect.arrayContaining([
        'sign_in_refused',
        'signed_in',
        'api_key_created',
        'api_key_revoked',
        'application_connected',
        'application_disconnected',
        'session_ended',
        'password_changed',
      ]),
    );
    expect(data[0]).toMatchObject({ address: '127.0.0.1' });
    expect(JSON.stringify((await browser.get('/api/auth/account/security-events')).body)).not.toContain(
      'password_changed',
    );
  });

  test('holds nobody back for long: what has expired goes', async () => {
    await site
      .pool()
      .query("insert into security_events (kind, at) values ('sign_in_refused', now() - interval '2 years')");
    await site
      .pool()
      .query("update auth_sessions set expires_at = now() - interval '1 second' where user_id <> $1", [user.id]);
    await databaseOn(site.pool()).expiredCredentials.delete();
    const { rows } = await site
      .pool()
      .query(
        "select (select count(*) from security_events where at < now() - interval '1 year') as events, (select count(*) from auth_sessions where user_id <> $1) as sessions",
        [user.id],
      );
    expect(rows).toEqual([{ events: 0, sessions: 0 }]);
  });
});
