// The time of a new user at human speed, from the sign-up page to a picture at the ingest, for the main use.
// That is music over a looping video, with a logo, titles and crossfades. The user uploads 65 MB over an ordinary
// connection, in a real browser at a real `npm start`. The goal is 5 minutes.
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
const mostSeconds = 300;
const songs = ['Rain on Rooftops', 'Second Winter', 'Lamplight'];
const songSeconds = 30;

export async function newcomerBench(): Promise<void> {
  if (!chromiumPath) throw new Error('This needs Chromium.');
  const folder = await temporaryDataFolder();
  const run = await startLocalRun(join(folder.path, 'data'), '--no-demo');
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
  try {
    const film = await makeFilm(folder.path);
    const music = await makeSongs(folder.path);
    const logo = await makeLogo(folder.path);
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
    await page.getByLabel('Choose files').setInputFiles([film, ...music]);
    tell('files chosen');
    await choose(page, 'Platform', 'Any other (RTMP, SRT, HLS)');
    await type(page.getByLabel('Name', { exact: true }), 'My ingest');
    // Users paste addresses and keys.
    await paste(page.getByLabel('Address'), rtmpURL);
    await paste(page.getByLabel('Stream key', { exact: true }), 'newcomer');
    await press(page.getByRole('button', { name: 'Add a destination' }));
    tell('destination added');
    await setTimeout(lookMs);
    await page.getByLabel('Upload a logo').setInputFiles(logo);
    await press(page.locator('[data-look=titles]'));
    await setTimeout(lookMs);
    await choose(page, 'Transition between songs', 'by a crossfade');
    await page.getByRole('button', { name: 'Logo' }).filter({ hasText: 'logo.png' }).waitFor();
    tell('look chosen');
    await setTimeout(lookMs);
    await choose(page, 'Quality', '720p');
    await page.getByText('Everything is ready.').waitFor();
    tell('uploaded and examined');
    await setTimeout(readMs);
    await press(page.getByRole('button', { name: 'Go live' }));
    await until(async () => (await watchChannels(run)).some(({ live }) => live));
    tell('picture at the ingest');
    await page.locator('.badge', { hasText: 'Live' }).first().waitFor();
    tell('the page says so');
    await until(async () => await isLogoShown(run));
    tell(`the picture has the logo, of at most ${mostSeconds} s`);
    const heard = await page
      .locator('section', { has: page.getByRole('heading', { name: 'Now and next' }) })
      .getByRole('listitem')
      .first()
      .innerText();
    if (!songs.some((song) => heard.includes(song))) throw new Error(`The page names no song as playing: ${heard}`);
    console.log(`  playing: ${heard.replaceAll('\n', ' · ')}`);
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

async function makeSongs(folder: string): Promise<string[]> {
  const { ffmpegPath } = await findMediaTools(process.env);
  return Promise.all(
    songs.map(async (title, index) => {
      const path = join(folder, `${title}.flac`);
      const sound = `sine=frequency=${220 + 110 * index}:sample_rate=48000:duration=${songSeconds},volume=0.5`;
      const tags = ['-metadata', `title=${title}`, '-metadata', 'artist=Mira Sol'];
      await promisify(execFile)(ffmpegPath, ['-nostdin', '-v', 'error', '-f', 'lavfi', '-i', sound, ...tags, path]);
      return path;
    }),
  );
}

async function makeLogo(folder: string): Promise<string> {
  const { ffmpegPath } = await findMediaTools(process.env);
  const path = join(folder, 'logo.png');
  const drawn = ['-f', 'lavfi', '-i', 'color=red:s=240x240', '-frames:v', '1', path];
  await promisify(execFile)(ffmpegPath, ['-nostdin', '-v', 'error', ...drawn]);
  return path;
}

/** Whether the picture at the ingest is red where the logo stands: at its right upper corner. */
async function isLogoShown(run: Parameters<typeof watchChannels>[0]): Promise<boolean> {
  const [channel] = await watchChannels(run);
  if (!channel) return false;
  const { ffmpegPath } = await findMediaTools(process.env);
  const source = `${run.connection.siteURL}/watch/channels/${channel.id}.flv`;
  const corner = 'crop=iw*0.04:ih*0.07:iw*0.87:ih*0.1,scale=1:1,format=rgb24';
  const picture = ['-i', source, '-frames:v', '1', '-vf', corner, '-f', 'rawvideo', '-'];
  const { stdout } = await promisify(execFile)(ffmpegPath, ['-nostdin', '-v', 'error', ...picture], {
    encoding: 'buffer',
    timeout: 20_000,
  });
  const [red = 0, green = 0, blue = 0] = stdout;
  return red > 160 && green < 90 && blue < 90;
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
