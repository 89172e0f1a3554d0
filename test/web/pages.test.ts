// The web page in a real browser: users sign up, create keys and connect applications, and axe checks every page.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { servePages } from '../../bin/local/web.ts';
import { chromiumPath } from '../support/chromium.ts';
import { choose } from '../support/journey-browser.ts';
import { registerClient } from '../support/oauth.ts';
import { testSite } from '../support/site.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const site = testSite({ pages: async (request) => servePages(request) });

describe('over HTTP', () => {
  test('every page and file is there, with its caching, and no other origin may frame it or add to it', async () => {
    for (const path of [
      '/sign-in',
      '/sign-up',
      '/consent',
      '/device',
      '/account',
      '/forgotten-password',
      '/new-password',
      '/',
      '/streams/str_1',
    ]) {
      const response = await fetch(site.origin() + path);
      expect(response.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; script-src 'self';.*frame-ancestors 'none'; require-trusted-types-for 'script'$/,
      );
      expect(response.headers.get('x-frame-options')).toBe('DENY');
      expect(response.headers.get('cache-control')).toBe('no-cache');
      const html = await response.text();
      expect(html).toMatch(/<meta\s+name="description"\s+content="[A-Z][^"]+\."/);
      const assets = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, asset]) => asset);
      expect(assets.length).toBeGreaterThanOrEqual(2);
      for (const asset of assets)
        expect((await fetch(site.origin() + asset)).headers.get('cache-control')).toContain('immutable');
    }
    expect((await fetch(`${site.origin()}/assets/page.tsx`)).status).toBe(404);
  });

  test.each([
    ['en', { 'accept-language': 'en-GB,en;q=0.9,de;q=0.8' }],
    ['de', { 'accept-language': 'fr,de;q=0.9,en;q=0.8' }],
    ['en', { 'accept-language': 'de', cookie: 'other=de; language=en' }],
    ['de', { 'accept-language': 'en', cookie: 'language=de; other=en' }],
    ['en', { 'accept-language': 'en', cookie: 'old-language=de' }],
  ])('the document is in the language of its reader: %s', async (language, headers) => {
    for (const [path, status] of [
      ['/sign-in', 200],
      ['/nowhere', 404],
    ] as const) {
      const response = await fetch(site.origin() + path, { headers: { ...headers, accept: 'text/html' } });
      expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(`lang="${language}"`)]);
      expect(response.headers.get('vary')).toBe('accept-encoding, accept-language, cookie');
    }
  });
});

