// From an uploaded file to a live loop: a real local run streams two different clips to ffmpeg as the ingest, over three laps.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { startFfmpegIngest } from '../support/ingests.ts';
import { createLoop, startLocalRun, temporaryDataFolder, until, uploadFile } from '../support/local-run.ts';
import type { LocalRun } from '../support/local-run.ts';
import { deltas, judgeRecording, tally } from '../support/recording.ts';
import type { Recording } from '../support/recording.ts';
import { beeps, flashes, makeSyncClip } from '../support/sync-clip.ts';

const laps = 3;
const lapSeconds = 4;

/** As different as people's files: the first has no sound, and both have odd ends. */
function makeClips(tools: MediaTools, folder: string): Promise<[string, string]> {
  const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast'];
  return Promise.all([
    makeSyncClip(tools, {
      path: join(folder, 'silent.mov'),
      size: '1280x720',
      framesPerSecond: 24,
      seconds: 2,
      sampleRate: null,
      codecs: h264,
    }),
    makeSyncClip(tools, {
      path: join(folder, 'fast.mp4'),
      size: '640x480',
      framesPerSecond: 60,
      seconds: 2,
      sampleRate: 44_100,
      codecs: [...h264, '-c:a', 'aac'],
    }),
  ]);
}

describe('a playlist of two different clips', { timeout: 90_000 }, () => {
  let tools: MediaTools;
  let run: LocalRun;
  let recording: Recording;
  let statesSeen: string[];
  let data: Awaited<ReturnType<typeof temporaryDataFolder>>;
  let folder: string;
  let file: string;

  beforeAll(async () => {
    tools = await findMediaTools(process.env);
    data = await temporaryDataFolder();
    folder = await mkdtemp(join(tmpdir(), 'loop-'));
    run = await startLocalRun(data.path, '--no-demo');
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
    statesSeen = (await api('GET', `/streams/${streamID}`)).transitions
      .map((transition: { to: string }) => transition.to)
      .reverse();
  }, 90_000);
  afterAll(async () => {
    expect(await run.interrupt()).toBe(0);
    await data.remove();
    await rm(folder, { recursive: true });
  });

  it('goes through the states in order', () => {
    expect(statesSeen).toEqual(['activating', 'active', 'stopping', 'stopped']);
  });

  it('has the size and the framerate of the stream, from the first item to the last', () => {
    expect(recording.video).toMatchObject({ codec: 'h264', width: 1280, height: 720, framerate: '30/1' });
    expect(recording.audio).toMatchObject({ codec: 'aac', sampleRate: '48000' });
    expect(recording.parameterSets).toBe(1);
  });

  it('is on one time grid over all joins: no timestamp repeats, goes back or leaves a gap', () => {
    expect([...tally(deltas(recording.video.dts)).keys()].sort()).toEqual([33, 34]);
    expect([...tally(deltas(recording.audio.dts)).keys()].sort()).toEqual([21, 22]);
    // What is shown after the last decoded picture may still lack its neighbours: the stream was stopped there.
    const shown = recording.video.pts.filter((pts) => pts <= recording.video.dts.at(-1)!).sort((a, b) => a - b);
    expect([...tally(deltas(shown)).keys()].sort()).toEqual([33, 34]);
    expect(recording.video.dts.at(-1)).toBeGreaterThan(laps * lapSeconds * 1000);
  });

  it('keeps sound and picture together: each beep is within 40 ms of its flash, in the last lap as in the first', async () => {
    const shown = await flashes(tools, file, 30);
    const heard = await beeps(tools, file);
    expect(heard.length).toBeGreaterThanOrEqual(laps);
    for (const beep of heard)
      expect(Math.min(...shown.map((flash) => Math.abs(flash - beep)))).toBeLessThanOrEqual(0.04);
    expect(shown.length).toBeGreaterThanOrEqual(2 * laps);
  });

  it('decodes without a single complaint', () => {
    expect(recording.decodeErrors).toBe('');
  });
});
