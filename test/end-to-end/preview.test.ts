// The preview of a stream's output: in ffmpeg's HLS player, and in Chromium with hls.js.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { chromiumPath } from '../support/chromium.ts';
import { until, uploadFile } from '../support/local-run.ts';
import { madeSample } from '../support/media-samples.ts';
import { testLocalRun } from '../support/test-local-run.ts';

/** A clip that lasts no whole number of GOPs. */
const clip = () => {
  const made = '-f lavfi -i testsrc2=s=640x360:r=30:d=7.3 -f lavfi -i sine=f=440:r=48000:d=7.3 -c:v libx264 -c:a aac';
  return madeSample('seven-seconds.mp4', made.split(' '));
};

describe.each([
  { streamBackend: 'manifest', seconds: 10 },
  // Even a machine that barely encodes in time plays this long without a break sooner or later.
  { streamBackend: 'ffmpeg', seconds: 4 },
] as const)('a stream of $streamBackend', { timeout: 180_000 }, ({ streamBackend, seconds }) => {
  const run = testLocalRun('--no-demo');
  let streamID: string;
  const isActive = async () => (await run.api('GET', `/streams/${streamID}`)).state === 'active';
  const preview = async () => {
    await until(isActive);
    return run.api('POST', `/streams/${streamID}/preview`);
  };

  beforeAll(async () => {
    const { api } = run;
    const videoUploadObjectID = await uploadFile(api, await clip(), 'video/mp4');
    const settings = { streamBackend, quality: 'q_720p', destinationID: 'dst_local', videoUploadObjectID };
    streamID = (await api('POST', '/streams', settings)).id;
    await expect(api('POST', `/streams/${streamID}/preview`)).rejects.toThrow('preview_unavailable');
    await api('POST', `/streams/${streamID}/start`);
    await until(isActive);
  }, 90_000);

  test('is played by ffmpeg, with every picture and all sound', async () => {
    const tools = await findMediaTools(process.env);
    const play = async () => {
      const { playlistURL } = await preview();
      const args = ['-v', 'error', '-xerror', '-i', playlistURL, '-t', String(seconds), '-f', 'framehash', '-'];
      const played = promisify(execFile)(tools.ffmpegPath, args, { maxBuffer: 64 * 1024 * 1024, timeout: 40_000 });
      const { stdout, stderr } = await played.catch((error: { stderr: string }) => ({ stdout: '', ...error }));
      const ofTrack = (track: string) => stdout.split('\n').filter((line) => line.startsWith(`${track},`)).length;
      const soundFrames = Math.round((seconds * 48_000) / 1024);
      const isSoundWhole = Math.abs(ofTrack('1') - soundFrames) < 2;
      return { pictures: ofTrack('0'), sound: isSoundWhole ? 'whole' : ofTrack('1'), complaints: stderr };
    };
    const whole = { pictures: seconds * 30, sound: 'whole', complaints: '' };
    await expect.poll(play, { timeout: 150_000 }).toEqual(whole);
  });

  test.skipIf(!chromiumPath)('plays in Chromium by hls.js, seconds behind what is sent', async () => {
    await using browser = await chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'] });
    const context = await browser.newContext({ bypassCSP: true });
    const page = await context.newPage();
    await page.goto(new URL('/sign-in', run.connection.siteURL).href);
    await page.addScriptTag({ path: createRequire(import.meta.url).resolve('hls.js/dist/hls.min.js') });
    await until(async () => {
      const { playlistURL, posterURL, expiresAt } = await preview();
      expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now());
      const playing = page.evaluate(play, { url: playlistURL, seconds });
      const seen = await Promise.race([playing, setTimeout(40_000, null, { ref: false })]);
      if (!seen) return false;
      const { startedAfterMs, behindMs } = seen;
      console.log(`${streamBackend}: plays after ${Math.round(startedAfterMs)} ms, ${Math.round(behindMs)} ms behind`);
      expect(seen.size).toEqual([1280, 720]);
      return (await fetch(posterURL)).headers.get('content-type') === 'image/jpeg';
    });
  });

  test('is seen by nobody without the link, nor by one that was changed', async () => {
    const { playlistURL } = await preview();
    const other = playlistURL.replace(/\.(\d{9,})\./, (_: string, ends: string) => `.${Number(ends) + 60}.`);
    expect((await fetch(other)).status).toBe(404);
    await run.api('POST', `/streams/${streamID}/stop`);
    await until(async () => (await run.api('GET', `/streams/${streamID}`)).state === 'stopped');
    expect((await fetch(playlistURL)).status).toBe(404);
    await run.api('DELETE', `/streams/${streamID}`);
    expect((await fetch(playlistURL)).status).toBe(404);
  });
});

/** Plays the preview; runs in the page. */
async function play({ url, seconds }: { readonly url: string; readonly seconds: number }) {
  const { Hls } = globalThis as unknown as { Hls: new () => HlsPlayer };
  interface HlsPlayer {
    loadSource(url: string): void;
    attachMedia(video: HTMLVideoElement): void;
    readonly playingDate: Date | null;
  }
  const video = document.createElement('video');
  video.muted = true;
  document.body.replaceChildren(video);
  const player = new Hls();
  const beganMs = performance.now();
  player.loadSource(url);
  player.attachMedia(video);
  void video.play();
  await new Promise((resolve) => video.addEventListener('playing', resolve, { once: true }));
  const startedAfterMs = performance.now() - beganMs;
  const from = video.currentTime;
  while (video.currentTime < from + seconds) await new Promise((resolve) => globalThis.setTimeout(resolve, 100));
  const behindMs = Date.now() - player.playingDate!.getTime();
  return { startedAfterMs, behindMs, size: [video.videoWidth, video.videoHeight] };
}
