// The requests of an open page: figures and plans are read when they change, and seldom otherwise.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { servePages } from '../../bin/local/web.ts';
import { databaseOn } from '../../lambda/data/database.ts';
import { hashApiKey } from '../../lambda/surfaces/admission/authenticate.ts';
import { chromiumPath } from '../support/chromium.ts';
import { journeyBrowser } from '../support/journey-browser.ts';
import { pretendProbed } from '../support/service.ts';
import { testSite } from '../support/site.ts';

describe.skipIf(!chromiumPath)('the page of a stream that stays open (skipped where Chromium is not installed)', () => {
  const site = testSite({ pages: async (request) => servePages(request) });
  const browser = journeyBrowser();
  let page: Page;
  let uploadID: string;
  const asked: string[] = [];
  beforeAll(async () => {
    ({ page } = browser);
    const user = await site.user();
    const apiKey = 'lss_key_of_the_open_page';
    const { users, invoices } = databaseOn(site.pool());
    const stored = { id: 'key', userID: user.id, name: 'test', keySha256: hashApiKey(apiKey), keyStart: 'lss_key_of' };
    await users.ensureKey(stored);
    const grant = { type: 'adjustment', method: 'grant', cost: 0, credits: 1000 } as const;
    await invoices.ensurePaid({ id: 'inv', userID: user.id, ...grant });
    const create = async (path: string, body: object): Promise<string> => {
      const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
      const request = { method: 'POST', headers, body: JSON.stringify(body) };
      return ((await (await fetch(`${site.origin()}/v1${path}`, request)).json()) as { id: string }).id;
    };
    uploadID = await create('/uploads', { name: 'loop', mimeType: 'video/mp4' });
    const address = { name: 'ingest', rtmpURL: 'rtmp://127.0.0.1/live', streamKey: 'key' };
    const destinationID = await create('/destinations', address);
    const settings = { name: 'Night radio', videoUploadObjectID: uploadID, destinationID };
    const streamID = await create('/streams', settings);
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
});
