// Sign-in and sign-out by `loop`, against the real authorization server.
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { browserSession } from '../support/browser-session.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { runLoop, spawnLoop } from '../support/loop-command.ts';
import { testSite } from '../support/site.ts';

// The command polls every five seconds, as the server asks.
vi.setConfig({ testTimeout: 60_000 });

const site = testSite();
let home: string;
let browser: BrowserSession;
let email: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'loop-login-'));
  const user = await site.user();
  ({ email } = user);
  browser = browserSession(site.origin);
  await browser.signIn(user);
});
afterAll(() => rm(home, { recursive: true }));

const file = () => join(home, 'config/loop/sign-in.json');
const kept = async () => JSON.parse(await readFile(file(), 'utf8')) as Record<string, any>;

/** Signs in by device code, and answers it in the browser as soon as the command shows it. */
async function login(accept: boolean) {
  const child = spawnLoop(['login', '--url', site.origin(), '--json'], { home });
  const ended = once(child, 'exit');
  const stdout = text(child.stdout!);
  let shown = '';
  for await (const chunk of child.stderr!) {
    const before = /confirm the code \S+\./.test(shown);
    shown += String(chunk);
    const [, userCode] = /confirm the code (\S+)\./.exec(shown) ?? [];
    if (userCode !== undefined && !before)
      expect((await browser.post('/api/auth/device/answer', { userCode, accept })).status).toBe(200);
  }
  const [code] = (await ended) as [number];
  return { code, stdout: await stdout, stderr: shown };
}

test('signs in by a device code, refreshes its tokens in turns, and signs out at the platform', async () => {
  const { code, stdout } = await login(true);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ apiURL: `${site.origin()}/v1`, email });
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  expect((await stat(join(home, 'config/loop'))).mode & 0o777).toBe(0o700);

  // Five commands at the same time find an old access token: one of them refreshes it.
  const before = await kept();
  await writeFile(file(), JSON.stringify({ ...before, expiresAtMs: 0 }), { mode: 0o600 });
  const runs = await Promise.all(Array.from({ length: 5 }, () => runLoop(['api', 'GET', '/me'], { home })));
  expect(runs.map(({ code, stdout }) => [code, JSON.parse(stdout).email])).toEqual(runs.map(() => [0, email]));
  const after = await kept();
  expect(after['refreshToken']).not.toBe(before['refreshToken']);
  expect((await stat(file())).mode & 0o777).toBe(0o600);

  expect((await runLoop(['logout'], { home })).code).toBe(0);
  await expect(kept()).rejects.toThrow('ENOENT');
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: after['refreshToken'],
    client_id: after['clientID'],
  });
  expect((await fetch(after['tokenURL'], { method: 'POST', body })).status).toBe(400);
});

test('is refused by the user, and keeps nothing', async () => {
  const { code, stdout, stderr } = await login(false);
  expect([code, stdout]).toEqual([4, '']);
  expect(stderr).toContain('You refused the sign-in');
  await expect(kept()).rejects.toThrow('ENOENT');
});

test('signs in by a key from stdin, and keeps no key that the platform refuses', async () => {
  const wrong = await runLoop(['login', '--url', site.origin(), '--with-key'], { home, stdin: 'lss_wrong\n' });
  expect(wrong.code).toBe(4);
  await expect(kept()).rejects.toThrow('ENOENT');
  const { key } = (await browser.post('/api/auth/account/api-keys/create', { name: 'script' })).body;
  const right = await runLoop(['login', '--url', site.origin(), '--with-key'], { home, stdin: `${key}\n` });
  expect([right.code, right.stdout]).toEqual([0, `You are signed in at ${site.origin()}/v1 as ${email}.\n`]);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  const other = { LOOP_API_URL: 'https://elsewhere.example/v1' };
  expect((await runLoop(['status'], { home, environment: other })).code).toBe(4);
  expect((await runLoop(['status'], { home })).code).toBe(0);
  expect((await runLoop(['logout'], { home })).code).toBe(0);
});
