// `npm run pictures`: takes the README's pictures of the web page, from a real run with its demo on air, in Chromium.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Page } from 'playwright-core';
import { chromiumPath } from '../support/chromium.ts';
import { startLocalRun, temporaryDataFolder, until } from '../support/local-run.ts';

const target = join(import.meta.dirname, '../../.github/pictures');
const viewport = { width: 1120, height: 700 };
/** WebP quality, of 100. Text stays sharp, and a picture has some 30 KB. */
const quality = 72;
/** Time until the charts have figures. */
const onAirMs = 150_000;

if (!chromiumPath) throw new Error('This needs Chromium.');
const folder = await temporaryDataFolder();
const run = await startLocalRun(folder.path);
const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
try {
  await mkdir(target, { recursive: true });
  const page = await browser.newPage({ viewport });
  const { siteURL, user } = run.connection;
  const stream = await untilDemoIsLive();
  await page.goto(`${siteURL}/sign-in`);
  await page.getByLabel('E-mail address').fill(user.email);
  await page.getByLabel('Password').fill(user.password);
  await page.keyboard.press('Enter');
  await page.locator('.tiles img').first().waitFor();
  await page.waitForTimeout(onAirMs);
  await page.waitForFunction(() => (document.querySelector<HTMLImageElement>('.tiles img')?.naturalWidth ?? 0) > 0);
  await take(page, 'home');
  await page.goto(`${siteURL}/streams/${stream}`);
  await page.getByRole('button', { name: 'Watch', exact: true }).click();
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 1);
  await page.locator('.plot canvas').first().waitFor();
  await take(page, 'stream');
} finally {
  await browser.close();
  await run.interrupt();
  await folder.remove();
}

async function untilDemoIsLive(): Promise<string> {
  let id = '';
  await until(async () => {
    const { data } = await run.api('GET', '/streams');
    const live = data.find(({ state }: { state: string }) => state === 'active');
    id = live?.id ?? '';
    return id !== '';
  });
  return id;
}

/** Takes a picture in light and in dark, as WebP. */
async function take(page: Page, name: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
    const bytes = Buffer.from(data, 'base64');
    await writeFile(join(target, `${name}-${colorScheme}.webp`), bytes);
    console.log(`${name}-${colorScheme}.webp: ${(bytes.length / 1024).toFixed(0)} KiB`);
  }
}
