// Users' journeys on the page, in a real browser at a real local run; each leaves screenshots.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { chromiumPath } from '../support/chromium.ts';
import { choose, journeyBrowser } from '../support/journey-browser.ts';
import { until, watchChannels } from '../support/local-run.ts';
import { makeSyncClip } from '../support/sync-clip.ts';
import { testLocalRun } from '../support/test-local-run.ts';

describe.skipIf(!chromiumPath)('somebody with a browser (skipped where Chromium is not installed)', () => {
  const run = testLocalRun('--no-demo');
  const folder = mkdtempSync(join(tmpdir(), 'journeys-'));
  const film = join(folder, 'film.mp4');
  const browser = journeyBrowser();
  const { look, complaints } = browser;
  let page: Page;

  beforeAll(async () => {
    ({ page } = browser);
    const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac'];
    const clip = { path: film, size: '640x360', framesPerSecond: 30, seconds: 20, sampleRate: 44_100, codecs };
    await makeSyncClip(await findMediaTools(process.env), clip);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const state = (words: string) => page.locator('.badge', { hasText: words }).first().waitFor();

  test('signs in, and is told what to do first', async () => {
    await page.goto(`${run.connection.siteURL}/streams?q=x`);
    await page.getByLabel('E-mail address').fill(run.connection.user.email);
    await page.getByLabel('Password').fill(run.connection.user.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Streams' }).waitFor();
    expect(page.url()).toBe(`${run.connection.siteURL}/streams?q=x`);
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByRole('heading', { name: 'Put a video on air' }).waitFor();
    expect(await look('home-empty')).toEqual([]);
  });

  test('uploads a file, says where to, goes live, and sees it with the evidence at the ingest', async () => {
    await page.getByRole('link', { name: 'Create your first stream' }).click();
    await page.getByLabel('Choose files').setInputFiles(film);
    await page.locator('.track').getByText('film.mp4').waitFor();
    expect(page.url()).toMatch(/\/streams\/new\/str_/);
    await choose(page, 'Where to', 'Built-in ingest');
    await choose(page, 'Quality', '720p');
    await page.getByText('Everything is ready.').waitFor();
    await page.getByLabel('Name of the stream').fill('My loop');
    expect(await look('new-stream')).toEqual([]);
    await page.getByRole('button', { name: 'Go live' }).click();
    await page.getByRole('heading', { name: 'My loop' }).waitFor();
    await state('Live');
    await page.getByText('Measured', { exact: true }).waitFor();
    await until(async () => (await watchChannels(run)).some(({ live }) => live));
    await page.getByText('Now ·', { exact: false }).first().waitFor();
    expect(await look('stream-live')).toEqual([]);
    await page.getByRole('button', { name: 'Watch', exact: true }).click();
    await page.waitForFunction(() => {
      const video = document.querySelector('video');
      return video !== null && video.currentTime > 1 && video.videoWidth > 0;
    });
    expect(await look('stream-watched')).toEqual([]);
    await page.getByRole('button', { name: 'Stop watching' }).click();
    await page.locator('video').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByText('1 of 1 stream').waitFor();
    expect(await look('home-live')).toEqual([]);
  });

  test('sees on the screen what somebody else changes, without doing anything', async () => {
    await page.getByRole('link', { name: 'Streams', exact: true }).click();
    const { data } = await run.api('GET', '/streams');
    await state('Live');
    await run.api('PATCH', `/streams/${data[0].id}`, { name: 'Renamed elsewhere' });
    await page.getByText('Renamed elsewhere').waitFor();
    await run.api('POST', `/streams/${data[0].id}/stop`);
    await state('Off air');
    expect(await look('streams')).toEqual([]);
  });

  test('is asked before a start that costs, and before a stop', async () => {
    await page.getByRole('link', { name: 'Renamed elsewhere' }).click();
    await page.getByRole('button', { name: 'Start' }).click();
    await page
      .getByRole('alertdialog')
      .getByText(/credits an hour/)
      .waitFor();
    expect(await look('start-asked')).toEqual([]);
    await page.keyboard.press('Escape');
    await state('Off air');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Start' }).click();
    await state('Live');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Stop' }).click();
    await state('Off air');
  });

  test('a wrong key is told in words, with the destination that refuses it', async () => {
    await page.getByRole('link', { name: 'Destinations' }).click();
    await page.getByRole('button', { name: 'Add a destination' }).click();
    await choose(page, 'Platform', 'Any other (RTMP, SRT, HLS)');
    await page.getByLabel('Name').fill('Nobody there');
    await page.getByLabel('Address').fill('rtmp://127.0.0.1:9/live');
    await page.getByLabel('Stream key', { exact: true }).fill('a-secret-key');
    await page.getByRole('dialog').getByRole('button', { name: 'Add a destination' }).click();
    await page.getByText('rtmp://127.0.0.1:9/live').waitFor();
    expect(await page.content()).not.toContain('a-secret-key');
    expect(await look('destinations')).toEqual([]);
    await page.getByRole('link', { name: 'Streams', exact: true }).click();
    await page.getByRole('link', { name: 'Renamed elsewhere' }).click();
    await page.getByRole('link', { name: 'Settings' }).click();
    await choose(page, 'Where to', 'Nobody there');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Start' }).click();
    await state('Failing');
    await page.locator('header .error').first().waitFor();
    expect(await look('stream-failing')).toEqual([]);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Stop' }).click();
    await state('Off air');
  });

  /** Whether the page still remembers interrupted uploads after a reload. */
  const isRemembered = async () =>
    (await page.evaluate(() => localStorage.getItem('uploads')))?.includes('film') ?? false;

  test('uploads files on one screen while looking at another, and goes on after a reload', async () => {
    await page.getByRole('link', { name: 'Library' }).click();
    let isHeld = true;
    await page.route(/\/objects\//, async (route) => {
      if (isHeld && route.request().method() === 'PUT') await route.abort();
      else await route.continue();
    });
    await page.getByLabel('Add files').setInputFiles(film);
    await page.getByText('Uploading').waitFor();
    await until(async () => (await run.api('GET', '/uploads')).data.length === 2);
    await until(isRemembered);
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByText('was interrupted', { exact: false }).waitFor();
    await page.getByRole('heading', { name: 'Library' }).waitFor();
    expect(await look('library-interrupted')).toEqual([]);
    isHeld = false;
    await page.getByLabel('Choose it again').setInputFiles(film);
    await page.getByText('All uploads are done').waitFor();
    await page.getByText('Ready').nth(1).waitFor();
    const { data } = await run.api('GET', '/uploads');
    expect(data).toHaveLength(2);
    expect(await look('library')).toEqual([]);
  });

  test('uploads anew what was deleted while it was interrupted, and spends no keys on parts', async () => {
    const keyed: string[] = [];
    page.on('request', (request) => {
      const isOfParts = /\/(?:part-urls|complete)$/.test(request.url());
      if (isOfParts && request.headers()['idempotency-key']) keyed.push(request.url());
    });
    const uploads = async () => (await run.api('GET', '/uploads')).data as { id: string; uploaded: boolean }[];
    await page.route(/\/objects\//, (route) => route.abort());
    await page.getByLabel('Add files').setInputFiles(film);
    await until(isRemembered);
    await page.reload();
    await page.getByText('was interrupted', { exact: false }).waitFor();
    const { id } = (await uploads()).find(({ uploaded }) => !uploaded)!;
    await run.api('DELETE', `/uploads/${id}`);
    await page.unroute(/\/objects\//);
    await page.getByLabel('Choose it again').setInputFiles(film);
    await page.getByText('All uploads are done').waitFor();
    expect((await uploads()).filter(({ uploaded }) => uploaded)).toHaveLength(3);
    expect(keyed).toEqual([]);
  });

  test('makes a playlist of a stream, adds to it, and moves an item, which is what the API then has', async () => {
    await page.getByRole('link', { name: 'Streams', exact: true }).click();
    await page.getByRole('link', { name: 'Renamed elsewhere' }).click();
    await page.getByRole('link', { name: 'Programme' }).click();
    await page.getByRole('button', { name: 'New playlist of videos' }).click();
    await page.getByText('1 item ·', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Add film.mp4' }).first().click();
    await page.getByText('2 items ·', { exact: false }).waitFor();
    const itemsOf = async () => {
      const { data } = await run.api('GET', '/playlists');
      return data[0].draft.items.map(({ id }: { id: string }) => id);
    };
    const before = await itemsOf();
    await page.getByRole('button', { name: 'Move film.mp4 up' }).nth(1).click();
    await until(async () => (await itemsOf())[0] === before[1]);
    await page.getByLabel('Position of film.mp4').first().fill('2');
    await page.keyboard.press('Enter');
    await until(async () => (await itemsOf())[0] === before[0]);
    expect(await look('playlist')).toEqual([]);
    await page.getByRole('link', { name: 'Library' }).click();
    await page.getByRole('link', { name: 'Playlists', exact: true }).click();
    await page.getByText('2 items ·', { exact: false }).waitFor();
    expect(await look('playlists')).toEqual([]);
  });

  test('sees that somebody else has edited a playlist, and loses nothing of theirs', async () => {
    await page.getByRole('link', { name: /^Playlist of / }).click();
    await page.getByText('2 items ·', { exact: false }).waitFor();
    const { data } = await run.api('GET', '/playlists');
    const [playlist] = data;
    await page.route(/\/v1\/changes/, (route) => route.abort());
    const operations = [{ op: 'add', uploadID: playlist.draft.items[0].uploadID }];
    await run.api('POST', `/playlists/${playlist.id}/operations`, { operations });
    await page.getByRole('button', { name: 'Remove film.mp4' }).first().click();
    await page.getByText('Another person has changed it meanwhile.', { exact: false }).waitFor();
    await page.getByText('3 items ·', { exact: false }).waitFor();
    await page.unroute(/\/v1\/changes/);
    expect((await run.api('GET', `/playlists/${playlist.id}`)).draft.items).toHaveLength(3);
  });

  test.each([
    ['billing', 'Use'],
    ['account', 'API keys'],
  ])('%s shows what there is', async (path, heading) => {
    await page.goto(`${run.connection.siteURL}/${path}`);
    await page.getByRole('heading', { name: heading, exact: true }).waitFor();
    expect(await look(path)).toEqual([]);
  });

  test('is told when the API is away, keeps what was known, and goes on by itself', async () => {
    await page.getByRole('link', { name: 'Streams', exact: true }).click();
    await page.getByText('Renamed elsewhere').waitFor();
    await page.route(/\/v1\//, (route) => route.abort());
    await page.getByText('The platform does not answer.', { exact: false }).waitFor();
    await page.getByText('Renamed elsewhere').waitFor();
    expect(await look('away')).toEqual([]);
    await page.unroute(/\/v1\//);
    await page.getByText('The platform does not answer.', { exact: false }).waitFor({ state: 'detached' });
  });

  test('sees what the API could not answer for a while', async () => {
    let refusals = 3;
    await page.route(/\/v1\/streams\?/, async (route) => {
      if (refusals-- > 0) await route.fulfill({ status: 503, json: { detail: 'Too much at once.' } });
      else await route.continue();
    });
    await page.goto(`${run.connection.siteURL}/streams`);
    await page.getByText('Too much at once.').waitFor();
    await page.getByText('Renamed elsewhere').waitFor();
    await page.unroute(/\/v1\/streams\?/);
    expect(refusals).toBeLessThan(0);
  });

  test('makes the whole way to a stream with the keyboard alone', async () => {
    await page.goto(`${run.connection.siteURL}/`);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content');
    const reach = async (text: string) => {
      for (let steps = 0; steps < 40; steps++) {
        if ((await page.evaluate(() => document.activeElement?.textContent)) === text) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`${text} is not reached by the keyboard`);
    };
    await reach('Streams');
    await page.keyboard.press('Enter');
    await page.getByText('Renamed elsewhere').waitFor();
    await reach('Renamed elsewhere');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Renamed elsewhere' }).waitFor();
    await reach('Start');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('alertdialog');
    // The dialog takes the focus after it is shown, and only then the keys.
    await page.waitForFunction(() => document.activeElement?.closest('[role=alertdialog]'));
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  });

  test('chooses light or dark, which lasts, and goes before what the system has', async () => {
    const isDark = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme === 'dark');
    const chooseTheme = async (name: string) => {
      await page.getByRole('button', { name: 'Account' }).click();
      await page.getByRole('menuitemradio', { name }).click();
      await page.keyboard.press('Escape');
    };
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await chooseTheme('Dark');
    expect(await isDark()).toBe(true);
    await page.reload();
    await page.getByRole('heading', { name: 'Renamed elsewhere' }).waitFor();
    expect(await isDark()).toBe(true);
    await chooseTheme('System');
    expect(await isDark()).toBe(false);
    const moving = await page.evaluate(() =>
      [...document.querySelectorAll('*')]
        .filter((element) => Number.parseFloat(getComputedStyle(element).transitionDuration) > 0)
        .map(({ outerHTML }) => outerHTML),
    );
    expect(moving).toEqual([]);
    await page.emulateMedia({ reducedMotion: null });
  });

  test('the browser has complained of nothing, and blocked nothing', () => {
    expect(complaints).toEqual([]);
  });
});
