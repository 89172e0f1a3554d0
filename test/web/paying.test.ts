// Credits by card and by coin, a file that could not be fetched, and a phone without a touch: in a real browser.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { chromiumPath } from '../support/chromium.ts';
import { journeyBrowser } from '../support/journey-browser.ts';
import { until } from '../support/local-run.ts';
import { madeSample } from '../support/media-samples.ts';
import { testLocalRun } from '../support/test-local-run.ts';

describe.skipIf(!chromiumPath)('somebody with a browser (skipped where Chromium is not installed)', () => {
  const run = testLocalRun('--no-demo');
  const browser = journeyBrowser();
  let page: Page;
  beforeAll(() => {
    ({ page } = browser);
  });
  const balance = async (): Promise<number> => (await run.api('GET', '/billing/overview')).billing.balance;
  const open = (path: string) => page.goto(`${run.connection.siteURL}${path}`);

  test('pays by card, comes back, and reads that the credits have come', async () => {
    const before = await balance();
    await browser.signIn(run, '/billing');
    await page.getByLabel('Dollars').fill('12.50');
    await page.getByRole('button', { name: 'Go to the checkout' }).click();
    await page.getByText('$12.50').waitFor();
    await page.getByRole('button', { name: 'Pay' }).click();
    await page.getByRole('link', { name: 'Back to billing' }).click();
    await page.getByText('Thank you: 1,250 credits have been added.').waitFor();
    expect(await balance()).toBe(before + 1250);
  });

  test('pays by coin: sees where to, that it is on its way, and then the credits', async () => {
    const before = await balance();
    const currency = 'USDC (BASE)';
    await page
      .locator('button.choice')
      .and(page.getByLabel('Coin', { exact: true }))
      .click();
    await page.getByRole('option', { name: currency }).click();
    await page.getByText('Send USDC on the BASE network only', { exact: false }).waitFor();
    const { address } = await run.api('GET', `/crypto/currencies/${encodeURIComponent(currency)}/deposit-address`);
    await page.getByText(address, { exact: true }).waitFor();
    await page.getByRole('img', { name: 'The address as a QR code' }).waitFor();
    const report = async (status: string) => {
      const body = new URLSearchParams({ address, amount: '2.5', transaction: 'one', status });
      expect((await fetch(`${run.connection.siteURL}/test-deposits`, { method: 'POST', body })).status).toBe(200);
    };
    await report('confirming');
    const deposit = page.getByRole('region', { name: 'Deposits' }).getByRole('listitem');
    await deposit.filter({ hasText: 'waiting for confirmations' }).waitFor();
    expect(await browser.look('billing-coin')).toEqual([]);
    await report('confirmed');
    await deposit.filter({ hasText: 'credited' }).waitFor();
    expect(await deposit.innerText()).toContain(`2.5 ${currency}`);
    expect(await balance()).toBe(before + 250);
  });

  test('is told why a file was not fetched, and has it fetched again once it is there', async () => {
    const black = '-f lavfi -i color=black:s=320x180:r=30:d=12 -c:v libx264 -preset ultrafast'.split(' ');
    const film = await readFile(await madeSample('black.mp4', black));
    let isThere = false;
    const source = createServer((_, response) => {
      response.writeHead(isThere ? 200 : 404, { 'content-type': 'video/mp4' });
      response.end(isThere ? film : 'Nothing here.');
    });
    source.listen(0, '127.0.0.1');
    await once(source, 'listening');
    onTestFinished(() => void source.close());
    await open('/library');
    const { port } = source.address() as AddressInfo;
    await page.getByRole('button', { name: 'Import from a link' }).click();
    await page.getByLabel('Link to a file').fill(`http://127.0.0.1:${port}/late.mp4`);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const row = page.getByRole('listitem').filter({ hasText: 'late.mp4' });
    await row.getByText('Import failed').waitFor();
    expect(await row.locator('p.error').innerText()).toContain('404');
    expect(await browser.look('library-import-failed')).toEqual([]);
    isThere = true;
    await row.getByRole('button', { name: 'Try again: late.mp4' }).click();
    await row.getByText('Ready', { exact: true }).waitFor();
    await row.getByText('that viewers may notice').click();
    await row.getByText('The picture is black', { exact: false }).waitFor();
    expect(await browser.look('library-findings')).toEqual([]);
  });

  test('reads by name which streams stopped without credits, and opens one', async () => {
    const { id } = await run.api('POST', '/streams', { name: 'Night radio' });
    const { id: userID } = await run.api('GET', '/me');
    const pool = new pg.Pool({ connectionString: run.connection.databaseURL });
    const detail = { streamIDs: [id], streams: [{ id, name: 'Night radio' }] };
    const kind = 'streams_stopped_without_credits';
    await databaseOn(pool).notifications.add({ userID, kind, reference: 'one', detail, dueAt: new Date() });
    await pool.end();
    await open('/alerts');
    await page.getByText('Your streams have stopped', { exact: false }).click();
    await page.getByText('• Night radio', { exact: false }).waitFor();
    expect(await page.locator('.mail').innerText()).not.toContain(id);
    expect(await browser.look('alerts-stopped')).toEqual([]);
    await page.getByRole('link', { name: 'Open Night radio' }).click();
    await page.getByRole('heading', { name: 'Night radio' }).waitFor();
  });

  test('goes live, orders a playlist and plans a stream on a narrow screen with the keyboard alone', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    const [{ id: uploadID }] = (await run.api('GET', '/uploads?q=late')).data;
    await open(`/streams/new?upload=${uploadID}`);
    await page.locator('.track').getByText('late.mp4').waitFor();
    await type('Where to', 'Built-in');
    await page.getByText('Everything is ready.').waitFor();
    await type('Name of the stream', 'By hand');
    await page.keyboard.press('Enter');
    await state('Live');
    await press('Stop');
    await press('Stop');
    await state('Off air');

    await press('Programme');
    await press('New playlist of videos');
    await page.getByText('1 item ·', { exact: false }).waitFor();
    await press('Add late.mp4');
    await page.getByText('2 items ·', { exact: false }).waitFor();
    const playlistID = new URL(page.url()).pathname.split('/').at(-1);
    const itemsOf = async (): Promise<string[]> =>
      (await run.api('GET', `/playlists/${playlistID}`)).draft.items.map(({ id }: { id: string }) => id);
    await until(async () => (await itemsOf()).length === 2);
    const before = await itemsOf();
    await reach('Position of late.mp4');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('2');
    await page.keyboard.press('Enter');
    await until(async () => (await itemsOf())[1] === before[0]);

    await open('/schedule');
    await press('Plan a stream');
    await type('Stream', 'By');
    await type('Start', '032520300800PM');
    await type('Time zone', 'Europe/Berlin');
    await type('Repeat', 'Every day');
    await page.getByText('It would start', { exact: false }).waitFor();
    await press('Plan it');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const [planned] = (await run.api('GET', '/streams?q=By%20hand')).data;
    expect(planned).toMatchObject({ state: 'scheduled', scheduleStartAt: '2030-03-25T19:00:00.000Z' });
  });

  const state = (text: string) => page.locator('.badge', { hasText: text }).first().waitFor();
  /** Moves the focus by Tab to the element with this name. */
  async function reach(name: string): Promise<void> {
    const passed: string[] = [];
    for (let steps = 0; steps < 150; steps++) {
      const focused = await focusedName();
      if (focused === name) return;
      passed.push(focused);
      await page.keyboard.press('Tab');
    }
    throw new Error(`The keyboard does not reach ${name}, but ${[...new Set(passed)].join(', ')}`);
  }
  const focusedName = () =>
    page.evaluate(() => {
      const focused = document.activeElement as HTMLInputElement;
      const { ariaLabel, labels, textContent } = focused;
      const label = focused.matches('.choice') ? focused.closest('.field')?.querySelector('.label') : labels?.[0];
      return (ariaLabel ?? label?.textContent ?? textContent ?? '').trim();
    });
  async function type(name: string, text: string): Promise<void> {
    await reach(name);
    await page.keyboard.type(text);
  }
  async function press(name: string): Promise<void> {
    await reach(name);
    await page.keyboard.press('Enter');
  }

  test('the browser has complained of nothing, and blocked nothing', () => {
    expect(browser.complaints).toEqual([]);
  });
});
