// Response times of the web page with 1,000 streams, 1,000 items and 10,000 files, on a slow processor (`CPU=4`).
// A real `npm start` answers. The limits are the delays that users notice (web.dev), and tasks of 50 ms.
import { chromium } from 'playwright-core';
import type { CDPSession, Page } from 'playwright-core';
import { chromiumPath } from '../support/chromium.ts';
import { startLocalRun, temporaryDataFolder } from '../support/local-run.ts';
import type { LocalRun } from '../support/local-run.ts';
import { addManyUploads } from '../support/many-uploads.ts';
import { fileCount, libraryBench } from './page-library.ts';

const slowdown = Number(process.env['CPU'] ?? 4);
const streamCount = 1000;
const itemCount = 1000;
/** Lighthouse's definition of slow 4G. */
const slow4G = { offline: false, latency: 150, downloadThroughput: 204_800, uploadThroughput: 93_750 };

export async function pageBench(): Promise<void> {
  if (!chromiumPath) throw new Error('This needs Chromium.');
  const folder = await temporaryDataFolder();
  const run = await startLocalRun(folder.path, '--no-demo');
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
  try {
    const playlistID = await fill(run);
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(60_000);
    await page.addInitScript(observe);
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    console.log(`${streamCount} streams, ${itemCount} items, processor ÷ ${slowdown}`);
    await firstLoad(page, session, run);
    for (const [name, path, rows] of [
      ['streams', '/streams', 'ul.rows > li'],
      ['playlist', `/playlists/${playlistID}`, 'ol.rows > li'],
    ] as const)
      await scroll(page, session, name, run.connection.siteURL + path, rows);
    await interact(page, run.connection.siteURL);
    await addManyUploads(run, fileCount);
    await libraryBench(page, run.connection.siteURL);
  } finally {
    await browser.close();
    await run.interrupt();
    await folder.remove();
  }
}

async function fill({ api }: LocalRun): Promise<string> {
  for (let begun = 0; begun < streamCount; begun += 10) {
    const ten = Array.from({ length: 10 }, (_, index) => api('POST', '/streams', { name: `Stream ${begun + index}` }));
    await Promise.all(ten);
  }
  const { data } = await api('GET', '/streams?limit=1');
  const settings = { streamID: data[0].id, kind: 'video', mode: 'sequential' };
  const { id } = await api('POST', '/playlists', settings);
  const upload = await api('POST', '/uploads', { name: 'item.mp4', mimeType: 'video/mp4' });
  const operations = Array.from({ length: itemCount / 2 }, () => ({ op: 'add', uploadID: upload.id }));
  for (let half = 0; half < 2; half++) await api('POST', `/playlists/${id}/operations`, { operations });
  return id;
}

async function firstLoad(page: Page, session: CDPSession, { connection: { siteURL, user } }: LocalRun): Promise<void> {
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', slow4G);
  // The first request bundles the page. In AWS the deployment has done that.
  await fetch(siteURL);
  await page.goto(`${siteURL}/sign-in`);
  await page.getByLabel('Password').waitFor();
  const signIn = await page.evaluate(() => (globalThis as any).measured.lcp as number);
  await page.getByLabel('E-mail address').fill(user.email);
  await page.getByLabel('Password').fill(user.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.goto(`${siteURL}/streams`);
  await page.getByText('Stream 999').first().waitFor();
  const { lcp: streams, shift } = await page.evaluate(() => (globalThis as any).measured);
  console.log(
    `  largest paint on slow 4G: sign-in, nothing cached ${ms(signIn)}; streams ${ms(streams)} (at most 2000)`,
  );
  console.log(`  layout shift while streams appear: ${(shift as number).toFixed(3)} (at most 0.02)`);
  await session.send('Network.emulateNetworkConditions', { ...slow4G, latency: 0, downloadThroughput: -1 });
}

async function scroll(page: Page, session: CDPSession, name: string, url: string, rows: string): Promise<void> {
  await page.goto(url);
  await page.locator(rows).nth(5).waitFor();
  // Both lists have this many items, and load more near the end.
  const isAtEnd = async () => (await page.locator(rows).last().getAttribute('aria-posinset')) === String(itemCount);
  await page.mouse.move(600, 500);
  await page.evaluate(() => ((globalThis as any).measured.tasks = []));
  const beganMs = performance.now();
  for (let turns = 0; turns < 2000; turns++) {
    await page.mouse.wheel(0, 700);
    if (turns % 20 === 19 && (await isAtEnd())) break;
  }
  const seconds = (performance.now() - beganMs) / 1000;
  const tasks = (await page.evaluate(() => (globalThis as any).measured.tasks)) as number[];
  const there = await page.locator(rows).count();
  const last = await page.locator(rows).last().getAttribute('aria-posinset');
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  console.log(
    `  ${name}: scrolled to row ${last} in ${seconds.toFixed(1)} s; tasks over 50 ms: ${tasks.length}` +
      `${tasks.length > 0 ? ` (longest ${ms(Math.max(...tasks))})` : ''}; rows there: ${there}; ` +
      `heap ${(usedSize / 1024 ** 2).toFixed(1)} MiB (at most 60)`,
  );
}

/** Uses screens, filters and edits, and reads the time of each until the next paint. */
async function interact(page: Page, siteURL: string): Promise<void> {
  await page.goto(`${siteURL}/streams`);
  await page.getByText('Stream 999').first().waitFor();
  await page.evaluate(() => ((globalThis as any).measured.events = []));
  const navigation = page.getByRole('navigation', { name: 'Screens' });
  for (let lap = 0; lap < 3; lap++) {
    for (const name of ['Home', 'Library', 'Schedule', 'Streams']) {
      await navigation.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { name, exact: true }).waitFor();
    }
    await page.getByRole('searchbox').click();
    await page.keyboard.type('999', { delay: 60 });
    await page.getByRole('searchbox').fill('');
    await page.getByText('Stream 998').first().waitFor();
  }
  const events = ((await page.evaluate(() => (globalThis as any).measured.events)) as number[]).toSorted(
    (a, b) => a - b,
  );
  const at = (share: number) => ms(events[Math.min(events.length - 1, Math.floor(events.length * share))] ?? 0);
  console.log(
    `  ${events.length} interactions of 16 ms or more until the next paint: ` +
      `p75 ${at(0.75)} (at most 100), p98 ${at(0.98)} (at most 200)`,
  );
}

const ms = (value: number) => `${Math.round(value)} ms`;

/** Runs in the page, before its own scripts. */
function observe(): void {
  const measured = { lcp: 0, shift: 0, tasks: [] as number[], events: [] as number[] };
  (globalThis as any).measured = measured;
  const on = (type: string, take: (entry: any) => void, more = {}) =>
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) take(entry);
    }).observe({ type, buffered: true, ...more });
  on('largest-contentful-paint', ({ startTime }) => (measured.lcp = startTime));
  on('layout-shift', ({ value, hadRecentInput }) => (measured.shift += hadRecentInput ? 0 : value));
  on('longtask', ({ duration }) => measured.tasks.push(duration));
  on('event', ({ interactionId, duration }) => void (interactionId > 0 && measured.events.push(duration)), {
    durationThreshold: 16,
  });
}
