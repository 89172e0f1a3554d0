// Sign-in of devices by a code (RFC 8628): the whole flow, and everything that a stranger could try.
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { one } from '../../lambda/data/shared/queryable.ts';
import { browserSession } from '../support/browser-session.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { registerClient } from '../support/oauth.ts';
import type { TestClient } from '../support/oauth.ts';
import { testSite } from '../support/site.ts';

// Password hashing is deliberately slow.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

const grant = 'urn:ietf:params:oauth:grant-type:device_code';
const deviceMetadata = { redirect_uris: undefined, response_types: [], grant_types: [grant, 'refresh_token'] };

describe('a device', () => {
  const site = testSite();
  let browser: BrowserSession;
  let other: BrowserSession;
  let user: Awaited<ReturnType<typeof site.user>>;
  let client: TestClient;
  beforeAll(async () => {
    [browser, other] = [browserSession(site.origin), browserSession(site.origin)];
    user = await site.user();
    await browser.signIn(user);
    await other.signIn(await site.user());
    client = await registerClient(site.origin(), deviceMetadata);
  });

  const ask = async (form: Record<string, string> = {}, headers: Record<string, string> = {}) => {
    const body = new URLSearchParams({ client_id: client.clientID, ...form });
    const response = await fetch(`${site.origin()}/api/auth/device/code`, { method: 'POST', body, headers });
    return { status: response.status, body: (await response.json()) as Record<string, any> };
  };
  const redeem = (code: string, more: Record<string, string> = {}) =>
    client.token({ grant_type: grant, device_code: code, ...more });
  const answer = (accept: boolean, userCode: string, by = browser) =>
    by.post('/api/auth/device/answer', { userCode, accept });
  const run = (sql: string, ...values: unknown[]) => site.pool().query(sql, values);
  const stored = (userCode: string) =>
    one<{ device_code: string; user_id: string | null; scope: string; resources: unknown }>(
      site.pool(),
      'select device_code, user_id, scope, resources from device_codes where user_code = $1',
      [userCode],
    );
  /** Redeems without the wait between two polls. */
  const redeemAtOnce = async (code: string) => {
    await run('update device_codes set last_polled_at = null');
    return redeem(code);
  };

  test('finds the endpoint in the metadata', async () => {
    const metadata = await (await fetch(`${site.origin()}/.well-known/oauth-authorization-server`)).json();
    expect(metadata.device_authorization_endpoint).toBe(`${site.origin()}/api/auth/device/code`);
    expect(metadata.grant_types_supported).toContain(grant);
  });

  test('that repeats a scope and a resource has them stored once', async () => {
    const body = new URLSearchParams({ client_id: client.clientID, scope: 'service:read '.repeat(2000) });
    for (let count = 0; count < 500; count++) body.append('resource', `${site.origin()}/v1`);
    const response = await fetch(`${site.origin()}/api/auth/device/code`, { method: 'POST', body });
    expect(response.status).toBe(200);
    expect(await stored((await response.json()).user_code)).toMatchObject({
      scope: 'service:read offline_access',
      resources: [`${site.origin()}/v1`],
    });
  });

  test('gets tokens of the user who confirms its code, once', async () => {
    const { status, body } = await ask({ scope: 'service:read service:write' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ verification_uri: `${site.origin()}/device`, expires_in: 600, interval: 5 });
    expect(body['user_code']).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(await redeem(body['device_code'])).toMatchObject({ status: 400, body: { error: 'authorization_pending' } });
    expect(await redeem(body['device_code'])).toMatchObject({ status: 400, body: { error: 'slow_down' } });

    const typed = body['user_code'].toLowerCase().replace('-', ' ');
    const shown = await browser.post('/api/auth/device/request', { userCode: typed });
    expect(shown.body).toMatchObject({
      userCode: body['user_code'],
      clientName: 'Test',
      scopes: ['service:read', 'service:write', 'offline_access'],
    });
    expect(await answer(true, typed)).toMatchObject({ status: 200, body: { accepted: true } });

    const tokens = await redeemAtOnce(body['device_code']);
    expect(tokens.status).toBe(200);
    const me = await fetch(`${site.origin()}/v1/me`, {
      headers: { authorization: `Bearer ${tokens.body.access_token}` },
    });
    expect(await me.json()).toMatchObject({ id: user.id });
    expect((await client.refresh(tokens.body.refresh_token)).status).toBe(200);
    expect(await redeem(body['device_code'])).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await answer(true, body['user_code'])).status).toBe(404);
    const { body: applications } = await browser.get('/api/auth/account/applications');
    expect(applications.data).toMatchObject([{ clientID: client.clientID, name: 'Test' }]);
  });

  test('gets nothing if the user refuses, or disconnects it first', async () => {
    const refused = (await ask()).body;
    expect((await answer(false, refused['user_code'])).body).toEqual({ accepted: false });
    expect((await redeem(refused['device_code'])).body.error).toBe('access_denied');
    const left = (await ask()).body;
    await answer(true, left['user_code']);
    await browser.post('/api/auth/account/applications/disconnect', { clientID: client.clientID });
    expect((await redeem(left['device_code'])).body.error).toBe('invalid_grant');
  });

  test('gets nothing once its code has expired', async () => {
    const { body } = await ask();
    await run(
      `update device_codes set expires_at = now() - interval '1 second' where user_code = $1`,
      body['user_code'],
    );
    expect((await answer(true, body['user_code'])).status).toBe(404);
    expect((await redeem(body['device_code'])).body.error).toBe('expired_token');
  });

  test('gets nothing for a user who is disabled after confirming', async () => {
    const [leaving, session] = [await site.user(), browserSession(site.origin)];
    await session.signIn(leaving);
    const { body } = await ask();
    expect((await answer(true, body['user_code'], session)).status).toBe(200);
    await run('update users set disabled_at = now() where id = $1', leaving.id);
    expect((await redeem(body['device_code'])).body.error).toBe('invalid_grant');
  });

  test('asks for read access to the REST API by default, and never names the user', async () => {
    const { body } = await ask({ user_id: user.id });
    expect(await stored(body['user_code'])).toMatchObject({
      user_id: null,
      scope: 'service:read offline_access',
      resources: [`${site.origin()}/v1`],
    });
  });

  test('is answered by the first user only, even if two answer at the same time', async () => {
    const { body } = await ask();
    const answers = await Promise.all([answer(true, body['user_code']), answer(true, body['user_code'], other)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404]);
  });

  test('redeems once, even if it redeems ten times at the same time', async () => {
    const { body } = await ask();
    await answer(true, body['user_code']);
    const all = await Promise.all(Array.from({ length: 10 }, () => redeem(body['device_code'])));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test.each([
    ['another client', { client_id: 'somebody' }],
    ['a code as it is stored', { device_code: 'stored' }],
    ['a code of somebody', { device_code: 'x.y' }],
    ['another resource', { resource: 'https://elsewhere.example' }],
  ] satisfies [string, Record<string, string>][])('gets nothing with %s', async (_, given) => {
    const more: Record<string, string> = given;
    const { body } = await ask();
    await answer(true, body['user_code']);
    const row = await stored(body['user_code']);
    const changes = more['device_code'] === 'stored' ? { device_code: row!.device_code } : more;
    expect((await redeem(body['device_code'], changes)).status).toBeGreaterThanOrEqual(400);
  });

  test.each([
    ['no client', { client_id: '' }],
    ['an unknown client', { client_id: 'nobody' }],
    ['an unknown scope', { scope: 'service:everything' }],
    ['an unknown resource', { resource: 'https://elsewhere.example' }],
  ])('is refused a code with %s', async (_, form) => {
    const { status, body } = await ask(form);
    expect(status).toBe(400);
    expect(body['error']).toMatch(/^invalid_(?:request|client|scope|target)$/);
  });

  test('may only ask with a form of bounded size', async () => {
    const url = `${site.origin()}/api/auth/device/code`;
    const json = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: client.clientID }),
    });
    expect(json.status).toBe(400);
    expect((await fetch(url)).status).toBe(400);
    expect((await ask({ scope: 'service:read '.repeat(10_000) })).status).toBe(413);
  });

  test('cannot use endpoints that would make sessions or confirm without our limits', async () => {
    const { body } = await ask();
    const paths = ['/device/token', '/device/approve', '/device/deny'];
    const bodies = { client_id: client.clientID, device_code: body['device_code'], userCode: body['user_code'] };
    const answers = await Promise.all(
      paths.map((path) => browser.post(`/api/auth${path}`, { ...bodies, grant_type: grant })),
    );
    const read = await browser.get(`/api/auth/device?user_code=${body['user_code']}`);
    expect([...answers, read].map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });

  test('is confirmed by a signed-in user on our page only', async () => {
    const { body } = await ask();
    const given = { userCode: body['user_code'], accept: true };
    expect((await browserSession(site.origin).post('/api/auth/device/answer', given)).status).toBe(401);
    const foreign = { origin: 'https://elsewhere.example' };
    expect((await browser.post('/api/auth/device/answer', given, foreign)).status).toBe(403);
    for (const wrong of [{}, { userCode: 7, accept: true }, { userCode: 'x'.repeat(100), accept: true }])
      expect((await browser.post('/api/auth/device/answer', wrong)).status).toBe(400);
    expect((await stored(body['user_code']))?.user_id).toBeNull();
  });
});

describe('limits', () => {
  const site = testSite({ rateLimitFactor: 1 });

  test('a user tries few codes, from whatever address, and an address asks for few', async () => {
    const browser = browserSession(site.origin);
    await browser.signIn(await site.user());
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 31; attempt++) {
      // Addresses change, so that only the limit of the user counts.
      await site.pool().query(`delete from auth_rate_limits where key not like 'device|%'`);
      statuses.push((await browser.post('/api/auth/device/request', { userCode: 'BBBB-BBBB' })).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 30 }, () => 404), 429]);
    site.advance(3601);
    await site.pool().query(`delete from auth_rate_limits where key not like 'device|%'`);
    expect((await browser.post('/api/auth/device/request', { userCode: 'BBBB-BBBB' })).status).toBe(404);

    const { clientID } = await registerClient(site.origin(), deviceMetadata);
    const ask = async () =>
      (
        await fetch(`${site.origin()}/api/auth/device/code`, {
          method: 'POST',
          body: new URLSearchParams({ client_id: clientID }),
        })
      ).status;
    const asked = [];
    for (let attempt = 0; attempt < 11; attempt++) asked.push(await ask());
    expect(asked).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
  });
});
