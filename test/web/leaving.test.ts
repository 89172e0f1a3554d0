// Edits, files and links that a user comes back to, in a real browser at a real local run.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/chromium.ts';
import { journeyBrowser } from '../support/journey-browser.ts';
import { until } from '../support/local-run.ts';
import { addManyUploads } from '../support/many-uploads.ts';
import { testLocalRun } from '../support/test-local-run.ts';

const fileCount = 1200;

describe.skipIf(!chromiumPath)('in Chromium (skipped where it is not installed)', () => {
  const run = testLocalRun('--no-demo');
  const browser = journeyBrowser();
  let page: Page;
  let streamID: string;
  let playlistID: string;
  beforeAll(async () => {
    ({ page } = browser);
    await addManyUploads(run, fileCount);
    ({ id: streamID } = await run.api('POST', '/streams', { name: 'Night radio' }));
    await browser.signIn(run, '/');
  });

  const open = (path: string) => page.goto(`${run.connection.siteURL}${path}`);
  const button = (name: string) => page.getByRole('button', { name, exact: true });

  test('of many folders the first are at hand, and a search finds each of them', async () => {
    await open('/library');
    const folders = page.locator('.folders');
    await button('All 50 folders').waitFor();
    expect(await folders.getByRole('button').count()).toBe(7);
    await button('All 50 folders').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem').nth(49).waitFor();
    expect(await browser.look('library-folders')).toEqual([]);
    await page.keyboard.type('er 37');
    await expect.poll(() => page.getByRole('menuitem').allTextContents()).toEqual(['Folder 37']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await folders.getByText('Folder 37').waitFor();
    expect(new URL(page.url()).searchParams.get('folder')).toBe('Folder 37');
  });

  test('the menu of a row opens with the arrow keys, and gives the focus back', async () => {
    await open('/library');
    await page.locator('ul.rows > li').nth(5).waitFor();
    const menu = page.getByRole('button', { name: /^Actions of / }).first();
    await menu.focus();
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => page.getByRole('menuitem', { name: 'Delete' }).getAttribute('data-focused')).toBe('true');
    await page.keyboard.press('Escape');
    await expect.poll(() => menu.evaluate((each) => each === document.activeElement)).toBe(true);
    expect(await menu.getAttribute('aria-expanded')).toBe('false');
  });

  test('all files of the library are read by scrolling, chosen at once, and moved', async () => {
    await open('/library');
    const rows = page.locator('ul.rows > li');
    await rows.nth(5).waitFor();
    const isAtEnd = async () => (await rows.last().getAttribute('aria-posinset')) === String(fileCount);
    await until(async () => {
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
      return isAtEnd();
    });
    await open('/library');
    await page.getByRole('checkbox', { name: 'Choose all' }).click();
    await page.getByText(`${fileCount} files chosen`).waitFor();
    await rows.nth(1).getByRole('checkbox').click();
    await page.getByText(`${fileCount - 1} files chosen`).waitFor();
    expect(await browser.look('library-chosen')).toEqual([]);
    await button('Move to a folder').click();
    await page.getByLabel('Folder', { exact: true }).fill('Everything');
    await button('Move').click();
    await page.getByText('files chosen').waitFor({ state: 'detached' });
    const { data } = await run.api('GET', '/uploads?folder=Everything&limit=100&sort=createdAt');
    expect(data[0].name).toBe('file 1.mp3');
    expect((await run.api('GET', '/uploads/upl_many1199')).folder).toBe('Folder 49');
  });

  test('a playlist and the choice of files have titles, not names of files', async () => {
    const audio = { streamID, kind: 'audio', mode: 'sequential' };
    ({ id: playlistID } = await run.api('POST', '/playlists', audio));
    const operations = [{ op: 'add', uploadID: 'upl_many7' }];
    await run.api('POST', `/playlists/${playlistID}/operations`, { operations });
    await open(`/playlists/${playlistID}`);
    const item = page.locator('ol.rows > li');
    await item.locator('.name', { hasText: 'Song 7' }).waitFor();
    await item.getByText('file 7.mp3').waitFor();
    await page.getByText('Artist 0 – Song 1200').waitFor();
    expect(await button('Remove Song 7').isVisible()).toBe(true);
  });

  test('a playlist is published once, however often its button is pressed', async () => {
    await open(`/playlists/${playlistID}`);
    let asked = 0;
    let answer = (): void => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/v1/playlists/*/publish', async (route) => {
      asked++;
      await held;
      await route.continue();
    });
    await button('Publish').click();
    await page.waitForFunction(() => document.querySelector<HTMLButtonElement>('button.primary')!.disabled);
    answer();
    await page.getByText('Streams play this draft.', { exact: false }).waitFor();
    expect(asked).toBe(1);
  });

  test('edits of a programme are there again after a visit to another screen, until they are saved', async () => {
    const { id } = await run.api('POST', '/programmes', { streamID, kind: 'audio' });
    await open(`/programmes/${id}`);
    await button('Add a block').click();
    await page.getByLabel('Name', { exact: true }).fill('Music at night');
    await page.getByRole('navigation').getByRole('link', { name: 'Library', exact: true }).click();
    await page.getByRole('heading', { name: 'Library' }).waitFor();
    await page.goBack();
    await page.getByText('You have edits that are not saved yet.').waitFor();
    await page.getByText('Music at night').first().waitFor();
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.type());
      void dialog.accept();
    });
    await page.reload();
    expect(dialogs).toEqual(['beforeunload']);
    await page.getByRole('heading', { name: /^Programme of/ }).waitFor();
    expect(await page.getByText('Music at night').count()).toBe(0);
  });

  test('“API keys” leads to the keys', async () => {
    await open('/developers');
    await page.getByRole('link', { name: 'API keys' }).click();
    const heading = page.getByRole('heading', { name: 'API keys' });
    await heading.waitFor();
    await expect.poll(async () => (await heading.boundingBox())!.y).toBeLessThan(200);
  });

  test('someone who signs up here reads that mails stay on this machine', async () => {
    const stranger = await page.context().browser()!.newPage();
    await stranger.goto(`${run.connection.siteURL}/sign-up`);
    await stranger.getByLabel('Name').fill('Ada');
    await stranger.getByLabel('E-mail address').fill('ada@example.com');
    await stranger.getByLabel('Password').fill('a long enough password');
    await stranger.keyboard.press('Enter');
    await stranger.getByRole('heading', { name: 'Look into your mail' }).waitFor();
    expect(await stranger.getByText('This machine sends no mails.', { exact: false }).isVisible()).toBe(true);
    await stranger.close();
  });
});
