// An operator of a music channel, in a real browser at a real local run: prepares a list, goes live, minds the outputs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { chromiumPath } from '../support/chromium.ts';
import { startFaultyIngest } from '../support/faulty-ingest.ts';
import type { FaultyIngest } from '../support/faulty-ingest.ts';
import { choose, journeyBrowser } from '../support/journey-browser.ts';
import { until, untilActive, uploadFile } from '../support/local-run.ts';
import { makeSyncClip } from '../support/sync-clip.ts';
import { testLocalRun } from '../support/test-local-run.ts';

const longName = 'Rain and thunder for ten hours of deep sleep, focus, studying and calm dogs';
const titles = ['Night rain', 'Harbour lights', 'Slow train'];

describe.skipIf(!chromiumPath)('an operator of a music channel (skipped where Chromium is not installed)', () => {
  const run = testLocalRun('--no-demo');
  const browser = journeyBrowser();
  const folder = mkdtempSync(join(tmpdir(), 'music-channel-'));
  let page: Page;
  let ingest: FaultyIngest;
  let streamID: string;
  beforeAll(async () => {
    ({ page } = browser);
    ingest = await startFaultyIngest();
    const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac'];
    const path = join(folder, 'clip.mp4');
    const clip = { path, size: '640x360', framesPerSecond: 30, seconds: 10, sampleRate: 44_100, codecs };
    await makeSyncClip(await findMediaTools(process.env), clip);
    for (const [index, title] of titles.entries()) {
      const id = await uploadFile(run.api, path, 'video/mp4');
      await run.api('PATCH', `/uploads/${id}`, { name: `take-${index}.mp4`, title, artist: 'Mira Sol' });
    }
    const rtmp = { name: 'Own server', url: ingest.rtmpURL, streamKey: 'key' };
    const { id: destinationID } = await run.api('POST', '/destinations', rtmp);
    const format = { quality: 'q_720p', framerate: 'f_30' };
    ({ id: streamID } = await run.api('POST', '/streams', { name: longName, destinationID, ...format }));
  });
  afterAll(async () => {
    await ingest[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  const open = (path: string) => page.goto(`${run.connection.siteURL}${path}`);
  const button = (name: string) => page.getByRole('button', { name, exact: true });

  test('finds a file by its title, though its name is another', async () => {
    await browser.signIn(run, '/library');
    await page.getByLabel('Search by name').fill('harbour');
    await page.getByText('Night rain').waitFor({ state: 'detached' });
    await page.getByText('Harbour lights').waitFor();
    await expect.poll(() => page.locator('.rows.long > li').count()).toBe(1);
  });

  test('makes a playlist before there is a stream for it, and fills it', async () => {
    await open('/playlists');
    await page.getByRole('heading', { name: 'No playlists yet' }).waitFor();
    expect(await browser.look('playlists-empty')).toEqual([]);
    await button('New playlist').click();
    await page.getByLabel('Name', { exact: true }).fill('Evenings');
    expect(await browser.look('playlist-new', '[role=dialog]')).toEqual([]);
    await button('Create a playlist').click();
    await page.getByRole('heading', { name: 'Evenings' }).waitFor();
    for (const title of titles) await button(`Add Mira Sol – ${title}`).click();
    await page.getByText('No stream plays it yet', { exact: false }).waitFor();
    expect(await button('Publish').count()).toBe(0);
    await until(async () => (await run.api('GET', '/playlists')).data[0]?.draft.items.length === titles.length);
    expect((await run.api('GET', '/playlists')).data[0]).toMatchObject({ name: 'Evenings', streamID: null });
    await open('/playlists');
    await page.getByText('no stream yet').waitFor();
  });

  test('lets the stream play it, and goes live', async () => {
    await open(`/streams/${streamID}/programme`);
    await page.getByText('Use an existing playlist').first().click();
    await choose(page, 'Playlist', 'Evenings');
    await button('Use it').click();
    await page.getByText('3 items', { exact: false }).first().waitFor();
    await button('Start').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Start' }).click();
    await untilActive(run.api, streamID);
    await open('/destinations');
    const own = page.getByRole('listitem').filter({ hasText: 'Own server' });
    await expect.poll(() => own.innerText()).toContain('on air now');
  });

  test('lets a file play next, which the timeline shows in its place', async () => {
    await open(`/streams/${streamID}`);
    await choose(page, 'File', 'Mira Sol – Slow train');
    await button('Play next').click();
    await page.getByText('It plays at', { exact: false }).waitFor();
    await page.getByText('· Queued', { exact: false }).waitFor();
    expect(await browser.look('play-next')).toEqual([]);
  });

  test('pauses an output on air and resumes it, while the other one stays live', async () => {
    await run.api('POST', `/streams/${streamID}/outputs`, { destinationID: 'dst_local' });
    const outputs = async () => (await run.api('GET', `/streams/${streamID}`)).outputs;
    await until(async () => (await outputs())[1]?.state === 'live');
    await open(`/streams/${streamID}/outputs`);
    await button('Pause Built-in ingest').click();
    await page.locator('.badge', { hasText: 'Paused' }).waitFor();
    expect((await outputs())[0].state).toBe('live');
    await button('Resume Built-in ingest').click();
    await until(async () => (await outputs())[1].state === 'live');
  });

  test('reads the list of streams on a phone, where a long name has the line', async () => {
    await open('/streams');
    await page.setViewportSize({ width: 390, height: 844 });
    const name = page.getByRole('link', { name: longName });
    await name.waitFor();
    const { width, height } = (await name.boundingBox())!;
    expect([width > 200, height < 100]).toEqual([true, true]);
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(await browser.look('streams-long-name')).toEqual([]);
  });

  test('counts the steps of a new stream without a gap', async () => {
    await open('/streams/new');
    const numbers = () =>
      page
        .locator('.steps > section > h2')
        .evaluateAll((all) => all.map((each) => getComputedStyle(each, '::before').content));
    await page.getByRole('heading', { name: 'Go live' }).waitFor();
    expect(await numbers()).toEqual(Array.from({ length: 4 }, () => 'counter(step) " · "'));
  });

  test('replaces the key of a destination in a dialog, which closes', async () => {
    await open('/destinations');
    await button('Replace the key of Own server').click();
    await page.getByRole('dialog').getByLabel('New stream key').fill('another-key');
    expect(await browser.look('destination-key', '[role=dialog]')).toEqual([]);
    await button('Save').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('comes to an address that does not exist, and leaves it', async () => {
    await open('/nonsense');
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    expect(await browser.look('nothing-here')).toEqual([]);
    await page.getByRole('link', { name: 'Go to the first page' }).click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
  });

  test('the browser has complained of nothing, and blocked nothing', () => {
    expect(browser.complaints).toEqual([]);
  });
});
