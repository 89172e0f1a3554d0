// The places that a stream goes to, in a real browser at a real local run: destinations, further outputs, a channel.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { chromiumPath } from '../support/chromium.ts';
import { choose, journeyBrowser } from '../support/journey-browser.ts';
import { untilActive, uploadFile } from '../support/local-run.ts';
import { makeSyncClip } from '../support/sync-clip.ts';
import { testLocalRun } from '../support/test-local-run.ts';

describe.skipIf(!chromiumPath)('the places of a stream (skipped where Chromium is not installed)', () => {
  const run = testLocalRun('--no-demo');
  const browser = journeyBrowser();
  const folder = mkdtempSync(join(tmpdir(), 'places-'));
  let page: Page;
  let videoUploadObjectID: string;
  beforeAll(async () => {
    ({ page } = browser);
    const path = join(folder, 'clip.mp4');
    const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac'];
    const clip = { path, size: '640x360', framesPerSecond: 30, seconds: 10, sampleRate: 44_100, codecs };
    await makeSyncClip(await findMediaTools(process.env), clip);
    videoUploadObjectID = await uploadFile(run.api, path, 'video/mp4');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const open = (path: string) => page.goto(`${run.connection.siteURL}${path}`);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const makeStream = async (name: string, more: object): Promise<string> => {
    const format = { quality: 'q_720p', framerate: 'f_30' };
    return (await run.api('POST', '/streams', { name, videoUploadObjectID, ...format, ...more })).id;
  };

  test('a new one can be left for one that exists, and formats have their defaults in words', async () => {
    await browser.signIn(run, '/streams/new');
    await choose(page, 'Where to', 'Another one …');
    await page.getByLabel('Stream key').waitFor();
    await choose(page, 'Where to', 'Built-in ingest');
    await expect.poll(() => page.getByLabel('Stream key').count()).toBe(0);
    await choose(page, 'Quality', '1080p, your default');
    await page.getByRole('button', { name: '30, your default' }).waitFor();
  });

  test('a destination is made on the way to a further output, whose failure has its name', async () => {
    const streamID = await makeStream('Two places', { destinationID: 'dst_local' });
    await run.api('POST', `/streams/${streamID}/start`);
    await untilActive(run.api, streamID);
    await open(`/streams/${streamID}/outputs`);
    await page.getByText('Each of your destinations is an output already.').waitFor();
    await button('Add a destination').click();
    await choose(page, 'Platform', 'Any other (RTMP, SRT, HLS)');
    await page.getByLabel('Name').fill('Second box');
    await page.getByLabel('Address').fill('rtmp://127.0.0.1:9/live');
    await page.getByLabel('Stream key').fill('a-key');
    await page.getByRole('dialog').getByRole('button', { name: 'Add a destination' }).click();
    await button('Add an output').click();
    const question = page.getByRole('alertdialog', { name: 'Add Second box as an output?' });
    await question.getByText('adds 15 credits an hour', { exact: false }).waitFor();
    await question.getByRole('button', { name: 'Add an output' }).click();
    await page.locator('header .error', { hasText: /^Second box: / }).waitFor();
    expect(await browser.look('outputs-two')).toEqual([]);
    await open(`/streams/${streamID}/settings`);
    await page.getByText('Quality: 720p · Frames a second: 30', { exact: false }).waitFor();
    await run.api('POST', `/streams/${streamID}/stop`);
  });

  test('a channel is named in lists and among the outputs', async () => {
    await open('/destinations');
    await button('Connect YouTube').click();
    await page.waitForURL(/youtube-stand-in/);
    await button('Continue').click();
    await page.getByRole('heading', { name: 'Connect YouTube?' }).waitFor();
    await button('Connect').click();
    await page.locator('.badge', { hasText: 'Connected' }).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Built-in ingest' }).waitFor();
    expect(await page.locator('main').getByText('YouTube (local)', { exact: true }).count()).toBe(1);
    const [{ id: connectionID }] = (await run.api('GET', '/connections')).data;
    const settings = {
      connectionID,
      name: 'Night',
      titleTemplate: 'Night {n}',
      privacy: 'unlisted',
      madeForKids: false,
    };
    const { id: managedSettingsID } = await run.api('POST', '/managed-settings', settings);
    const streamID = await makeStream('On a channel', { streamDestination: 'managed', managedSettingsID });
    await open('/');
    const tile = page.getByRole('listitem').filter({ hasText: 'On a channel' });
    await tile.getByText('YouTube (local)').waitFor();
    await open('/streams');
    await page.getByText('to YouTube (local)').waitFor();
    await open(`/streams/${streamID}/outputs`);
    await page.getByText('The stream goes to the channel YouTube (local)', { exact: false }).waitFor();
    expect(await page.getByText('No output yet', { exact: false }).count()).toBe(0);
  });

  test('the browser has complained of nothing, and blocked nothing', () => {
    expect(browser.complaints).toEqual([]);
  });
});
