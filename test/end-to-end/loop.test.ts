// From uploaded files to a live loop: a real local run sends two different clips to ffmpeg, for three laps.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { startFfmpegIngest } from '../support/ingests.ts';
import { createLoop, until, uploadFile } from '../support/local-run.ts';
import { judgeRecording, steps } from '../support/recording.ts';
import type { Recording } from '../support/recording.ts';
import { beeps, flashes, makeSyncClip } from '../support/sync-clip.ts';
import { testLocalRun } from '../support/test-local-run.ts';

const laps = 3;
const lapSeconds = 4;

/** Clips as different as the files of users: the first has no sound, and their sizes and rates differ. */
function makeClips(tools: MediaTools, folder: string): Promise<[string, string]> {
  const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast'];
  const silent = { size: '1280x720', framesPerSecond: 24, seconds: 2, sampleRate: null, codecs: h264 };
  const withSound = { sampleRate: 44_100, codecs: [...h264, '-c:a', 'aac'] };
  const fast = { size: '640x480', framesPerSecond: 60, seconds: 2, ...withSound };
  return Promise.all([
    makeSyncClip(tools, { path: join(folder, 'silent.mov'), ...silent }),
    makeSyncClip(tools, { path: join(folder, 'fast.mp4'), ...fast }),
  ]);
}

describe('a playlist of two different clips', { timeout: 90_000 }, () => {
  let tools: MediaTools;
  const run = testLocalRun('--no-demo');
  let recording: Recording;
  let statesSeen: string[];
  let folder: string;
  let file: string;

  beforeAll(async () => {
    tools = await findMediaTools(process.env);
    folder = await mkdtemp(join(tmpdir(), 'loop-'));
    const { api } = run;
    using ingest = await startFfmpegIngest(join(folder, 'recording.flv'));
    const [silent, fast] = await makeClips(tools, folder);
    const uploads = [await uploadFile(api, silent, 'video/quicktime'), await uploadFile(api, fast, 'video/mp4')];
    const streamID = await createLoop(api, uploads, ingest.target);
    await api('POST', `/streams/${streamID}/start`);
    await until(async () => (await api('GET', `/streams/${streamID}/stats`)).loopCount >= laps);
    await api('POST', `/streams/${streamID}/stop`);
    file = await ingest.finish();
    recording = await judgeRecording(tools, file);
    await until(async () => (await api('GET', `/streams/${streamID}`)).state === 'stopped');
    const { transitions } = await api('GET', `/streams/${streamID}`);
    statesSeen = transitions.map(({ to }: { to: string }) => to).reverse();
  }, 90_000);
  afterAll(() => rm(folder, { recursive: true }));

  it('goes through the states of a stream in order', () => {
    expect(statesSeen).toEqual(['activating', 'active', 'stopping', 'stopped']);
  });

  it('has the size and the framerate of the stream, from the first item to the last', () => {
    expect(recording.video).toMatchObject({ codec: 'h264', width: 1280, height: 720, framerate: '30/1' });
    expect(recording.audio).toMatchObject({ codec: 'aac', sampleRate: '48000' });
    expect(recording.parameterSets).toBe(1);
  });

  it('has no timestamp over all joins that repeats, goes back or leaves a gap', () => {
    expect(steps(recording.video.dts)).toEqual([33, 34]);
    expect(steps(recording.audio.dts)).toEqual([21, 22]);
    // Pictures after the last decoded one may be missing, because the stream was stopped there.
    const shown = recording.video.pts.filter((pts) => pts <= recording.video.dts.at(-1)!).sort((a, b) => a - b);
    expect(steps(shown)).toEqual([33, 34]);
    expect(recording.video.dts.at(-1)).toBeGreaterThan(laps * lapSeconds * 1000);
  });

  it('keeps sound and picture together: each beep is within 40 ms of its flash, in every lap', async () => {
    const shown = await flashes(tools, file, 30);
    const heard = await beeps(tools, file);
    expect(heard.length).toBeGreaterThanOrEqual(laps);
    for (const beep of heard)
      expect(Math.min(...shown.map((flash) => Math.abs(flash - beep)))).toBeLessThanOrEqual(0.04);
    expect(shown.length).toBeGreaterThanOrEqual(2 * laps);
  });

  it('decodes without an error', () => {
    expect(recording.decodeErrors).toBe('');
  });
});
