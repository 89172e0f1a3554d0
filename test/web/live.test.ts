// A live show in a real browser: an input with its key for OBS, a contribution, the takeover, and the way back.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { servePages } from '../../bin/local/web.ts';
import { databaseOn, inTransaction } from '../../lambda/data/database.ts';
import { hashLiveKey } from '../../lambda/domain/live/live-key.ts';
import { withLoss, withReturn } from '../../lambda/domain/live/signal-loss.ts';
import { endSession } from '../../lambda/orchestration/live/takeovers.ts';
import { hashApiKey } from '../../lambda/surfaces/admission/authenticate.ts';
import { chromiumPath } from '../support/chromium.ts';
import { choose, journeyBrowser } from '../support/journey-browser.ts';
import { pretendPrepared, pretendReceived } from '../support/live-inputs.ts';
import { pretendProbed } from '../support/service.ts';
import { testSite } from '../support/site.ts';

describe.skipIf(!chromiumPath)('a live show (skipped where Chromium is not installed)', () => {
  const site = testSite({ pages: async (request) => servePages(request) });
  const browser = journeyBrowser();
  let page: Page;
  let streamID: string;
  let key: string;
  beforeAll(async () => {
    ({ page } = browser);
    const user = await site.user();
    const apiKey = 'lss_key_of_the_live_show';
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
    const videoUploadObjectID = await create('/uploads', { name: 'loop', mimeType: 'video/mp4' });
    await pretendProbed(site, videoUploadObjectID);
    const address = { name: 'ingest', rtmpURL: 'rtmp://127.0.0.1/live', streamKey: 'key' };
    const destinationID = await create('/destinations', address);
    streamID = await create('/streams', { name: 'Night radio', videoUploadObjectID, destinationID, quality: 'q_720p' });
    await create(`/streams/${streamID}/start`, {});
    const run = { connection: { siteURL: site.origin(), user } };
    await browser.signIn(run, `/streams/${streamID}/live`);
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const dialog = (role: 'dialog' | 'alertdialog' = 'dialog') => page.getByRole(role);
  const inputID = async () => (await site.pool().query('select id from live_inputs')).rows[0].id as string;
  const status = (text: string | RegExp) => page.locator('.made', { hasText: text }).waitFor();

  test('needs a stream that is prepared ahead', async () => {
    await page.getByText('Only a stream that is prepared ahead can be taken over', { exact: false }).waitFor();
    expect(await page.getByRole('button', { name: 'New live input' }).count()).toBe(0);
    await pretendPrepared(site, streamID);
    await page.reload();
    await page.getByRole('heading', { name: 'No live input' }).waitFor();
    expect(await browser.look('live-none')).toEqual([]);
  });

  test('begins with an input, whose key is shown once with the settings of OBS', async () => {
    await button('New live input').click();
    await dialog().getByLabel('Name').fill('Studio');
    await dialog().getByText('More settings').click();
    await dialog().getByLabel('Networks that may send').fill('203.0.113.0/33');
    await dialog().getByRole('button', { name: 'New live input' }).click();
    await dialog().getByText('Use a network such as 203.0.113.0/24.').waitFor();
    expect(await browser.look('live-input', '[role=dialog]')).toEqual([]);
    await dialog().getByLabel('Networks that may send').fill('203.0.113.0/24, 2001:db8::/32');
    await dialog().getByRole('button', { name: 'New live input' }).click();
    await dialog().waitFor({ state: 'detached' });
    await status('In OBS: Settings, Stream.');
    key = await page.locator('.made code', { hasText: 'live_' }).innerText();
    expect(await page.locator('.made code', { hasText: 'rtmps://127.0.0.1/live' }).count()).toBe(1);
    const { input } = (await databaseOn(site.pool()).liveInputs.ofKey(hashLiveKey(key)))!;
    expect(input).toMatchObject({ name: 'Studio', allow: ['203.0.113.0/24', '2001:db8::/32'], grace_seconds: 15 });
    await page.locator('.badge', { hasText: 'No signal' }).waitFor();
    expect(await browser.look('live-key')).toEqual([]);
    await page.reload();
    await button('Edit Studio').waitFor();
    expect(await page.content()).not.toContain(key);
  });

  test('replaces the key after a question', async () => {
    await button('New key of Studio').click();
    await dialog('alertdialog').getByRole('button', { name: 'New key' }).click();
    const shown = page.locator('.made code', { hasText: 'live_' });
    await shown.waitFor();
    expect(await shown.innerText()).not.toBe(key);
    expect(await databaseOn(site.pool()).liveInputs.ofKey(hashLiveKey(key))).toBeNull();
    await page.reload();
  });

  test('encrypts SRT with a passphrase that is shown once, until it is deleted', async () => {
    await page.getByText('SRT is not encrypted.').waitFor();
    await button('New passphrase of Studio').click();
    await dialog('alertdialog').getByRole('button', { name: 'New passphrase' }).click();
    await page.getByText('SRT is encrypted. Contributors need the passphrase.').waitFor();
    const passphrase = await page.locator('.made code', { hasText: /^[\w-]{32}$/ }).innerText();
    const address = `srt://127.0.0.1:9710?streamid=KEY&passphrase=${passphrase}`;
    expect(await page.locator('.made code', { hasText: address }).count()).toBe(1);
    await button('Copy the passphrase of Studio').waitFor();
    expect(await browser.look('live-passphrase')).toEqual([]);
    await page.reload();
    await button('Delete passphrase of Studio').click();
    expect(await page.content()).not.toContain(passphrase);
    await dialog('alertdialog').getByRole('button', { name: 'Delete passphrase' }).click();
    await page.getByText('SRT is not encrypted.').waitFor();
  });

  test('takes over by a button, with the time at which viewers see it, and hands back', async () => {
    await pretendReceived(site, await inputID());
    await page.getByText('h264 1280 × 720 · 30 fps · 4.2 Mbit/s · keyframe every 2 s · aac · 0:20 received').waitFor();
    await button('Take over with Studio').click();
    await choose(dialog('alertdialog'), 'Hand back by itself', 'after 15 minutes');
    expect(await browser.look('live-take', '[role=alertdialog]')).toEqual([]);
    await dialog('alertdialog').getByRole('button', { name: 'Take over' }).click();
    await status(/Viewers see Studio at \d+:\d\d:\d\d [AP]M, in \d+\ss\.\s*It hands back by itself at/);
    await page
      .locator('.badge', { hasText: /^On air$/ })
      .last()
      .waitFor();
    expect(await browser.look('live-on-air')).toEqual([]);
    await status(/Viewers have seen Studio since \d+:\d\d:\d\d [AP]M, for 0:0\d\./);
    await button('Hand back').click();
    await dialog('alertdialog').getByRole('button', { name: 'Hand back' }).click();
    await status(/Viewers see the loop at \d+:\d\d:\d\d [AP]M, in \d+\ss\./);
    await page.locator('.made').waitFor({ state: 'detached' });
    await page.locator('.badge', { hasText: 'Ready' }).waitFor();
  });

  test('tells that a contribution is silent for too long, as its form asks for', async () => {
    await button('Edit Studio').click();
    await dialog().getByLabel('Lost after silence (seconds)').fill('20');
    expect(await browser.look('live-lost-after', '[role=dialog]')).toEqual([]);
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().waitFor({ state: 'detached' });
    const { rows } = await site.pool().query(
      `select s.id, i.lost_after from live_sessions s join live_inputs i on i.id = s.live_input_id
       where s.ended_at is null`,
    );
    expect(rows[0].lost_after).toEqual({ silenceSeconds: 20, blackSeconds: null });
    const { liveSessions } = databaseOn(site.pool());
    const losses = withLoss([], 'silent', new Date());
    await liveSessions.setLosses(rows[0].id, losses);
    await page.getByText('Silent for too long. It counts as lost until there is sound.').waitFor();
    await page.locator('.badge', { hasText: 'Receiving' }).waitFor();
    expect(await browser.look('live-silent')).toEqual([]);
    await liveSessions.setLosses(rows[0].id, withReturn(losses, new Date()));
    await page.locator('.badge', { hasText: 'Ready' }).waitFor();
    expect(await page.getByText('Silent for too long').count()).toBe(0);
  });

  test('tells that a contribution was lost', async () => {
    await button('Take over with Studio').click();
    await dialog('alertdialog').getByRole('button', { name: 'Take over' }).click();
    await status('Viewers see Studio at');
    const { rows } = await site.pool().query('select id from live_sessions where ended_at is null');
    await inTransaction(site.pool(), async (tx) =>
      endSession(tx, rows[0].id, { reason: 'lost', stored: null, now: await tx.now() }),
    );
    await status(/^Studio was lost/);
    await page.getByText('its connection was lost', { exact: false }).waitFor();
    await page.locator('.badge', { hasText: 'No signal' }).waitFor();
    expect(await browser.look('live-lost')).toEqual([]);
  });

  test('tells that the key has ended with the application that had it, until there is another', async () => {
    await site.pool().query('update live_inputs set key_sha256 = null');
    await page.getByText('Contributors need a new key.').waitFor();
    expect(await browser.look('live-key-ended')).toEqual([]);
    await button('New key of Studio').click();
    await dialog('alertdialog').getByRole('button', { name: 'New key' }).click();
    await page.getByText('Contributors need a new key.').waitFor({ state: 'detached' });
    await page.locator('.made code', { hasText: 'live_' }).waitFor();
    await page.reload();
  });

  test('changes and deletes the input', async () => {
    await button('Edit Studio').click();
    await choose(dialog(), 'Takes over', 'By itself, when it is stable');
    await dialog().getByLabel('Name').fill('Stage');
    await dialog().getByLabel('Lost after silence (seconds)').fill('');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await button('Edit Stage').waitFor();
    const { rows } = await site.pool().query('select lost_after from live_inputs');
    expect(rows).toEqual([{ lost_after: { silenceSeconds: null, blackSeconds: null } }]);
    await button('Delete Stage').click();
    await dialog('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No live input' }).waitFor();
    expect(browser.complaints).toEqual([]);
  });
});
