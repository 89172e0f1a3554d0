// Long lists and many files, in a real browser at a real local run: a playlist of a thousand items, a dropped folder.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/chromium.ts';
import { journeyBrowser } from '../support/journey-browser.ts';
import { until } from '../support/local-run.ts';
import { testLocalRun } from '../support/test-local-run.ts';

const itemCount = 1000;
const fileCount = 1000;
/** Time limit: each file needs a dozen messages between the browser and the API's stand-in. */
const filesWaitMs = 480_000;

describe.skipIf(!chromiumPath)('in Chromium (skipped where it is not installed)', () => {
  const run = testLocalRun('--no-demo');
  const browser = journeyBrowser();
  const folder = mkdtempSync(join(tmpdir(), 'long-lists-'));
  let page: Page;
  let playlistID: string;

  beforeAll(async () => {
    ({ page } = browser);
    const stream = await run.api('POST', '/streams', { name: 'Long' });
    ({ id: playlistID } = await run.api('POST', '/playlists', {
      streamID: stream.id,
      kind: 'video',
      mode: 'sequential',
    }));
    const uploads: string[] = [];
    for (const name of ['one.mp4', 'two.mp4', 'three.mp4'])
      uploads.push((await run.api('POST', '/uploads', { name, mimeType: 'video/mp4' })).id);
    for (let begun = 0; begun < itemCount; begun += 500) {
      const operations = Array.from({ length: 500 }, (_, index) => ({
        op: 'add',
        uploadID: uploads[(begun + index) % uploads.length],
        itemID: `itm_${begun + index + 1}`,
      }));
      await run.api('POST', `/playlists/${playlistID}/operations`, { operations });
    }
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const orderOnTheServer = async (): Promise<string[]> =>
    (await run.api('GET', `/playlists/${playlistID}`)).draft.items.map(({ id }: { id: string }) => id);
  const placeOf = async (item: number) => (await orderOnTheServer()).indexOf(`itm_${item}`) + 1;
  const rowAt = (place: number) => page.locator(`li[aria-posinset="${place}"]`);

  test('a file beyond the first hundred is found by a search, and chosen for a new stream', async () => {
    for (let made = 1; made <= 100; made++)
      await run.api('POST', '/uploads', { name: `clip ${made}.mp4`, mimeType: 'video/mp4' });
    await browser.signIn(run, '/streams/new');
    await page.locator('button.choice').and(page.getByLabel('From the library')).click();
    await page.getByRole('option', { name: 'clip 100.mp4' }).waitFor();
    const one = page.getByRole('option', { name: 'one.mp4' });
    expect(await one.count()).toBe(0);
    await page.getByRole('searchbox', { name: 'Find' }).fill('one');
    await one.click();
    await page.locator('.track').getByText('one.mp4').waitFor();
    await page.waitForURL('**/streams/new/str_*');
  });

  test('a thousand items are there without a request for each, and few of them at a time', async () => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${run.connection.siteURL}/playlists/${playlistID}`);
    await page.getByText('1000 items ·', { exact: false }).waitFor();
    await rowAt(1).getByText('one.mp4').waitFor();
    expect(await rowAt(1).getAttribute('aria-setsize')).toBe(String(itemCount));
    expect(asked.filter((url) => /\/uploads\/upl_/.test(url))).toEqual([]);
    expect(await page.locator('ol.rows > li').count()).toBeLessThan(100);
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await rowAt(itemCount).waitFor();
    expect(await page.locator('ol.rows > li').count()).toBeLessThan(100);
    await page.evaluate(() => scrollTo(0, 0));
    await rowAt(1).waitFor();
    expect(await browser.look('playlist-long')).toEqual([]);
  });

  test('an item goes from 3 to 900 by its position, with the keyboard alone', async () => {
    await rowAt(3).getByRole('spinbutton').focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('900');
    await page.keyboard.press('Enter');
    await until(async () => (await placeOf(3)) === 900);
    expect(await placeOf(4)).toBe(3);
  });

  test('an item is dragged far down while the list scrolls, and lands where it is let go', async () => {
    await page.evaluate(() => scrollTo(0, 0));
    const handle = rowAt(5).locator('.handle');
    await handle.waitFor();
    const item = (await orderOnTheServer())[4]!;
    const { x, y } = (await handle.boundingBox())!;
    await page.mouse.move(x + 4, y + 8);
    await page.mouse.down();
    await page.mouse.move(x + 4, 890, { steps: 5 });
    // The list scrolls past each place faster than a locator polls.
    const isFarDown = () => Number(document.querySelector<HTMLElement>('li[data-index]')?.dataset['index']) >= 700;
    await page.waitForFunction(isFarDown, undefined, { polling: 'raf' });
    await page.mouse.move(x + 4, 450, { steps: 5 });
    const under = await page.evaluate(
      () => document.elementFromPoint(640, 450)!.closest<HTMLElement>('li[data-index]')!.dataset['index'],
    );
    await page.mouse.up();
    await until(async () => (await orderOnTheServer()).indexOf(item) > 600);
    expect(Math.abs((await orderOnTheServer()).indexOf(item) - Number(under))).toBeLessThanOrEqual(1);
    expect(new Set(await orderOnTheServer()).size).toBe(itemCount);
  });

  test('edits that follow each other at once are all kept, in their order', async () => {
    await page.evaluate(() => scrollTo(0, 0));
    const first = (await orderOnTheServer())[0]!;
    for (let place = 1; place <= 4; place++)
      await rowAt(place)
        .getByRole('button', { name: /^Move .* down$/ })
        .click();
    await until(async () => (await orderOnTheServer())[4] === first);
    expect(await page.getByText('Another person has changed it', { exact: false }).count()).toBe(0);
  });

  const options = { timeout: 1.2 * filesWaitMs };
  test(
    'a thousand files of a dropped folder all arrive, over a failure and a refusal for a while',
    options,
    async () => {
      const dropped = join(folder, 'Summer');
      mkdirSync(join(dropped, 'Night'), { recursive: true });
      for (let file = 1; file <= fileCount; file++)
        writeFileSync(join(dropped, file % 2 === 0 ? 'Night' : '', `clip-${file}.mp4`), `clip ${file}`);
      writeFileSync(join(dropped, 'notes.txt'), 'not media');
      const made: { name: string; folder: string }[] = [];
      const complete = new Set<string>();
      let refusals = 0;
      // The stand-in for the API answers at once: a real one would be busy with inspecting a thousand files.
      await page.route(/\/v1\/uploads(\/(?!folders)|$)|\/stand-in/, async (route) => {
        const request = route.request();
        const { pathname } = new URL(request.url());
        const id = /upl_\d+/.exec(pathname)?.[0] ?? '';
        if (pathname === '/v1/uploads' && request.method() === 'POST') {
          if (made.length === 20 && refusals++ === 0)
            return route.fulfill({ status: 429, headers: { 'retry-after': '1' }, json: { detail: 'Too much.' } });
          if (made.length === 40 && refusals++ === 1) return route.abort();
          made.push(request.postDataJSON());
          return route.fulfill({ status: 201, json: { id: `upl_${made.length}` } });
        }
        if (pathname.endsWith('/part-urls')) {
          const parts = request.postDataJSON().partNumbers.map((partNumber: number) => ({
            partNumber,
            url: `/stand-in/${id}`,
            headers: {},
            expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
          }));
          return route.fulfill({ json: { partSizeBytes: 5_242_880, parts } });
        }
        if (pathname.endsWith('/parts')) return route.fulfill({ json: [] });
        if (pathname.endsWith('/complete')) complete.add(id);
        return route.fulfill({ json: { id, uploaded: true } });
      });
      await page.getByRole('link', { name: 'Library' }).click();
      // The previous screen also has a heading with this word.
      await page.getByText('Drop files or folders anywhere on this page.').waitFor();
      // A browser does not drop on an element that appeared under the pointer after its last move.
      await page.getByText('Not uploaded').first().waitFor();
      const session = await page.context().newCDPSession(page);
      const data = { items: [], files: [dropped], dragOperationsMask: 1 };
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
        await session.send('Input.dispatchDragEvent', { type, x: 600, y: 300, data });
      await page.getByText(/^\d+ uploads?$/).waitFor();
      await page.getByText('All uploads are done').waitFor({ timeout: filesWaitMs });
      expect(complete.size).toBe(fileCount);
      expect(made).toHaveLength(fileCount);
      expect(new Set(made.map(({ folder: into }) => into))).toEqual(new Set(['Summer', 'Summer/Night']));
      expect(made.map(({ name }) => name)).not.toContain('notes.txt');
      await page.unroute(/\/v1\/uploads(\/(?!folders)|$)|\/stand-in/);
    },
  );

  test('the browser has complained of nothing, and blocked nothing', () => {
    expect(browser.complaints).toEqual([]);
  });
});
