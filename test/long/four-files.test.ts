// Four files as different as people's are, in one 1080p30 loop for minutes: one time line, one set of parameters, sound and picture together.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { startFfmpegIngest } from '../support/ingests.ts';
import { createLoop, startLocalRun, temporaryDataFolder, uploadFile } from '../support/local-run.ts';
import type { LocalRun } from '../support/local-run.ts';
import { deltas, judgeRecording, tally } from '../support/recording.ts';
import type { Recording } from '../support/recording.ts';
import { beeps, flashes, makeSyncClip } from '../support/sync-clip.ts';
import type { SyncClip } from '../support/sync-clip.ts';

/** The goal is ten; the suite takes fewer, since a drift shows in two. */
const minutes = Number(process.env['LOOP_MINUTES'] ?? 2);

const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast'];
const clips: readonly (Omit<SyncClip, 'path'> & { file: string; mimeType: string })[] = [
  {
    file: 'silent.mov',
    mimeType: 'video/quicktime',
    size: '1280x720',
    framesPerSecond: 24,
    seconds: 6,
    sampleRate: null,
    codecs: h264,
  },
  {
    file: 'fast.mp4',
    mimeType: 'video/mp4',
    size: '1920x1080',
    framesPerSecond: 60,
    seconds: 6,
    sampleRate: 48_000,
    codecs: [...h264, '-c:a', 'aac'],
  },
  {
    file: 'vp9.webm',
    mimeType: 'video/webm',
    size: '960x540',
    framesPerSecond: 25,
    seconds: 6,
    sampleRate: 48_000,
    codecs: ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-c:a', 'libopus'],
  },
  {
    file: 'cd.mp4',
    mimeType: 'video/mp4',
    size: '640x480',
    framesPerSecond: 30,
    seconds: 6,
    sampleRate: 44_100,
    codecs: [...h264, '-c:a', 'aac'],
  },
];

describe(`four files for ${minutes} minutes`, { timeout: (minutes + 4) * 60_000 }, () => {
  let tools: MediaTools;
  let run: LocalRun;
  let recording: Recording;
  let file: string;
  let stats: { reconnects: number; droppedFrames: number };
  let data: Awaited<ReturnType<typeof temporaryDataFolder>>;
  let folder: string;

  beforeAll(
    async () => {
      tools = await findMediaTools(process.env);
      data = await temporaryDataFolder();
      folder = await mkdtemp(join(tmpdir(), 'four-files-'));
      run = await startLocalRun(data.path, '--no-demo');
      const uploads: string[] = [];
      for (const clip of clips) {
        const path = await makeSyncClip(tools, { ...clip, path: join(folder, clip.file) });
        uploads.push(await uploadFile(run.api, path, clip.mimeType));
      }
      using ingest = await startFfmpegIngest(join(folder, 'recording.flv'));
      const streamID = await createLoop(run.api, uploads, ingest.target, { quality: 'q_1080p', framerate: 'f_30' });
      await run.api('POST', `/streams/${streamID}/start`);
      for (let minute = 0; minute < minutes; minute++) {
        await setTimeout(60_000);
        const { state, bitrateKbps, framesPerSecond, loopCount } = await run.api('GET', `/streams/${streamID}/stats`);
        console.log(`minute ${minute + 1}: ${state}, ${framesPerSecond} fps, ${bitrateKbps} kbit/s, lap ${loopCount}`);
      }
      stats = await run.api('GET', `/streams/${streamID}/stats`);
      await run.api('POST', `/streams/${streamID}/stop`);
      file = await ingest.finish();
      recording = await judgeRecording(tools, file);
    },
    (minutes + 4) * 60_000,
  );
  afterAll(async () => {
    expect(await run.interrupt()).toBe(0);
    await data.remove();
    await rm(folder, { recursive: true });
  });

  it('is one continuous 1080p30 output with one set of parameters', () => {
    expect(recording.video).toMatchObject({ codec: 'h264', width: 1920, height: 1080, framerate: '30/1' });
    expect(recording.parameterSets).toBe(1);
    expect(stats).toMatchObject({ reconnects: 0, droppedFrames: 0 });
    expect(recording.decodeErrors).toBe('');
  });

  it('is on one time grid, as long as it took', () => {
    expect([...tally(deltas(recording.video.dts)).keys()].sort()).toEqual([33, 34]);
    expect([...tally(deltas(recording.audio.dts)).keys()].sort()).toEqual([21, 22]);
    expect(recording.video.dts.at(-1)! / 60_000).toBeGreaterThan(minutes - 0.05);
  });

  it('has each beep within 40 ms of its flash, at the end as at the beginning', async () => {
    const shown = await flashes(tools, file, 30);
    const heard = await beeps(tools, file);
    const offsets = heard.map(
      (beep) => shown.map((flash) => flash - beep).toSorted((a, b) => Math.abs(a) - Math.abs(b))[0]!,
    );
    console.log(
      `${heard.length} beeps; picture against sound: first ${(offsets[0]! * 1000).toFixed(0)} ms, last ${(offsets.at(-1)! * 1000).toFixed(0)} ms, largest ${(Math.max(...offsets.map(Math.abs)) * 1000).toFixed(0)} ms`,
    );
    // Three of the four files beep, three times in six seconds.
    expect(heard.length).toBeGreaterThan(((minutes * 60) / 24) * 9 - 9);
    expect(Math.max(...offsets.map(Math.abs))).toBeLessThanOrEqual(0.04);
  });
});