describe.skipIf(!chromiumPath)(
  'in Chromium (skipped where it is not installed)',
  () => {
    let browser: Browser;
    let context: BrowserContext;
    let page: Page;
    const complaints: string[] = [];
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
      context = await browser.newContext();
      page = await context.newPage();
      page.on('console', (message) => {
        if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
    });
    afterAll(() => browser.close());

    /** The findings of axe once the page is visible; in dark colours only those about contrast. */
    async function axeFindings(): Promise<string[]> {
      await page.getByRole('heading', { level: 1 }).waitFor();
      const found: string[] = [];
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        // The browser's protocol runs the script, because the policy of the page blocks scripts.
        await page.evaluate(axe);
        const rules = colorScheme === 'light' ? {} : { runOnly: ['color-contrast'] };
        const { violations } = await page.evaluate((options) => (globalThis as any).axe.run(options), rules);
        for (const { id, impact, nodes } of violations) {
          const elements = nodes.map(({ html }: { html: string }) => html).join(' ');
          found.push(`${colorScheme} ${page.url()} ${impact} ${id}: ${elements}`);
        }
      }
      return found;
    }
    const callWith = (key: string) => fetch(`${site.origin()}/v1/me`, { headers: { 'x-api-key': key } });
    const linkIn = (text: string | undefined) => /http:\S+/.exec(text ?? '')?.[0] ?? '';

    test('somebody signs up, confirms the address, makes a key, calls the API with it, and revokes it', async () => {
      await page.goto(`${site.origin()}/sign-up`);
      expect(await axeFindings()).toEqual([]);
      await page.getByLabel('Name').fill('Ada');
      await page.getByLabel('E-mail address').fill('ada@example.com');
      await page.getByLabel('Password').fill('a long enough password');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Look into your mail' }).waitFor();
      expect(await axeFindings()).toEqual([]);
      const mail = await vi.waitUntil(() => site.mails.find(({ to }) => to === 'ada@example.com'), 20_000);
      await page.goto(linkIn(mail.text));
      await page.getByRole('heading', { name: 'Put a video on air' }).waitFor();
      expect(page.url()).toBe(`${site.origin()}/`);

      await page.goto(`${site.origin()}/account`);
      await page.getByRole('button', { name: 'Make a key' }).click();
      await page.getByLabel('Name of the key').fill('script');
      await page.getByRole('button', { name: 'Make the key' }).click();
      const key = (await page.locator('.secret').textContent()) ?? '';
      expect(key).toMatch(/^lss_[\w-]{43}$/);
      expect(await axeFindings()).toEqual([]);
      const answer = await callWith(key);
      expect([answer.status, await answer.json()]).toMatchObject([200, { email: 'ada@example.com', name: 'Ada' }]);
      await page.reload();
      await page.getByText('last used').waitFor();
      expect(await page.content()).not.toContain(key);

      await page.getByRole('button', { name: 'Revoke the key script' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('No keys yet.').waitFor();
      expect((await callWith(key)).status).toBe(401);
    });

    test('the link of a confirmation opened on another device asks for the password first', async () => {
      const [email, password] = ['bob@example.com', 'a long enough password'];
      await fetch(`${site.origin()}/api/auth/sign-up/email`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: site.origin() },
        body: JSON.stringify({ name: 'Bob', email, password, callbackURL: '/streams' }),
      });
      const mail = await vi.waitUntil(() => site.mails.find(({ to }) => to === email), 20_000);
      const device = await browser.newContext();
      onTestFinished(() => device.close());
      const other = await device.newPage();
      await other.goto(linkIn(mail.text));
      await other.getByText('Sign in with the password that you signed up with').waitFor();
      await other.getByLabel('E-mail address').fill(email);
      await other.getByLabel('Password').fill(password);
      await other.keyboard.press('Enter');
      await other.waitForURL(`${site.origin()}/streams`);
      const { rows } = await site.pool().query('select email_verified from users where email = $1', [email]);
      expect(rows).toEqual([{ email_verified: true }]);
    });

    test('defaults are kept', async () => {
      await page.getByLabel('Duration in minutes').fill('90');
      await choose(page, 'Quality', '720p');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      const defaults =
        "select default_stream_duration_seconds, default_quality from users where email = 'ada@example.com'";
      const { rows } = await site.pool().query(defaults);
      expect(rows).toEqual([{ default_stream_duration_seconds: 5400, default_quality: 'q_720p' }]);
    });

    test('a wrong password and an unknown address get the same answer, and a new password is mailed for', async () => {
      await page.getByRole('button', { name: 'Account' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await axeFindings()).toEqual([]);
      for (const email of ['ada@example.com', 'nobody@example.com']) {
        await page.getByLabel('E-mail address').fill(email);
        await page.getByLabel('Password').fill('a wrong password');
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByText('The address or the password is wrong.').waitFor();
      }
      expect(await axeFindings()).toEqual([]);

      await page.getByRole('link', { name: 'Forgotten password?' }).click();
      await page.getByLabel('E-mail address').fill('ada@example.com');
      await page.getByRole('button', { name: 'Send me a link' }).click();
      await page.getByText('If there is an account').waitFor();
      const mail = await vi.waitUntil(
        () => site.mails.find(({ subject }) => subject === 'Choose a new password'),
        20_000,
      );
      await page.goto(linkIn(mail.text));
      await page.getByLabel('New password').fill('another long password');
      expect(await axeFindings()).toEqual([]);
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    });

    test('an application is shown with its rights, agreed to once, listed, and disconnected', async () => {
      const listener = createServer((_, response) => response.end('the application')).listen(0, '127.0.0.1');
      await once(listener, 'listening');
      onTestFinished(() => void listener.close());
      const redirectURI = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/callback`;
      const metadata = { client_name: 'Looper <b>', redirect_uris: [redirectURI] };
      const application = await registerClient(site.origin(), metadata);
      const { url } = await application.authorizationRequest('service:read service:destructive');
      await page.goto(url.href);
      await page.getByLabel('E-mail address').fill('ada@example.com');
      await page.getByLabel('Password').fill('another long password');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Connect Looper <b>?' }).waitFor();
      expect(await page.locator('main').textContent()).toContain('a program on this computer');
      expect(await page.getByRole('listitem').allTextContents()).toEqual([
        'Read streams, destinations, playlists and billing status',
        'Delete streams and destinations',
        'Stay connected until you disconnect it',
      ]);
      expect(await axeFindings()).toEqual([]);
      await page.getByRole('button', { name: 'Agree' }).click();
      await page.getByText('the application').waitFor();
      expect(new URL(page.url()).searchParams.get('code')).toBeTruthy();

      await page.goto((await application.authorizationRequest('service:read service:destructive')).url.href);
      await page.getByText('the application').waitFor();

      // If the address of an application is not registered, the user sees a page that explains it.
      const elsewhere = { redirect_uri: 'https://elsewhere.example/' };
      await page.goto((await application.authorizationRequest('service:read', elsewhere)).url.href);
      await page.getByText('an address that it has not registered').waitFor();
      expect(await axeFindings()).toEqual([]);

      await page.goto(`${site.origin()}/account`);
      await page.getByRole('button', { name: 'Disconnect Looper <b>' }).click();
      await page.getByText('No application acts for you.').waitFor();
      expect(await axeFindings()).toEqual([]);
    });

    test('a sign-in or consent page that was open for too long begins anew by itself', async () => {
      const application = await registerClient(site.origin(), { client_name: 'Slow' });
      await page.goto((await application.authorizationRequest('service:read')).url.href);
      await page.getByRole('button', { name: 'Agree' }).waitFor();
      await page.goto(page.url().replace(/sig=[^&]*/, 'sig=old'));
      await page.getByRole('button', { name: 'Agree' }).click();
      await page.waitForURL((url) => url.pathname === '/consent' && url.searchParams.get('sig') !== 'old');
      await page.getByRole('button', { name: 'Agree' }).waitFor();
      await context.clearCookies();
      const signIn = page.url().replace('/consent', '/sign-in');
      await page.goto(signIn.replace(/sig=[^&]*/, 'sig=old'));
      await page.getByLabel('E-mail address').fill('ada@example.com');
      await page.getByLabel('Password').fill('another long password');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Connect Slow?' }).waitFor();
      expect(page.url()).toContain('/consent?');
    });

    test('a key with a long name without a blank fits a narrow screen', async () => {
      await page.setViewportSize({ width: 360, height: 740 });
      await page.goto(`${site.origin()}/account`);
      const name = 'W'.repeat(60);
      await page.getByRole('button', { name: 'Make a key' }).click();
      await page.getByLabel('Name of the key').fill(name);
      await page.getByRole('button', { name: 'Make the key' }).click();
      await page.locator('.secret').waitFor();
      await page.getByRole('button', { name: `Revoke the key ${name}` }).waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
      await page.setViewportSize({ width: 1280, height: 720 });
    });

    test('a key can be made with the keyboard alone', async () => {
      await page.goto(`${site.origin()}/account`);
      await page.getByRole('button', { name: 'Make a key' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.type('by keyboard');
      for (let steps = 0; steps < 7; steps++) await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.locator('.secret').waitFor();
      expect(await page.locator('.made strong').textContent()).toBe('by keyboard');
    });

    test('somebody confirms the code of a device by keyboard, after signing in', async () => {
      const user = await site.user();
      const grant = 'urn:ietf:params:oauth:grant-type:device_code';
      const metadata = { client_name: 'loop on a laptop', redirect_uris: undefined, grant_types: [grant] };
      const client = await registerClient(site.origin(), { ...metadata, response_types: [] });
      const asked = await fetch(`${site.origin()}/api/auth/device/code`, {
        method: 'POST',
        body: new URLSearchParams({ client_id: client.clientID, scope: 'service:read service:destructive' }),
      });
      const device = (await asked.json()) as Record<string, string>;
      await context.clearCookies();
      await page.goto(device['verification_uri_complete']!);
      await page.getByLabel('E-mail address').fill(user.email);
      await page.getByLabel('Password').fill(user.password);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Connect a device' }).waitFor();
      expect(await page.getByLabel('Code').inputValue()).toBe(device['user_code']);
      expect(await axeFindings()).toEqual([]);
      await page.getByLabel('Code').fill('BBBB-BBBB');
      await page.keyboard.press('Enter');
      await page.getByText('There is no such code').waitFor();
      await page.getByLabel('Code').fill(device['user_code']!.toLowerCase());
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Connect loop on a laptop?' }).waitFor();
      await page.getByText(device['user_code']!).waitFor();
      expect(await axeFindings()).toEqual([]);
      await page.getByRole('button', { name: 'Agree' }).press('Enter');
      await page.getByRole('heading', { name: 'Connected' }).waitFor();
      expect(await axeFindings()).toEqual([]);
      const tokens = await client.token({ grant_type: grant, device_code: device['device_code']! });
      expect([tokens.status, tokens.body.scope]).toEqual([200, 'service:read service:destructive']);
    });

    test('the browser has logged no error on any page', () => {
      expect(complaints).toEqual([]);
    });
  },
  30_000,
);
