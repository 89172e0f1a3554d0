// What a stream sends is looked at: by ffmpeg's player of HLS, and in Chromium by hls.js.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { chromiumPath } from '../support/chromium.ts';
import { until, uploadFile } from '../support/local-run.ts';
import { madeSample } from '../support/media-samples.ts';
import { testLocalRun } from '../support/test-local-run.ts';

/** As long as no whole number of GOPs. */
const clip = () => {
  const made = '-f lavfi -i testsrc2=s=640x360:r=30:d=7.3 -f lavfi -i sine=f=440:r=48000:d=7.3 -c:v libx264 -c:a aac';
  return madeSample('seven-seconds.mp4', made.split(' '));
};

describe('a prepared stream', { timeout: 90_000 }, () => {
  const run = testLocalRun('--no-demo');
  let streamID: string;
  const preview = () => run.api('POST', `/streams/${streamID}/preview`);

  beforeAll(async () => {
    const { api } = run;
    const videoUploadObjectID = await uploadFile(api, await clip(), 'video/mp4');
    const settings = { streamBackend: 'manifest', quality: 'q_720p', destinationID: 'dst_local', videoUploadObjectID };
    streamID = (await api('POST', '/streams', settings)).id;
    await expect(preview()).rejects.toThrow('preview_unavailable');
    await api('POST', `/streams/${streamID}/start`);
    await until(async () => (await api('GET', `/streams/${streamID}`)).state === 'active');
  }, 90_000);

  test('is played by ffmpeg over its joins, with every picture and all sound', async () => {
    const { playlistURL } = await preview();
    await until(async () => (await (await fetch(playlistURL)).text()).includes('#EXTINF'));
    const tools = await findMediaTools(process.env);
    const seconds = 10;
    const args = ['-v', 'error', '-xerror', '-i', playlistURL, '-t', String(seconds), '-f', 'framehash', '-'];
    const { stdout, stderr } = await promisify(execFile)(tools.ffmpegPath, args, { maxBuffer: 64 * 1024 * 1024 });
    expect(stderr).toBe('');
    const frames = stdout.split('\n').filter((line) => /^\d/.test(line));
    const ofTrack = (track: string) => frames.filter((line) => line.startsWith(`${track},`)).length;
    expect(ofTrack('0')).toBe(seconds * 30);
    expect(Math.abs(ofTrack('1') - (seconds * 48_000) / 1024)).toBeLessThan(2);
  });

  test.skipIf(!chromiumPath)('plays in Chromium by hls.js, seconds behind what is sent', async () => {
    await using browser = await chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'] });
    const context = await browser.newContext({ bypassCSP: true });
    const page = await context.newPage();
    await page.goto(new URL('/sign-in', run.connection.siteURL).href);
    await page.addScriptTag({ path: createRequire(import.meta.url).resolve('hls.js/dist/hls.min.js') });
    const { playlistURL, posterURL, expiresAt } = await preview();
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now());
    expect([null, 200]).toContain(posterURL && (await fetch(posterURL)).status);
    const seen = await page.evaluate(async (url) => {
      const { Hls } = globalThis as unknown as { Hls: new () => HlsPlayer };
      interface HlsPlayer {
        loadSource(url: string): void;
        attachMedia(video: HTMLVideoElement): void;
        readonly playingDate: Date | null;
      }
      const video = document.createElement('video');
      video.muted = true;
      document.body.append(video);
      const player = new Hls();
      const beganMs = performance.now();
      player.loadSource(url);
      player.attachMedia(video);
      void video.play();
      await new Promise((resolve) => video.addEventListener('playing', resolve, { once: true }));
      const startedAfterMs = performance.now() - beganMs;
      const from = video.currentTime;
      while (video.currentTime < from + 6) await new Promise((resolve) => setTimeout(resolve, 100));
      return {
        startedAfterMs,
        behindMs: Date.now() - player.playingDate!.getTime(),
        dropped: video.getVideoPlaybackQuality().droppedVideoFrames,
        size: [video.videoWidth, video.videoHeight],
      };
    }, playlistURL);
    console.log(`started after ${Math.round(seen.startedAfterMs)} ms, ${Math.round(seen.behindMs)} ms behind`);
    expect(seen.size).toEqual([1280, 720]);
  });

  test('is seen by nobody without the link, nor by one that was changed', async () => {
    const { playlistURL } = await preview();
    expect((await fetch(playlistURL)).headers.get('content-type')).toBe('application/vnd.apple.mpegurl');
    const other = playlistURL.replace(/\.(\d{9,})\./, (_: string, seconds: string) => `.${Number(seconds) + 60}.`);
    expect((await fetch(other)).status).toBe(404);
    await run.api('POST', `/streams/${streamID}/stop`);
    await until(async () => (await run.api('GET', `/streams/${streamID}`)).state === 'stopped');
    expect((await fetch(playlistURL)).status).toBe(404);
  });
});
