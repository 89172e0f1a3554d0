// The viewer page is served safely, and plays a real publisher's media in a real browser.
import { execFile } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { startRtmpSink } from '../../bin/local/rtmp-sink/rtmp-sink.ts';
import type { RtmpSink } from '../../bin/local/rtmp-sink/rtmp-sink.ts';
import { serveWatchPage } from '../../bin/local/watch-page/page.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { chromiumPath } from '../support/chromium.ts';

let sink: RtmpSink;
let server: Server;
let siteURL: string;
let rtmpURL: string;
beforeAll(async () => {
  sink = await startRtmpSink({ port: 0 });
  rtmpURL = `rtmp://127.0.0.1:${sink.port}/live`;
  server = createServer((request, response) => {
    const watch = {
      info: { siteURL, apiURL: `${siteURL}/v1`, rtmpURL },
      channels: () => sink.channels(),
      serveFlv: sink.serveFlv.bind(sink),
    };
    if (!serveWatchPage(watch, request, response)) response.writeHead(404).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  siteURL = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
});
afterAll(async () => {
  await sink.close();
  server.closeAllConnections();
  server.close();
});

describe('the page over HTTP', () => {
  test('all files of the page are there, are sent again only if changed, and may use no other origin', async () => {
    for (const path of ['/watch', '/watch/page.css', '/watch/page.js', '/watch/mpegts.js']) {
      const first = await fetch(siteURL + path);
      expect([path, first.status]).toEqual([path, 200]);
      expect(first.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
      const again = await fetch(siteURL + path, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
      expect([path, again.status]).toEqual([path, 304]);
    }
    const html = await (await fetch(`${siteURL}/watch`)).text();
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect(html).toMatch(/<meta\s+name="description"\s+content="[A-Z][^"]+\."/);
    // Assistive technology ignores the name of an element without a role.
    expect(html.match(/<(?:code|div|p|pre|span)\s(?=[^>]*aria-label)[^>]*>/g)).toEqual([
      expect.stringContaining('role="group"'),
    ]);
  });

  test('does not let facts be cached, and leaves other addresses to others', async () => {
    const info = await fetch(`${siteURL}/watch/info`);
    expect(info.headers.get('cache-control')).toBe('no-store');
    expect(await info.json()).toEqual({ siteURL, apiURL: `${siteURL}/v1`, rtmpURL });
    expect(await (await fetch(`${siteURL}/watch/channels`)).json()).toEqual([]);
    expect((await fetch(`${siteURL}/watch/channels/0123456789ab.flv`)).status).toBe(404);
    for (const path of ['/v1', '/', '/watch/../package.json', '/watch/page.ts'])
      expect((await fetch(siteURL + path)).status).toBe(404);
    expect((await fetch(`${siteURL}/watch`, { method: 'POST' })).status).toBe(404);
  });
});

describe.skipIf(!chromiumPath)(
  'the page in Chromium (skipped where it is not installed)',
  () => {
    let browser: Browser;
    let page: Page;
    const complaints: string[] = [];
    const publishers: ChildProcess[] = [];
    beforeAll(async () => {
      const args = ['--no-sandbox', '--autoplay-policy=user-gesture-required'];
      browser = await chromium.launch({ executablePath: chromiumPath, args });
      page = await browser.newPage();
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.goto(`${siteURL}/watch`);
    });
    afterEach(async () => {
      for (const publisher of publishers.splice(0)) publisher.kill('SIGKILL');
      await vi.waitUntil(() => sink.channels().every(({ live }) => !live), 20_000);
    });
    afterAll(() => browser.close());

    async function publish(streamKey: string): Promise<ChildProcess> {
      const { ffmpegPath } = await findMediaTools(process.env);
      const pictures = ['-re', '-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=30'];
      const sound = ['-f', 'lavfi', '-i', 'sine=frequency=220:sample_rate=48000'];
      const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '30', '-c:a', 'aac'];
      const output = [...codecs, '-f', 'flv', `${rtmpURL}/${streamKey}`];
      const publisher = execFile(ffmpegPath, ['-nostdin', '-loglevel', 'error', ...pictures, ...sound, ...output]);
      publishers.push(publisher);
      return publisher;
    }

    /** Waits until the page has played for another second. */
    async function expectMovingPicture(): Promise<void> {
      await page.waitForFunction(() => {
        const video = document.querySelector('video');
        return video && video.videoWidth > 0 && !video.paused && video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA;
      });
      const before = await page.evaluate(() => document.querySelector('video')?.currentTime ?? 0);
      await page.waitForFunction((time) => (document.querySelector('video')?.currentTime ?? 0) > time + 1, before);
    }

    test('says what to do while nothing is live', async () => {
      await page.getByRole('heading', { name: 'Nothing is live' }).waitFor();
      expect(await page.getByLabel('Commands').textContent()).toContain(`API=${siteURL}/v1`);
      expect(await page.locator('#nothing .rtmp-url').textContent()).toBe(rtmpURL);
    });

    test('plays a stream by itself, shows its facts, and goes on when it was interrupted', async () => {
      const publisher = await publish('first');
      await expectMovingPicture();
      const facts = page.locator('#facts');
      expect(await facts.textContent()).toMatch(/Size640 × 360Framerate30 fpsCodecsH\.264 \+ AAC/);
      expect(await page.locator('#badge').textContent()).toBe('LIVE');

      await page.keyboard.press('m');
      expect(await page.evaluate(() => document.querySelector('video')?.muted)).toBe(false);
      await page.getByRole('button', { name: 'Mute', exact: true }).click();
      expect(await page.evaluate(() => document.querySelector('video')?.muted)).toBe(true);

      publisher.kill('SIGKILL');
      await page.getByText('This stream has ended').waitFor();
      await publish('first');
      await expectMovingPicture();
      await expect.poll(() => facts.textContent()).toContain('Publishers so far2');
    });

    test('lets the viewer choose among channels', async () => {
      await publish('first');
      await publish('second');
      const buttons = page.locator('#channels .live');
      await buttons.nth(1).waitFor();
      await buttons.nth(1).focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => buttons.nth(1).getAttribute('aria-pressed')).toBe('true');
      await expectMovingPicture();
      expect(new URL(page.url()).hash).toBe(`#${sink.channels()[1]?.id}`);
    });

    test('logs no error in the browser', () => {
      expect(complaints).toEqual([]);
    });
  },
  30_000,
);
