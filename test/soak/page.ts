// `npm run soak:page -- --hours 8`: a working day on the web page of a real local run, in Chromium, its clock sped up.
// All its requests are really answered. It fails if memory, nodes or listeners have grown, and prints the requests.
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import type { CDPSession, Page } from 'playwright-core';
import { chromiumPath } from '../support/chromium.ts';
import { createLoop, startLocalRun, temporaryDataFolder, untilActive, uploadFile } from '../support/local-run.ts';
import { madeSample } from '../support/media-samples.ts';

const { values } = parseArgs({ options: { hours: { type: 'string', default: '8' } } });
const hours = Number(values.hours);
/** One interval of the page's polling. */
const stepSeconds = 2;
const minutesOnScreen = 5;
const mostGrowth = 1.1;
const screens = ['Home', 'Streams', 'Library', 'Schedule', 'Destinations', 'Billing', 'Developers', 'Streams'] as const;
/**
 * Warm-up: the browser's caches of compiled code and measurements fill in the first turns of all screens, and React
 * keeps the nodes of one screen that was left.
 */
const minutesUntilWarm = 6 * screens.length * minutesOnScreen;

interface Kept {
  readonly heapMiB: number;
  readonly nodes: number;
  readonly listeners: number;
}

if (!(hours * 60 > minutesUntilWarm)) throw new Error(`Give more than ${minutesUntilWarm / 60} hours.`);
if (!chromiumPath) throw new Error('This needs Chromium.');
const folder = await temporaryDataFolder();
const run = await startLocalRun(folder.path, '--no-demo');
const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
try {
  await putOnAir();
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.clock.install();
  const session = await page.context().newCDPSession(page);
  await signIn(page);
  let open = 0;
  let requests = 0;
  page.on('request', () => void (open++, requests++));
  page.on('requestfinished', () => void open--);
  page.on('requestfailed', () => void open--);
  const isQuiet = () => open === 0;

  let warm: Kept | null = null;
  let warmRequests = 0;
  const steps = (hours * 3600) / stepSeconds;
  const beganMs = performance.now();
  for (let step = 0; step < steps; step++) {
    const second = step * stepSeconds;
    if (second % (minutesOnScreen * 60) === 0) await goOn(page, second / (minutesOnScreen * 60));
    await page.clock.runFor(stepSeconds * 1000);
    await settled(isQuiet);
    if (second === minutesUntilWarm * 60) {
      warm = await keptAtHome(page, session, isQuiet);
      warmRequests = requests;
    }
  }
  const end = await keptAtHome(page, session, isQuiet);
  const minutes = hours * 60 - minutesUntilWarm;
  const seconds = (performance.now() - beganMs) / 1000;
  const rate = ((requests - warmRequests) / minutes).toFixed(0);
  console.log(`${hours} h of the page in ${seconds.toFixed(0)} s; ${rate} requests a minute`);
  const checks = (['heapMiB', 'nodes', 'listeners'] as const).map((name) => {
    const before = warm![name];
    return [
      `${name}: ${before} after ${minutesUntilWarm} minutes, ${end[name]} at the end`,
      end[name] <= before * mostGrowth,
    ] as const;
  });
  for (const [what, isFine] of checks) console.log(`${isFine ? 'ok    ' : 'FAILED'} ${what}`);
  if (checks.some(([, isFine]) => !isFine)) process.exitCode = 1;
} finally {
  await browser.close();
  await run.interrupt();
  await folder.remove();
}

async function putOnAir(): Promise<void> {
  const clip = await madeSample('soak.mp4', '-f lavfi -i testsrc2=s=640x360:r=30:d=10 -c:v libx264'.split(' '));
  const uploadID = await uploadFile(run.api, clip, 'video/mp4');
  const streamID = await createLoop(run.api, [uploadID], { rtmpURL: run.connection.rtmpURL, streamKey: 'soak' });
  await run.api('POST', `/streams/${streamID}/start`);
  await untilActive(run.api, streamID);
}

async function signIn(page: Page): Promise<void> {
  const { siteURL, user } = run.connection;
  await page.goto(`${siteURL}/sign-in`);
  await page.getByLabel('E-mail address').fill(user.email);
  await page.getByLabel('Password').fill(user.password);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Screens' }).waitFor();
}

/** Opens alternately the stream that is on air and the next screen. */
async function goOn(page: Page, turn: number): Promise<void> {
  const name = screens[turn % screens.length]!;
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name, exact: true }).click();
  if (name !== 'Streams') return;
  await page.locator('ul.rows a').first().click();
  await page.locator('#evidence').waitFor();
}

/** Remaining memory, nodes and listeners on the first screen, without those of other screens. */
async function keptAtHome(page: Page, session: CDPSession, isQuiet: () => boolean): Promise<Kept> {
  await goOn(page, 0);
  for (let step = 0; step < 30; step++) {
    await page.clock.runFor(stepSeconds * 1000);
    await settled(isQuiet);
  }
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
  return { heapMiB: Math.round((usedSize / 1024 ** 2) * 10) / 10, nodes, listeners: jsEventListeners };
}

async function settled(isQuiet: () => boolean): Promise<void> {
  for (let turns = 0; turns < 500 && !isQuiet(); turns++) await new Promise((resolve) => setImmediate(resolve));
}
