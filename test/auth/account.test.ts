// Users' management of keys, applications and sessions; events that end access, and their speed; and privacy.
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { all } from '../../lambda/data/shared/queryable.ts';
import { browserSession } from '../support/browser-session.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { registerClient } from '../support/oauth.ts';
import type { TestClient } from '../support/oauth.ts';
import { testSite } from '../support/site.ts';
import { confirmAddress, deleteUser, disableUser, expireKey } from '../support/stored-credentials.ts';

// Password hashing is deliberately slow.
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

const callWith = (headers: Record<string, string>, method = 'GET', path = '/me', body?: object) =>
  fetch(`${site.origin()}/v1${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
const statusOf = async (accessToken: string) => (await callWith({ authorization: `Bearer ${accessToken}` })).status;
const makeKey = async (settings: Record<string, unknown> = {}, by = browser) =>
  (await by.post('/api/auth/account/api-keys/create', { name: 'script', ...settings })).body;

/** Lets a user authorize an application, which then has tokens. */
async function connect(
  application: TestClient,
  as: User,
  through: BrowserSession,
): Promise<{ access_token: string; refresh_token: string }> {
  const { url, verifier } = await application.authorizationRequest('service:read');
  const callback = await through.authorize(url, { user: as, accept: true });
  return (await application.exchange(callback.searchParams.get('code')!, verifier)).body;
}

/** A key with all its columns. */
const storedKey = (id: string) => all(site.pool(), 'select to_jsonb(k) as row from api_keys k where id = $1', [id]);

/** The statements that the pool runs during some work. */
async function statementsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const queries = vi.spyOn(site.pool(), 'query');
  await work();
  const statements = queries.mock.calls.map(([statement]) => statement);
  queries.mockRestore();
  return statements;
}

describe('an API key', () => {
  test('is shown once, and stored as a hash', async () => {
    const { key, id } = await makeKey();
    expect(key).toMatch(/^lss_[\w-]{43}$/);
    expect(JSON.stringify((await browser.get('/api/auth/account/api-keys')).body)).not.toContain(key);
    expect(JSON.stringify(await storedKey(id))).not.toContain(key.slice(10));
  });

  test('can do everything, or only what its scopes grant', async () => {
    const [full, limited] = [await makeKey(), await makeKey({ scopes: ['service:read'] })];
    expect((await callWith({ 'x-api-key': limited.key })).status).toBe(200);
    const refused = await callWith({ 'x-api-key': limited.key }, 'POST', '/streams');
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      403,
      expect.stringContaining('error="insufficient_scope", scope="service:write"'),
    ]);
    expect((await callWith({ 'x-api-key': full.key }, 'POST', '/streams')).status).toBe(422);
  });

  test('costs one statement, but once a minute another that notes its use', async () => {
    const { key } = await makeKey();
    await callWith({ 'x-api-key': key });
    const statements = await statementsDuring(() => callWith({ 'x-api-key': key }));
    expect(statements.filter((statement) => statement.includes('api_keys'))).toHaveLength(1);
  });

  test('shows when it was used, and opens nothing once it is revoked or has expired', async () => {
    const [revoked, expired] = [
      await makeKey({ name: 'revoked' }),
      await makeKey({ name: 'expired', expiresInDays: 1 }),
    ];
    for (const { key } of [revoked, expired]) expect((await callWith({ 'x-api-key': key })).status).toBe(200);
    const { data } = (await browser.get('/api/auth/account/api-keys')).body;
    expect(data.find(({ id }: { id: string }) => id === revoked.id).lastUsedAt).toBeTruthy();
    await browser.post('/api/auth/account/api-keys/revoke', { id: revoked.id });
    await expireKey(site, expired.id);
    for (const { key } of [revoked, expired]) expect((await callWith({ 'x-api-key': key })).status).toBe(401);
  });

  test('can be revoked only by its owner', async () => {
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
  ])('cannot be made with %j', async (settings) => {
    expect((await browser.post('/api/auth/account/api-keys/create', settings)).status).toBe(400);
  });

  test('cannot make another key, and neither can an access token', async () => {
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

/** Makes the last use of applications this many days old, and their registration older. */
const letApplicationsAge = (clientIDs: readonly string[], days: number) =>
  site
    .pool()
    .query('update oauth_clients set updated_at = now() - make_interval(days => $2) where client_id = any($1)', [
      clientIDs,
      days,
    ]);

/** Moves all times of applications into the past. */
const letRegistrationsAge = (clientIDs: readonly string[], days: number) =>
  site.pool().query(
    `update oauth_clients set created_at = created_at - make_interval(days => $2),
       updated_at = updated_at - make_interval(days => $2)
     where client_id = any($1)`,
    [clientIDs, days],
  );

/** The applications among these that still exist. */
async function knownOf(clientIDs: readonly string[]): Promise<string[]> {
  const query = 'select client_id from oauth_clients where client_id = any($1)';
  const rows = await all<{ client_id: string }>(site.pool(), query, [clientIDs]);
  return rows.map((row) => row.client_id);
}

const endConsent = (clientID: string) =>
  site.pool().query('delete from oauth_consents where client_id = $1', [clientID]);
const refreshTokensOf = (clientID: string) =>
  all(site.pool(), 'select id from oauth_refresh_tokens where client_id = $1', [clientID]);

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

  test('that is disconnected loses its refresh token at once and its access token within a minute', async () => {
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

  test('is shown with the scopes of tokens that still work, after a consent to fewer', async () => {
    const application = await registerClient(site.origin());
    const agree = async (scope: string) => {
      const { url, verifier } = await application.authorizationRequest(scope, { prompt: 'consent' });
      const callback = await browser.authorize(url, { user, accept: true });
      return (await application.exchange(callback.searchParams.get('code')!, verifier)).body;
    };
    const shown = async () =>
      (await browser.get('/api/auth/account/applications')).body.data.find(
        ({ clientID }: { clientID: string }) => clientID === application.clientID,
      ).scopes;
    const { refresh_token: earlier } = await agree('service:read service:write');
    await agree('service:read');
    expect(await shown()).toEqual(['offline_access', 'service:read', 'service:write']);
    const { refresh_token: rotated, scope } = (await application.refresh(earlier)).body;
    expect(scope).toContain('service:write');
    expect(await shown()).toEqual(['offline_access', 'service:read', 'service:write']);
    await fetch(`${site.origin()}/api/auth/oauth2/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token: rotated, client_id: application.clientID }),
    });
    expect(await shown()).toEqual(['offline_access', 'service:read']);
  });

  test('that is disconnected has no use for a code that it kept', async () => {
    const application = await registerClient(site.origin());
    await connect(application, user, browser);
    const { url, verifier } = await application.authorizationRequest('service:read');
    const code = (await browser.visit(url)).searchParams.get('code')!;
    const disconnect = () =>
      browser.post('/api/auth/account/applications/disconnect', { clientID: application.clientID });
    expect((await disconnect()).status).toBe(200);
    expect(await application.exchange(code, verifier)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await disconnect()).status).toBe(404);
  });

  test('that is disconnected while it trades a code or a refresh token keeps nothing of it', async () => {
    const application = await registerClient(site.origin());
    const tokens = await connect(application, user, browser);
    const { url, verifier } = await application.authorizationRequest('service:read');
    const code = (await browser.visit(url)).searchParams.get('code')!;
    await endConsent(application.clientID);
    expect((await application.exchange(code, verifier)).body.error).toBe('invalid_grant');
    expect((await application.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant');
    expect(await refreshTokensOf(application.clientID)).toEqual([]);
  });

  test('can give back its own access token, and not that of another', async () => {
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

  test('that does not ask for refresh tokens gets none', async () => {
    const application = await registerClient(site.origin(), { grant_types: ['authorization_code'] });
    expect(await connect(application, user, browser)).not.toHaveProperty('refresh_token');
  });

  test('that nobody has agreed to for a week is forgotten, and no other', async () => {
    const [unused, used] = [await registerClient(site.origin()), await registerClient(site.origin())];
    await connect(used, user, browser);
    await letApplicationsAge([unused.clientID, used.clientID], 8);
    await databaseOn(site.pool()).expiredCredentials.delete();
    expect(await knownOf([unused.clientID, used.clientID])).toEqual([used.clientID]);
  });
});

test('an application that never had a consent is forgotten after a day, one that had is not', async () => {
  const [unused, left] = [await registerClient(site.origin()), await registerClient(site.origin())];
  await connect(left, user, browser);
  await browser.post('/api/auth/account/applications/disconnect', { clientID: left.clientID });
  await letRegistrationsAge([unused.clientID, left.clientID], 2);
  await databaseOn(site.pool()).expiredCredentials.delete();
  expect(await knownOf([unused.clientID, left.clientID])).toEqual([left.clientID]);
});

describe('a user', () => {
  test('who is disabled has no key and no session any more, no token after a minute, and cannot sign in', async () => {
    const [person, through] = [await site.user(), browserSession(site.origin)];
    await through.signIn(person);
    const { key } = await makeKey({}, through);
    const application = await registerClient(site.origin());
    const tokens = await connect(application, person, through);
    expect(await statusOf(tokens.access_token)).toBe(200);
    await disableUser(site, person.id);
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

  test('who is deleted has no key any more, and no token after a minute', async () => {
    const [person, through] = [await site.user(), browserSession(site.origin)];
    await through.signIn(person);
    const { key } = await makeKey({}, through);
    const { access_token: token } = await connect(await registerClient(site.origin()), person, through);
    await deleteUser(site, person.id);
    expect((await callWith({ 'x-api-key': key })).status).toBe(401);
    site.advance(60);
    expect(await statusOf(token)).toBe(401);
  });
});

/** The security events of the user with an address, in order, with their origins. */
const eventsOf = (email: string) =>
  all(
    site.pool(),
    `select kind, address from security_events e join users u on u.id = user_id
     where email = $1 order by seq`,
    [email],
  );

describe('a stranger', () => {
  test('does not learn who has an account by signing up, signing in or asking for a new password', async () => {
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

  test('cannot sign in before the address is confirmed', async () => {
    const stranger = browserSession(site.origin);
    const early = { email: 'early@example.com', password: 'a long enough password' };
    await stranger.post('/api/auth/sign-up/email', { name: 'Early', ...early });
    expect(await stranger.post('/api/auth/sign-in/email', early)).toMatchObject({
      status: 403,
      body: { code: 'EMAIL_NOT_VERIFIED' },
    });
    expect(await eventsOf(early.email)).toEqual([
      { kind: 'signed_up', address: '127.0.0.1' },
      { kind: 'sign_in_refused', address: '127.0.0.1' },
    ]);
  });
});

describe('an account whose address is not confirmed', () => {
  const signUp = async (name: string) => {
    const email = `${name}@example.com`;
    await browserSession(site.origin).post('/api/auth/sign-up/email', { name, email, password: 'a long password' });
    const [{ id }] = (await all<{ id: string }>(site.pool(), 'select id from users where email = $1', [email])) as [
      { id: string },
    ];
    return id;
  };
  const letAccountAge = (id: string, days: number) =>
    site.pool().query('update users set created_at = now() - make_interval(days => $2) where id = $1', [id, days]);
  const existing = async (ids: readonly string[]) =>
    (await all<{ id: string }>(site.pool(), 'select id from users where id = any($1) order by id', [ids])).map(
      ({ id }) => id,
    );

  test('is deleted after a week, unless something belongs to it', async () => {
    const abandoned = await signUp('abandoned');
    const [fresh, owner, confirmed] = [await signUp('fresh'), await signUp('owner'), await signUp('confirmed')];
    await confirmAddress(site, confirmed, 'confirmed@example.com');
    await site.pool().query(
      `insert into api_keys (id, user_id, name, key_sha256, key_start)
         values ('key_owner', $1, 'script', '\\x01', '')`,
      [owner],
    );
    for (const id of [abandoned, owner, confirmed]) await letAccountAge(id, 8);
    await letAccountAge(fresh, 6);
    await databaseOn(site.pool()).expiredCredentials.delete();
    expect(await existing([abandoned, fresh, owner, confirmed])).toEqual([fresh, owner, confirmed].sort());
  });
});

test('events that belong to no user are forgotten after a day', async () => {
  await browserSession(site.origin).post('/api/auth/sign-in/email', {
    email: 'no@example.com',
    password: 'a long one',
  });
  const ownerless = () => all(site.pool(), 'select kind from security_events where user_id is null');
  await databaseOn(site.pool()).expiredCredentials.delete();
  expect(await ownerless()).toContainEqual({ kind: 'sign_in_refused' });
  await site.pool().query(`update security_events set at = now() - interval '25 hours' where user_id is null`);
  await databaseOn(site.pool()).expiredCredentials.delete();
  expect(await ownerless()).toEqual([]);
});

const storeEventOfTwoYearsAgo = () =>
  site.pool().query(`insert into security_events (kind, at) values ('sign_in_refused', now() - interval '2 years')`);
const oldEvents = () => all(site.pool(), `select kind from security_events where at < now() - interval '1 year'`);
const expireSessionsOfOthers = (userID: string) =>
  site.pool().query(`update auth_sessions set expires_at = now() - interval '1 second' where user_id <> $1`, [userID]);
const sessionsOfOthers = (userID: string) =>
  all(site.pool(), 'select user_id from auth_sessions where user_id <> $1', [userID]);

describe('sessions', () => {
  test('of a user are the latest hundred: a sign-in ends the one that was used longest ago', async () => {
    const [person, bystander] = [await site.user(), await site.user()];
    const [first, used] = [browserSession(site.origin), browserSession(site.origin)];
    for (const session of [first, used]) await session.signIn(person);
    await browserSession(site.origin).signIn(bystander);
    await site.pool().query(
      `insert into auth_sessions (id, user_id, token, expires_at, created_at, updated_at)
       select 'ses_old_' || n, $1, 'old ' || n, now() + interval '1 day', day, day
       from generate_series(1, 98) n, lateral (select now() - make_interval(days => 20, mins => n) as day) d`,
      [person.id],
    );
    expect((await used.get('/api/auth/account/sessions')).body.data).toHaveLength(100);
    await browserSession(site.origin).signIn(person);
    const ids = (await used.get('/api/auth/account/sessions')).body.data.map(({ id }: { id: string }) => id);
    expect(ids).toHaveLength(100);
    expect(ids).not.toContain('ses_old_98');
    expect((await first.get('/api/auth/account/sessions')).status).toBe(200);
    const ofBystander = await all(site.pool(), 'select from auth_sessions where user_id = $1', [bystander.id]);
    expect(ofBystander).toHaveLength(1);
  });
});

describe('security events', () => {
  test('are written down, and shown to their user only', async () => {
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

  test('of more than a year ago are forgotten, and so are sessions that have expired', async () => {
    await storeEventOfTwoYearsAgo();
    await expireSessionsOfOthers(user.id);
    await databaseOn(site.pool()).expiredCredentials.delete();
    expect(await oldEvents()).toEqual([]);
    expect(await sessionsOfOthers(user.id)).toEqual([]);
  });
});
