// A page that stays open: it reads plans seldom, and shows at once the changes of others with what to do about them.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { servePages } from '../../bin/local/web.ts';
import { databaseOn } from '../../lambda/data/database.ts';
import { sourceHeld } from '../../lambda/domain/sources/source-words.ts';
import { hashApiKey } from '../../lambda/surfaces/admission/authenticate.ts';
import { chromiumPath } from '../support/chromium.ts';
import { choose, journeyBrowser } from '../support/journey-browser.ts';
import { pretendProbed } from '../support/service.ts';
import { testSite } from '../support/site.ts';

describe.skipIf(!chromiumPath)('the page of a stream that stays open (skipped where Chromium is not installed)', () => {
  const site = testSite({ pages: async (request) => servePages(request) });
  const browser = journeyBrowser();
  let page: Page;
  let uploadID: string;
  let streamID: string;
  const asked: string[] = [];
  let create: (path: string, body: object) => Promise<string>;
  beforeAll(async () => {
    ({ page } = browser);
    const user = await site.user();
    const apiKey = 'lss_key_of_the_open_page';
    const { users, invoices } = databaseOn(site.pool());
    const stored = { id: 'key', userID: user.id, name: 'test', keySha256: hashApiKey(apiKey), keyStart: 'lss_key_of' };
    await users.ensureKey(stored);
    const grant = { type: 'adjustment', method: 'grant', cost: 0, credits: 1000 } as const;
    await invoices.ensurePaid({ id: 'inv', userID: user.id, ...grant });
    create = async (path, body) => {
      const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
      const request = { method: 'POST', headers, body: JSON.stringify(body) };
      return ((await (await fetch(`${site.origin()}/v1${path}`, request)).json()) as { id: string }).id;
    };
    uploadID = await create('/uploads', { name: 'loop', mimeType: 'video/mp4' });
    const address = { name: 'ingest', rtmpURL: 'rtmp://127.0.0.1/live', streamKey: 'key' };
    const destinationID = await create('/destinations', address);
    streamID = await create('/streams', { name: 'Night radio', videoUploadObjectID: uploadID, destinationID });
    await browser.signIn({ connection: { siteURL: site.origin(), user } }, `/streams/${streamID}`);
    page.on('request', (request) => asked.push(new URL(request.url()).pathname.split('/').at(-1)!));
  });

  const polled = async (times: number) => {
    for (let poll = 0; poll < times; poll++)
      // oxlint-disable-next-line no-await-in-loop -- one after the other, as the page polls
      await page.waitForResponse((response) => response.url().includes('/changes?since='));
  };

  test('plans nothing again while nothing changes', async () => {
    await page.getByText('have not been uploaded', { exact: false }).waitFor();
    // The first poll reads everything again: a change may have come before its cursor.
    await polled(4);
    asked.length = 0;
    await polled(6);
    expect(asked.filter((name) => name !== 'changes' && name !== 'overview')).toEqual([]);
  });

  test('shows at once that a file of it can be played now', async () => {
    await polled(3);
    asked.length = 0;
    await pretendProbed(site, uploadID);
    await page.getByText('Ready', { exact: false }).first().waitFor();
    expect(asked.filter((name) => name === 'changes').length).toBeLessThanOrEqual(2);
    expect(asked).toContain('readiness');
  });

  const start = () => page.getByRole('button', { name: 'Start', exact: true });

  test('leads from a missing part to its place, and makes the start the first action after that', async () => {
    expect(await start().getAttribute('class')).toContain('primary');
    await site.pool().query(`update streams set destination_id = null where id = $1`, [streamID]);
    await page.getByText('The stream has no destination.').waitFor();
    expect(await start().getAttribute('class')).not.toContain('primary');
    expect(await browser.look('stream-not-ready')).toEqual([]);
    await page.getByRole('status').getByRole('link', { name: 'Settings' }).click();
    await choose(page, 'Where to', 'ingest');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Ready to start').waitFor();
    expect(await start().getAttribute('class')).toContain('primary');
  });

  test('shows that a watched source waits for its user, who has it watched again', async () => {
    const id = await create('/sources', { kind: 'rss', url: 'https://example.org/feed.xml' });
    await page.goto(`${site.origin()}/sources`);
    await page.locator('.badge', { hasText: /^Watched$/ }).waitFor();
    await site.pool().query(`update sources set due_at = 'infinity', reason = $2 where id = $1`, [id, sourceHeld]);
    await page.locator('.badge', { hasText: 'Not watched' }).waitFor();
    await page.getByText('“Look now” watches it again.').waitFor();
    expect(await browser.look('source-held')).toEqual([]);
    await page.getByRole('button', { name: /^Look now at/ }).click();
    await page.locator('.badge', { hasText: /^Watched$/ }).waitFor();
  });

  test('says of an address without content what is not there, and leads away', async () => {
    await page.goto(`${site.origin()}/streams/str_0000`);
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    await page.getByText('This stream does not exist, or was deleted.').waitFor();
    await page.getByRole('link', { name: 'Go to the first page' }).click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    expect(browser.complaints).toEqual([]);
  });
});
