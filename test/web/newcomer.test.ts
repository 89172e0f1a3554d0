// A newcomer who has read nothing: from the page to sign up to music over a video, by the words on the page alone.
// With HUMAN_PACE=1 at the pace of a person, with the times printed; else without pauses.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/chromium.ts';
import { journeyBrowser } from '../support/journey-browser.ts';
import { until, watchChannels } from '../support/local-run.ts';
import { madeSample } from '../support/media-samples.ts';
import { testLocalRun } from '../support/test-local-run.ts';

const pace = process.env['HUMAN_PACE'] ? 1 : 0;
const mostSeconds = 300;
const [letterMs, aimMs] = [200 * pace, 600 * pace];
const tone = (hertz: number) => ['-f', 'lavfi', '-i', `sine=frequency=${hertz}:duration=30`];
const picture = (source: string) => ['-f', 'lavfi', '-i', source];
const titles = ['Rain on Rooftops', 'Harbour Lights', 'Slow Train'];

describe.skipIf(!chromiumPath)('a newcomer (skipped where Chromium is not installed)', () => {
  const run = testLocalRun('--no-demo');
  const browser = journeyBrowser();
  let page: Page;
  let songs: string[];
  let [video, logo] = ['', ''];
  let startedAt = 0;
  beforeAll(async () => {
    ({ page } = browser);
    songs = await Promise.all(
      titles.map((title, index) => {
        const tags = ['-metadata', `title=${title}`, '-metadata', 'artist=Mira Sol'];
        return madeSample(`newcomer-${index}.mp3`, [...tone(220 * (index + 1)), ...tags]);
      }),
    );
    const film = ['-t', '10', '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
    video = await madeSample('newcomer-loop.mp4', [...picture('color=0x204080:s=640x360:r=30'), ...film]);
    logo = await madeSample('newcomer-logo.png', [...picture('color=0xffcc00:s=320x160'), '-frames:v', '1']);
  });

  const say = (mark: string) => {
    if (pace > 0) console.log(mark, ((Date.now() - startedAt) / 1000).toFixed(1), 's');
  };
  const read = (seconds = 1.5) => setTimeout(seconds * 1000 * pace);
  const click = async (target: Locator) => {
    await target.scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await target.boundingBox())!;
    await page.mouse.move(x + width / 2, y + height / 2, { steps: 10 });
    await setTimeout(aimMs);
    await target.click();
  };
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const type = async (label: string, text: string) => {
    await click(page.getByLabel(label, { exact: true }));
    await page.keyboard.press('Control+A');
    await page.keyboard.type(text, { delay: letterMs });
  };
  const choose = async (label: string, option: string) => {
    await click(page.locator('button.choice').and(page.getByLabel(label, { exact: true })));
    await click(page.getByRole('option', { name: option, exact: true }));
  };
  /** The colour of the picture that is sent, at a share of its width and height. */
  const colourAt = (x: number, y: number) =>
    page.evaluate(
      ([left, top]) => {
        const film = document.querySelector('video')!;
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [film.videoWidth, film.videoHeight];
        const context = canvas.getContext('2d')!;
        context.drawImage(film, 0, 0);
        return [...context.getImageData(left! * canvas.width, top! * canvas.height, 1, 1).data].slice(0, 3);
      },
      [x, y],
    );

  test('signs up, and confirms the address', async () => {
    await page.goto(`${run.connection.siteURL}/sign-up`);
    expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBe(0);
    await read();
    startedAt = Date.now();
    await type('Name', 'Mira');
    await type('E-mail address', 'mira@example.com');
    await type('Password', 'harbour lights at night');
    await click(button('Sign up'));
    await page.getByRole('heading', { name: 'Look into your mail' }).waitFor();
    const mails = join(run.dataFolder, 'mails');
    const mail = readdirSync(mails).find((file) => file.endsWith('.txt'));
    await read(4);
    await page.goto(/http:\S+/u.exec(readFileSync(join(mails, mail!), 'utf8'))![0]);
    await page.getByRole('heading', { name: 'Put a video on air' }).waitFor();
    expect(await page.locator('a.primary').count()).toBe(1);
    say('signed in');
  });

  test('drops songs, a loop and a logo on a new stream, which sort themselves', async () => {
    await read();
    await click(page.getByRole('link', { name: 'Create your first stream' }));
    await page.getByRole('heading', { name: 'New stream' }).waitFor();
    await read();
    const chosen = page.waitForEvent('filechooser');
    await click(page.getByText('Choose files'));
    await read(3);
    await (await chosen).setFiles([...songs, video, logo]);
    const asLogo = button('Use as the logo');
    await asLogo.waitFor();
    for (const title of titles) await page.locator('.track').getByText(title, { exact: true }).waitFor();
    await click(button('Clear'));
    await page.locator('.tray').waitFor({ state: 'detached' });
    await read();
    await click(asLogo);
    await page.locator('button.choice', { hasText: 'newcomer-logo' }).waitFor();
    await asLogo.waitFor({ state: 'detached' });
    expect(await page.locator('.track').first().getByRole('listitem').count()).toBe(1);
    say('files chosen');
  }, 120_000);

  test('makes a destination and a look, and sees how it looks', async () => {
    await choose('Platform', 'Any other (RTMP, SRT, HLS)');
    await type('Name', 'My server');
    await type('Address', run.connection.rtmpURL);
    await type('Stream key', 'mira');
    await click(button('Add a destination'));
    await page.locator('button.choice', { hasText: 'My server' }).waitFor();
    await read();
    say('destination');
    await click(page.getByText('Title and artist, for ten seconds.'));
    await choose('Transition between songs', 'Crossfade');
    await choose('Quality', '720p');
    await click(button('Preview'));
    const preview = page.locator('section:has(#look) img').last();
    await preview.waitFor();
    expect((await preview.boundingBox())!.width).toBeGreaterThan(300);
    await read(3);
    say('look');
  }, 120_000);

  test('goes live within five minutes, with music, and the logo over the video', async () => {
    await type('Name of the stream', 'Night Radio');
    await read(1);
    await click(button('Go live'));
    // An age is never in the future: no clock of the page has run on another screen.
    expect(await page.locator('header .is').innerText()).not.toMatch(/ in /u);
    await page.locator('.badge', { hasText: 'Live' }).first().waitFor();
    await until(async () => (await watchChannels(run)).some(({ live }) => live));
    expect((Date.now() - startedAt) / 1000).toBeLessThan(mostSeconds);
    say('live');
    const onAir = page.getByRole('region', { name: 'Now and next' });
    await onAir.getByText('– Mira Sol', { exact: false }).first().waitFor();
    await click(button('Watch'));
    await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 1);
    const [red, green, blue] = await colourAt(0.9, 0.1);
    expect([red! > 200, green! > 150, blue! < 80]).toEqual([true, true, true]);
    const ground = await colourAt(0.5, 0.5);
    expect(Math.abs(ground[2]! - 0x80)).toBeLessThan(25);
  }, 120_000);

  test('finds the way from a playlist to its stream, and no times in a shuffled lap', async () => {
    await click(button('Stop'));
    await click(page.getByRole('alertdialog').getByRole('button', { name: 'Stop' }));
    await page.getByRole('heading', { name: 'Sent last' }).waitFor();
    await page.goto(`${run.connection.siteURL}/playlists`);
    await click(page.getByRole('link', { name: 'Music' }).first());
    await page.locator('.rows.long li').first().waitFor();
    expect(await page.getByText('of each lap', { exact: false }).count()).toBe(0);
    await choose('Order', 'One after the other');
    await page.getByText('of each lap', { exact: false }).first().waitFor();
    await click(page.getByRole('link', { name: 'of Night Radio' }));
    await page.getByRole('link', { name: 'Edit the playlist' }).first().waitFor();
  });

  test('sees the part that is open also on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByLabel('Name', { exact: true }).waitFor();
    const { x, width } = (await page.locator('.parts [aria-current]').boundingBox())!;
    expect([x >= 0, x + width <= 390]).toEqual([true, true]);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  test('is told what a deletion takes away, and what keeps it', async () => {
    await page.goto(`${run.connection.siteURL}/library`);
    const removal = async (name: string) => {
      await click(page.getByRole('listitem').filter({ hasText: name }).getByRole('button').last());
      await click(page.getByRole('menuitem', { name: 'Delete' }));
    };
    await removal('Slow Train');
    const refused = page.getByRole('alertdialog', { name: /newcomer-2\.mp3 is in use$/u });
    expect(await refused.getByRole('button').allInnerTexts()).toEqual(['Close']);
    await click(refused.getByRole('button', { name: 'Close' }));
    await removal('newcomer-logo');
    const asked = page.getByRole('alertdialog');
    await asked.getByText('Those that are off air continue without it', { exact: false }).waitFor();
    await click(asked.getByRole('button', { name: 'Delete' }));
    await page.goto(`${run.connection.siteURL}/streams`);
    await click(page.getByRole('link', { name: 'Night Radio' }));
    await click(page.getByRole('link', { name: 'Sound and look' }).first());
    await page.locator('button.choice', { hasText: 'A deleted file' }).waitFor();
  });

  test('the browser has complained of nothing, and blocked nothing', () => {
    expect(browser.complaints).toEqual([]);
  });
});
