// The time that a new user needs at human speed, from the sign-up page to a picture at the ingest.
// Uploads a file of 50 MB over an ordinary connection, in a real browser at a real `npm start`. The goal is 3 minutes.
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import type { Locator } from 'playwright-core';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { chromiumPath } from '../support/chromium.ts';
import { choose } from '../support/journey-browser.ts';
import { startLocalRun, temporaryDataFolder, until, watchChannels } from '../support/local-run.ts';

/** Human speed: typing at forty words a minute, and a look at each element before it is used. */
const keyMs = 300;
const lookMs = 1500;
const readMs = 4000;
const fileMegabytes = 50;
const line = { offline: false, latency: 30, downloadThroughput: 6_250_000, uploadThroughput: 2_500_000 };
const mostSeconds = 180;

export async function newcomerBench(): Promise<void> {
  if (!chromiumPath) throw new Error('This needs Chromium.');
  const folder = await temporaryDataFolder();
  const run = await startLocalRun(join(folder.path, 'data'), '--no-demo');
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
  try {
    const film = await makeFilm(folder.path);
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(120_000);
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', line);
    const { siteURL, rtmpURL } = run.connection;
    const beganMs = performance.now();
    const tell = (what: string) => console.log(`  ${((performance.now() - beganMs) / 1000).toFixed(0)} s: ${what}`);

    await page.goto(`${siteURL}/sign-up`);
    await type(page.getByLabel('Name'), 'Ada');
    await type(page.getByLabel('E-mail address'), 'ada@example.com');
    await type(page.getByLabel('Password'), 'four short words here');
    await press(page.getByRole('button', { name: 'Sign up' }));
    await page.getByRole('heading', { name: 'Look into your mail' }).waitFor();
    tell('signed up');
    await setTimeout(readMs);
    await page.goto(await linkInMail(join(folder.path, 'data', 'mails')));
    await press(page.getByRole('link', { name: 'Create your first stream' }));
    await setTimeout(lookMs);
    await page.getByLabel('Choose files').setInputFiles(film);
    tell('file chosen');
    await choose(page, 'Platform', 'Any other (RTMP, SRT, HLS)');
    await type(page.getByLabel('Name', { exact: true }), 'My ingest');
    // Users paste addresses and keys.
    await paste(page.getByLabel('Address'), rtmpURL);
    await paste(page.getByLabel('Stream key', { exact: true }), 'newcomer');
    await press(page.getByRole('button', { name: 'Add a destination' }));
    tell('destination added');
    await setTimeout(lookMs);
    await choose(page, 'Quality', '720p');
    await page.getByText('Everything is ready.').waitFor();
    tell('uploaded and examined');
    await setTimeout(readMs);
    await press(page.getByRole('button', { name: 'Go live' }));
    await until(async () => (await watchChannels(run)).some(({ live }) => live));
    tell('picture at the ingest');
    await page.locator('.badge', { hasText: 'Live' }).first().waitFor();
    tell(`the page says so, of at most ${mostSeconds} s`);
  } finally {
    await browser.close();
    await run.interrupt();
    await folder.remove();
  }
}

async function makeFilm(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const film = join(folder, 'holiday.mp4');
  const { ffmpegPath } = await findMediaTools(process.env);
  const seconds = 40;
  const kbps = String(Math.ceil((fileMegabytes * 8000) / seconds));
  const picture = ['-f', 'lavfi', '-i', `testsrc2=size=1280x720:rate=30:duration=${seconds},noise=alls=40:allf=t`];
  const sound = ['-f', 'lavfi', '-i', `sine=frequency=330:sample_rate=48000:duration=${seconds}`];
  const rate = ['-b:v', `${kbps}k`, '-minrate', `${kbps}k`, '-maxrate', `${kbps}k`, '-bufsize', `${kbps}k`];
  const video = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', ...rate];
  await promisify(execFile)(ffmpegPath, [
    '-nostdin',
    '-v',
    'error',
    '-y',
    ...picture,
    ...sound,
    ...video,
    '-c:a',
    'aac',
    film,
  ]);
  console.log(
    `a newcomer at ${60_000 / keyMs / 5} words a minute, ${((await stat(film)).size / 1e6).toFixed(0)} MB at 20 Mbit/s`,
  );
  return film;
}

async function linkInMail(folder: string): Promise<string> {
  let link = '';
  await until(async () => {
    const names = await readdir(folder).catch(() => []);
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    link = /http:\/\/\S+verify-email\S+/.exec(texts.find((text) => text.includes('ada@example.com')) ?? '')?.[0] ?? '';
    return link !== '';
  });
  return link;
}

async function type(field: Locator, text: string): Promise<void> {
  await setTimeout(lookMs);
  await field.fill('');
  await field.pressSequentially(text, { delay: keyMs });
}

async function paste(field: Locator, text: string): Promise<void> {
  await setTimeout(2 * lookMs);
  await field.fill(text);
}

async function press(target: Locator): Promise<void> {
  await setTimeout(lookMs);
  await target.click();
}
