// The local site: an unknown address is the page's for browsers, and the API's for programs.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ReservedSite, reserveSite, type SiteOptions } from '../../bin/local/site.ts';

let site: ReservedSite;
const problem = async () => Response.json({ code: 'not_found' }, { status: 404 });

beforeAll(async () => {
  site = await reserveSite({ port: 0, fallsBack: false });
  const sink = { channels: () => [], serveFlv: () => {} };
  const done = async () => Response.json({ code: 'done' });
  site.serve({ rest: problem, sink, rtmpURL: '', paymentPages: done, youtube: done } as unknown as SiteOptions);
});
afterAll(() => site.close());

const browser = 'text/html,application/xhtml+xml,*/*;q=0.8';

test.each([
  ['/nowhere', browser, 404, 'text/html'],
  ['/streams/', browser, 404, 'text/html'],
  ['/sign-in', browser, 200, 'text/html'],
  ['/v1/nowhere', browser, 404, 'application/json'],
  ['/nowhere', '*/*', 404, 'application/json'],
])('%s for %s is answered %i with %s', async (path, accept, status, type) => {
  const answer = await fetch(site.url + path, { headers: { accept } });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, expect.stringContaining(type)]);
  if (type === 'text/html') expect(await answer.text()).toContain('<div id="page">');
});

test('an unknown address is not the page’s where a browser sends something', async () => {
  const answer = await fetch(`${site.url}/nowhere`, { method: 'POST', headers: { accept: browser } });
  expect(await answer.json()).toEqual({ code: 'not_found' });
});

describe.each(['/test-deposits', '/checkout', '/youtube-stand-in/admin'])('a form of %s', (path) => {
  const post = async (headers: Readonly<Record<string, string>>) =>
    (await fetch(site.url + path, { method: 'POST', headers })).status;

  test('is sent by the site itself, and by programs, which name no page', async () => {
    const own = { origin: site.url };
    for (const headers of [{}, own, { ...own, 'sec-fetch-site': 'same-origin' }])
      expect(await post(headers as Record<string, string>)).toBe(200);
  });

  test('is not sent by another page that is open in the browser', async () => {
    for (const headers of [
      { origin: 'https://evil.example.com' },
      { origin: 'null' },
      { origin: 'http://127.0.0.1:9' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ])
      expect(await post(headers as unknown as Record<string, string>)).toBe(403);
  });
});
