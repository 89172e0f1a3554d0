// Four very different files in one loop of 1080p30 for minutes become one stream with exact times.
// If the machine reports that it cannot encode that live, 720p30 is used.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { startFfmpegIngest } from '../support/ingests.ts';
import { createLoop, until, uploadFile } from '../support/local-run.ts';
import { judgeRecording, steps } from '../support/recording.ts';
import type { Recording } from '../support/recording.ts';
import { beeps, flashes, makeSyncClip } from '../support/sync-clip.ts';
import type { SyncClip } from '../support/sync-clip.ts';
import { testLocalRun } from '../support/test-local-run.ts';

/** Duration: the stream should be right for ten minutes. The suite takes one, which would show a drift. */
const minutes = Number(process.env['LOOP_MINUTES'] ?? 1);

const sizes = { q_1080p: { width: 1920, height: 1080 }, q_720p: { width: 1280, height: 720 } } as const;
const seconds = 6;
const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast'];
const mp4 = { mimeType: 'video/mp4', codecs: [...h264, '-c:a', 'aac'], seconds };
const vp9 = ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-c:a', 'libopus'];
const webm = { mimeType: 'video/webm', codecs: vp9, seconds };
const silentMov = { mimeType: 'video/quicktime', codecs: h264, seconds, sampleRate: null };
const clips: readonly (Omit<SyncClip, 'path'> & { file: string; mimeType: string })[] = [
  { file: 'silent.mov', ...silentMov, size: '1280x720', framesPerSecond: 24 },
  { file: 'fast.mp4', ...mp4, size: '1920x1080', framesPerSecond: 60, sampleRate: 48_000 },
  { file: 'vp9.webm', ...webm, size: '960x540', framesPerSecond: 25, sampleRate: 48_000 },
  { file: 'cd.mp4', ...mp4, size: '640x480', framesPerSecond: 30, sampleRate: 44_100 },
];

describe(`four files for ${minutes} minutes`, { timeout: (minutes + 4) * 60_000 }, () => {
  let tools: MediaTools;
  const run = testLocalRun('--no-demo');
  let recording: Recording;
  let file: string;
  let stats: { reconnects: number; droppedFrames: number };
  let folder: string;
  let size: { readonly width: number; readonly height: number };

  beforeAll(
    async () => {
      tools = await findMediaTools(process.env);
      folder = await mkdtemp(join(tmpdir(), 'four-files-'));
      const uploads: string[] = [];
      for (const clip of clips) {
        const path = await makeSyncClip(tools, { ...clip, path: join(folder, clip.file) });
        uploads.push(await uploadFile(run.api, path, clip.mimeType));
      }
      using ingest = await startFfmpegIngest(join(folder, 'recording.flv'));
      const streamID =
        (await startIfItFits('q_1080p', uploads, ingest.target)) ??
        (await startIfItFits('q_720p', uploads, ingest.target))!;
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
  afterAll(() => rm(folder, { recursive: true }));

  /** @returns the stream once it is on air; null if no publisher has enough room for it */
  async function startIfItFits(
    quality: keyof typeof sizes,
    uploads: readonly string[],
    target: { readonly url: string; readonly streamKey: string },
  ): Promise<string | null> {
    const id = await createLoop(run.api, uploads, target, { quality, framerate: 'f_30' });
    await run.api('POST', `/streams/${id}/start`);
    let stream: { state: string; stateReason: { code: string; detail: string } | null };
    const isTooLarge = () => stream.stateReason?.code === 'no_capacity';
    await until(async () => (stream = await run.api('GET', `/streams/${id}`)).state === 'active' || isTooLarge());
    size = sizes[quality];
    if (!isTooLarge()) return id;
    console.log(stream!.stateReason!.detail);
    await run.api('POST', `/streams/${id}/stop`);
    return null;
  }

  it('become one output with one set of parameters', () => {
    expect(recording.video).toMatchObject({ codec: 'h264', ...size, framerate: '30/1' });
    expect(recording.parameterSets).toBe(1);
    expect(stats).toMatchObject({ reconnects: 0, droppedFrames: 0 });
    expect(recording.decodeErrors).toBe('');
  });

  it('have exact times from the beginning to the end', () => {
    expect(steps(recording.video.dts)).toEqual([33, 34]);
    expect(steps(recording.audio.dts)).toEqual([21, 22]);
    expect(recording.video.dts.at(-1)! / 60_000).toBeGreaterThan(minutes - 0.05);
  });

  it('have each beep within 40 ms of its flash, from the beginning to the end', async () => {
    const shown = await flashes(tools, file, 30);
    const heard = await beeps(tools, file);
    /** The seconds from a beep to the nearest flash. */
    const offsetOf = (beep: number) =>
      shown.map((flash) => flash - beep).toSorted((a, b) => Math.abs(a) - Math.abs(b))[0]!;
    const offsets = heard.map(offsetOf);
    const largest = Math.max(...offsets.map(Math.abs));
    const [first, last, most] = [offsets[0]!, offsets.at(-1)!, largest].map((seconds) => (seconds * 1000).toFixed(0));
    console.log(`${heard.length} beeps; picture against sound: first ${first} ms, last ${last} ms, largest ${most} ms`);
    // Three of the four files beep, three times in six seconds.
    expect(heard.length).toBeGreaterThan(((minutes * 60) / 24) * 9 - 9);
    expect(largest).toBeLessThanOrEqual(0.04);
  });
});
