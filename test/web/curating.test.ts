// A curator's tasks in a real browser at a real local run: sources, parts of files, items, the log, guides, and use.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { chromiumPath } from '../support/chromium.ts';
import { makeColourClip } from '../support/colour-clip.ts';
import { choose, journeyBrowser } from '../support/journey-browser.ts';
import { until, untilActive, uploadFile } from '../support/local-run.ts';
import { testLocalRun } from '../support/test-local-run.ts';

const names = ['Blue train', 'Green river', 'Red sun'];

describe.skipIf(!chromiumPath)('a curator with a browser (skipped where Chromium is not installed)', () => {
  const run = testLocalRun('--no-demo');
  const browser = journeyBrowser();
  const folder = mkdtempSync(join(tmpdir(), 'curating-'));
  const files = new Map<string, string>();
  let page: Page;
  let streamID: string;
  let playlistID: string;
  beforeAll(async () => {
    ({ page } = browser);
    const tools = await findMediaTools(process.env);
    for (const [index, name] of names.entries()) {
      const path = join(folder, `${name}.mp4`);
      await makeColourClip(tools, { path, colour: [60 * index, 120, 90], toneHz: 300 + 100 * index, seconds: 8 });
      const id = await uploadFile(run.api, path, 'video/mp4');
      await run.api('PATCH', `/uploads/${id}`, { name });
      files.set(name, id);
    }
    const format = { quality: 'q_720p', framerate: 'f_30', streamBackend: 'manifest' };
    ({ id: streamID } = await run.api('POST', '/streams', {
      name: 'Night radio',
      destinationID: 'dst_local',
      ...format,
    }));
    ({ id: playlistID } = await run.api('POST', '/playlists', { streamID, kind: 'video', mode: 'sequential' }));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const open = (path: string) => page.goto(`${run.connection.siteURL}${path}`);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const closed = () => dialog().waitFor({ state: 'detached' });

  test('finds a stream by its name from the keyboard, on any screen', async () => {
    await browser.signIn(run, '/billing');
    await page.keyboard.press('Control+K');
    await page.keyboard.type('night ra');
    await dialog().getByRole('menuitem', { name: 'Night radio' }).waitFor();
    expect(await browser.look('palette', '[role=dialog]')).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/streams/${streamID}`);
  });

  test('adds two files at once to a playlist, and gives one item a loudness of its own', async () => {
    await open(`/playlists/${playlistID}`);
    await page.getByLabel('Choose Green river').check();
    await page.getByLabel('Choose Blue train').check();
    await button('Add 2 files').click();
    const items = async () => (await run.api('GET', `/playlists/${playlistID}`)).draft.items;
    await expect
      .poll(async () => (await items()).map(({ name }: { name: string }) => name))
      .toEqual(['Green river', 'Blue train']);
    await button('Sound and look of Blue train').click();
    await choose(dialog(), 'Loudness', '-23 LUFS'.replace('-', '−'));
    await choose(dialog(), 'Transition between pictures', 'Through black');
    expect(await browser.look('playlist-item', '[role=dialog]')).toEqual([]);
    await dialog().getByRole('button', { name: 'Save' }).click();
    await closed();
    await expect
      .poll(async () => (await items())[1])
      .toMatchObject({
        sound: { loudness: { enabled: true, targetLUFS: -23 }, join: null },
        look: { join: { kind: 'dip' }, framing: null },
      });
    await button('Sound and look of Blue train').click();
    await choose(dialog(), 'Loudness', 'As the stream');
    await choose(dialog(), 'Transition between pictures', 'As the stream');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await closed();
    await expect.poll(async () => (await items())[1]).toMatchObject({ sound: null, look: null });
    expect(await browser.look('playlist')).toEqual([]);
  });

  test('copies the playlist into another that has no items', async () => {
    const other = await run.api('POST', '/streams', { name: 'Day radio' });
    const target = await run.api('POST', '/playlists', { streamID: other.id, kind: 'video', mode: 'sequential' });
    await page.reload();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Copy into another playlist' }).click();
    await choose(page, 'Playlist without items', target.name);
    await button('Copy').click();
    await page.waitForURL(`**/playlists/${target.id}`);
    expect((await run.api('GET', `/playlists/${target.id}`)).draft.items).toHaveLength(2);
  });

  test('makes a clip of a file with the times of the player', async () => {
    await open('/library');
    await page.getByRole('button', { name: 'Actions of Red sun' }).click();
    await page.getByRole('menuitem', { name: 'Play and edit' }).click();
    await dialog().getByText('Make a clip', { exact: true }).first().click();
    await dialog().getByLabel('Begins at (seconds)').fill('2');
    await dialog().getByLabel('Ends at (seconds)').fill('5');
    await dialog().getByLabel('Name of the file').last().fill('Red sun, short');
    expect(await browser.look('clip', '[role=dialog]')).toEqual([]);
    await dialog().getByRole('button', { name: 'Make a clip' }).click();
    await closed();
    await page.getByText('Red sun, short').first().waitFor();
    const { data } = await run.api('GET', '/uploads?q=short');
    expect(data[0]).toMatchObject({ durationSeconds: 3 });
  });

  test('watches a feed, sees what came of it, and ends that', async () => {
    const served = createServer((request, response) => {
      const { port } = served.address() as AddressInfo;
      if (request.url === '/feed.xml') {
        const address = `http://127.0.0.1:${port}/episode.mp4`;
        response.setHeader('Content-Type', 'application/rss+xml');
        response.end(
          `<rss version="2.0"><channel><title>Radio</title><item><title>Episode one</title><guid>one</guid>` +
            `<enclosure url="${address}" type="video/mp4" length="1"/></item></channel></rss>`,
        );
        return;
      }
      response.setHeader('Content-Type', 'video/mp4');
      response.end(readFileSync(join(folder, 'Blue train.mp4')));
    });
    served.listen(0, '127.0.0.1');
    await once(served, 'listening');
    onTestFinished(() => void served.close());
    const { port } = served.address() as AddressInfo;
    await open('/sources');
    await button('Watch a source').click();
    await choose(dialog(), 'Kind', 'Podcast feed (RSS)');
    await dialog().getByLabel('Address').fill(`http://127.0.0.1:${port}/feed.xml`);
    await dialog().getByLabel('Minutes between two looks').fill('10');
    expect(await browser.look('source', '[role=dialog]')).toEqual([]);
    await dialog().getByRole('button', { name: 'Watch a source' }).click();
    await closed();
    await page.getByText('1 of 1 file imported').waitFor();
    expect(await browser.look('sources')).toEqual([]);
    await button(`Edit the source 127.0.0.1:${port}/feed.xml`).click();
    await dialog().getByLabel('Folder in the library').fill('Podcasts');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await closed();
    expect((await run.api('GET', '/sources')).data[0]).toMatchObject({ folder: 'Podcasts', everyMinutes: 10 });
    await button('Watch no more').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Watch no more' }).click();
    await page.getByText('Watch a folder').waitFor();
    expect((await run.api('GET', '/sources')).data).toEqual([]);
  });

  test('reads the log of the day: pictures, the table, and a proof that holds', async () => {
    await run.api('POST', `/streams/${streamID}/start`);
    await untilActive(run.api, streamID);
    await open(`/streams/${streamID}/log`);
    // The answer while workers are busy for longer than a request may wait.
    const problem = { code: 'upstream_unavailable', detail: 'The picture is being made. Try again in a moment.' };
    const busy = { status: 502, contentType: 'application/problem+json', body: JSON.stringify(problem) };
    await page.route(/\/frame\?/, (route) => route.fulfill(busy), { times: 4 });
    await page
      .getByRole('button', { name: /^See the picture of / })
      .first()
      .click();
    await dialog().getByText('The picture is still being made.').waitFor();
    const picture = dialog().getByRole('img');
    await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.complete && img.naturalWidth)).toBe(640);
    expect(await browser.look('log-picture', '[role=dialog]')).toEqual([]);
    await dialog().getByRole('button', { name: 'Close' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Signed proof' }).click(),
    ]);
    const proof = JSON.parse(readFileSync(await download.path(), 'utf8'));
    expect(proof).toMatchObject({ statement: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) });
    await page.locator('.badge', { hasText: 'Sent' }).first().waitFor();
    expect(await browser.look('log')).toEqual([]);
  });

  test('makes the public guide, which tells the title on air, and ends it', async () => {
    await open(`/streams/${streamID}/programme`);
    await button('Make public addresses').click();
    await page.getByText('Copy these addresses now', { exact: false }).waitFor();
    const address = await page.locator('.made code', { hasText: 'now.txt' }).innerText();
    expect(names).toContain((await (await fetch(address)).text()).trim());
    expect(await browser.look('guide')).toEqual([]);
    await button('Delete the addresses').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete the addresses' }).click();
    await button('Make public addresses').waitFor();
    expect((await fetch(address)).status).toBe(404);
  });

  test('reads the use of credits by stream, and the prices', async () => {
    await open('/billing');
    await page.getByRole('row', { name: 'Night radio' }).waitFor();
    await page.getByRole('row', { name: /^1080p/ }).waitFor();
    await choose(page, 'Range', 'Last 24 hours');
    await choose(page, 'Stream', 'Night radio');
    await page.getByRole('img', { name: /credits · .* h live/ }).waitFor();
    expect(await browser.look('billing')).toEqual([]);
  });

  test('changes how a stream is sent, and how long it runs', async () => {
    await run.api('POST', `/streams/${streamID}/stop`);
    await until(async () => (await run.api('GET', `/streams/${streamID}`)).state === 'stopped');
    await open(`/streams/${streamID}/settings`);
    await choose(page, 'Redundancy', 'Two sites');
    await choose(page, 'Video codec', 'HEVC');
    await page.getByLabel('Longest run (hours)').fill('1.5');
    await button('Save').click();
    await page.getByText('Saved.').waitFor();
    expect(await run.api('GET', `/streams/${streamID}`)).toMatchObject({
      name: 'Night radio',
      agentModeEnabled: true,
      videoCodec: 'hevc',
      streamDuration: 5400,
    });
    expect(browser.complaints).toEqual([]);
  });
});
