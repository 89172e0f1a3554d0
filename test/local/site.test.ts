// The local site: an unknown address is the page's for browsers, and the API's for programs.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ReservedSite, reserveSite, type SiteOptions } from '../../bin/local/site.ts';

let site: ReservedSite;
const problem = async () => Response.json({ code: 'not_found' }, { status: 404 });

beforeAll(async () => {
  site = await reserveSite({ port: 0, fallsBack: false });
  const sink = { channels: () => [], serveFlv: () => {} };
  site.serve({ rest: problem, sink, rtmpURL: '' } as unknown as SiteOptions);
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
