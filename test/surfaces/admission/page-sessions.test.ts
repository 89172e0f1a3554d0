// The session of a signed-in user: it opens the API to our own pages, and to nothing else in their browser.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createGraphqlHandler, graphqlPath } from '../../../lambda/surfaces/graphql/graphql-handler.ts';
import { sessionTokenOf } from '../../../lambda/surfaces/admission/page-sessions.ts';
import { browserSession } from '../../support/browser-session.ts';
import { chromiumPath } from '../../support/chromium.ts';
import { testService } from '../../support/service.ts';
import { testSite } from '../../support/site.ts';

// Password hashing is deliberately slow.
vi.setConfig({ testTimeout: 60_000 });

const page = async () =>
  new Response('<!doctype html><title>page</title>', { headers: { 'content-type': 'text/html' } });
const site = testSite({ pages: page });
let cookie: string;
beforeAll(async () => {
  const browser = browserSession(site.origin);
  await browser.signIn(await site.user());
  cookie = browser.cookies();
});

const ofPage = () => ({ cookie, 'sec-fetch-site': 'same-origin', origin: site.origin() });
const ask = async (
  method: string,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; headers: Headers; body: any }> => {
  const body = method === 'POST' && path === '/v1/streams' ? '{}' : null;
  const response = await fetch(site.origin() + path, {
    method,
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
};
const streamsMade = async () => (await site.pool().query('select from streams')).rowCount;

describe('a page of ours', () => {
  test('reads and writes as who is signed in, and no cache keeps the answers', async () => {
    const made = await ask('POST', '/v1/streams', ofPage());
    expect(made.status).toBe(201);
    const { origin: _, ...withoutOrigin } = ofPage();
    const listed = await ask('GET', '/v1/streams', withoutOrigin);
    expect(listed.body.data.map(({ id }: { id: string }) => id)).toContain(made.body.id);
    for (const { headers } of [made, listed]) expect(headers.get('cache-control')).toBe('private, no-store');
    expect(made.headers.get('ratelimit-limit')).toBe('120000');
  });

  test('stops being let in when the session ends', async () => {
    const browser = browserSession(site.origin);
    await browser.signIn(await site.user());
    const headers = { ...ofPage(), cookie: browser.cookies() };
    expect((await ask('GET', '/v1/me', headers)).status).toBe(200);
    await browser.post('/api/auth/sign-out');
    expect((await ask('GET', '/v1/me', headers)).status).toBe(401);
  });

  test('stops being let in when its user is disabled', async () => {
    const browser = browserSession(site.origin);
    const user = await site.user();
    await browser.signIn(user);
    await site.pool().query('update users set disabled_at = now() where id = $1', [user.id]);
    expect((await ask('GET', '/v1/me', { ...ofPage(), cookie: browser.cookies() })).status).toBe(401);
  });
});

describe('with the cookie, but not by a page of ours', () => {
  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['a sibling host, or another port', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:9' }],
    ['a bookmark or a link in a mail', { 'sec-fetch-site': 'none' }],
    ['a browser that does not say', {}],
    ['an origin that is none', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
  ])('%s is refused, whatever it asks', async (_, claimed) => {
    const before = await streamsMade();
    for (const method of ['GET', 'POST', 'DELETE'])
      expect(
        (await ask(method, method === 'DELETE' ? '/v1/streams/x' : '/v1/streams', { cookie, ...claimed })).status,
      ).toBe(401);
    expect(await streamsMade()).toBe(before);
  });

  test.each([
    ['without its origin', undefined],
    ['with the origin of another port', 'http://127.0.0.1:9'],
  ])('a write %s is refused', async (_, origin) => {
    const headers: Record<string, string> = { cookie, 'sec-fetch-site': 'same-origin', ...(origin && { origin }) };
    expect((await ask('POST', '/v1/streams', headers)).status).toBe(401);
  });

  test('a token that we have not signed, or signed for something else, opens nothing', async () => {
    const [name, value] = cookie.split('=') as [string, string];
    const [token, signature] = decodeURIComponent(value).split('.') as [string, string];
    const altered = [
      token,
      `${token}.`,
      `${token}.${signature.slice(1)}`,
      `${token}.${'A'.repeat(43)}=`,
      `${token.startsWith('x') ? 'y' : 'x'}${token.slice(1)}.${signature}`,
      '%',
    ];
    for (const other of altered)
      expect((await ask('GET', '/v1/me', { ...ofPage(), cookie: `${name}=${encodeURIComponent(other)}` })).status).toBe(
        401,
      );
  });

  test('a key that is sent along is what counts, and MCP takes no session', async () => {
    expect((await ask('GET', '/v1/me', { ...ofPage(), 'x-api-key': 'lss_wrong' })).status).toBe(401);
    expect((await ask('POST', '/mcp', ofPage())).status).toBe(401);
  });
});

test('at https the cookie is the one that browsers keep from http', () => {
  const headers = new Headers({ cookie: cookie.replace('loop.', '__Secure-loop.') });
  const secret = 'a secret for tests';
  expect(sessionTokenOf(headers, 'https://live.example.com', secret)).toMatch(/^\w{32}$/);
  expect(sessionTokenOf(new Headers({ cookie }), 'https://live.example.com', secret)).toBeNull();
});

describe('GraphQL', () => {
  const service = testService();
  test('takes the session as REST does', async () => {
    const graphql = createGraphqlHandler({
      ...service.service(),
      pool: site.pool(),
      baseURL: `${site.origin()}/v1`,
      serviceSecret: 'a secret for tests',
    });
    const send = (headers: Record<string, string>) =>
      graphql(
        new Request(site.origin() + graphqlPath, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify({ query: '{ getMe { name } }' }),
        }),
        '127.0.0.1',
      );
    const answer = await send(ofPage());
    expect([answer.status, await answer.json()]).toEqual([200, { data: { getMe: { name: 'usr_1' } } }]);
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    expect((await send({ ...ofPage(), 'sec-fetch-site': 'same-site' })).status).toBe(401);
    expect((await send({ ...ofPage(), origin: 'http://127.0.0.1:9' })).status).toBe(401);
  });
});

describe.skipIf(!chromiumPath)('a real browser in which somebody is signed in', () => {
  let browser: Browser;
  let tab: Page;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
    tab = await browser.newPage();
    const [name, value] = cookie.split('=') as [string, string];
    await tab.context().addCookies([{ name, value, url: site.origin(), sameSite: 'Lax', httpOnly: true }]);
  });
  afterAll(() => browser.close());

  /** Lets the page of a server on another port send requests to our origin in every possible way. */
  const attackFrom = async (host: string) => {
    const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<body>'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    await tab.goto(`http://${host}:${(server.address() as AddressInfo).port}/`);
    const target = `${site.origin()}/v1/streams`;
    return tab.evaluate(async (url) => {
      const tried = await Promise.all(
        (['cors', 'no-cors'] as const).map((mode) =>
          fetch(url, { method: 'POST', mode, credentials: 'include', body: '{}' }).then(
            ({ type, status }) => `${type} ${status}`,
            () => 'refused',
          ),
        ),
      );
      const frame = document.createElement('iframe');
      frame.name = 'target';
      const form = Object.assign(document.createElement('form'), {
        method: 'post',
        action: `${url}/x/start`,
        target: 'target',
      });
      document.body.append(frame, form);
      const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
      form.submit();
      await loaded;
      return tried;
    }, target);
  };

  test('its own page is let in', async () => {
    await tab.goto(`${site.origin()}/`);
    const status = await tab.evaluate(
      async () =>
        (await fetch('/v1/streams', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }))
          .status,
    );
    expect(status).toBe(201);
  });

  test.each([
    ['another port of the same host', '127.0.0.1'],
    ['another host', 'localhost'],
  ])('a page at %s changes nothing, and reads nothing', async (_, host) => {
    const before = await streamsMade();
    const statuses: [string, number][] = [];
    tab.on('response', (response) => {
      if (response.url().startsWith(site.origin())) statuses.push([response.url(), response.status()]);
    });
    expect(await attackFrom(host)).toEqual(['refused', 'opaque 0']);
    tab.removeAllListeners('response');
    expect(statuses.map(([, status]) => status)).not.toContain(201);
    expect(statuses.find(([url]) => url.endsWith('/start'))?.[1]).toBe(401);
    expect(await streamsMade()).toBe(before);
  });
});
