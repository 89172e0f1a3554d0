// A playlist that is published while its stream is live takes over at the end of an item, without a seam.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { startFfmpegIngest } from '../support/ingests.ts';
import { createLoop, until, uploadFile } from '../support/local-run.ts';
import { judgeRecording, steps } from '../support/recording.ts';
import type { Recording } from '../support/recording.ts';
import { beeps, flashes, makeSyncClip } from '../support/sync-clip.ts';
import { testLocalRun } from '../support/test-local-run.ts';

const framesPerSecond = 30;
const itemSeconds = 3;
const secondsAfter = 5;
const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast'];

/** Makes a white, silent clip: at its beginning the picture rises for the last time, and no beep follows. */
async function makeWhiteClip({ ffmpegPath }: MediaTools, path: string): Promise<string> {
  const white = ['-f', 'lavfi', '-i', 'color=white:s=640x480:r=60:d=2.5', '-pix_fmt', 'yuv420p'];
  await promisify(execFile)(ffmpegPath, ['-nostdin', '-v', 'error', '-y', ...white, ...h264, path]);
  return path;
}

describe('a playlist that is published while live', () => {
  let tools: MediaTools;
  const run = testLocalRun('--no-demo');
  let recording: Recording;
  let stats: { reconnects: number; droppedFrames: number };
  let publishedAtSeconds: number;
  let folder: string;
  let file: string;

  beforeAll(async () => {
    tools = await findMediaTools(process.env);
    folder = await mkdtemp(join(tmpdir(), 'live-publish-'));
    const { api } = run;
    const flashing = await makeSyncClip(tools, {
      path: join(folder, 'flashing.mp4'),
      size: '1280x720',
      framesPerSecond: 24,
      seconds: itemSeconds,
      sampleRate: 44_100,
      codecs: [...h264, '-c:a', 'aac'],
    });
    const before = await uploadFile(api, flashing, 'video/mp4');
    const after = await uploadFile(api, await makeWhiteClip(tools, join(folder, 'white.mp4')), 'video/mp4');
    using ingest = await startFfmpegIngest(join(folder, 'recording.flv'));
    const streamID = await createLoop(api, [before], ingest.target);
    await api('POST', `/streams/${streamID}/start`);
    const statsNow = () => api('GET', `/streams/${streamID}/stats`);
    await until(async () => (await statsNow()).framesSent > framesPerSecond);

    const [playlistID] = (await api('GET', `/streams/${streamID}`)).playlistIDs;
    publishedAtSeconds = (await statsNow()).framesSent / framesPerSecond;
    await api('POST', `/playlists/${playlistID}/operations`, {
      operations: [{ op: 'clear' }, { op: 'add', uploadID: after }],
    });
    await api('POST', `/playlists/${playlistID}/publish`);
    await until(async () => (await statsNow()).currentItem?.uploadID === after);
    const { framesSent } = await statsNow();
    await until(async () => (await statsNow()).framesSent > framesSent + secondsAfter * framesPerSecond);
    stats = await statsNow();
    await api('POST', `/streams/${streamID}/stop`);
    file = await ingest.finish();
    recording = await judgeRecording(tools, file);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('takes over exactly at the end of an item, at least ten seconds later', async () => {
    const shown = await flashes(tools, file, framesPerSecond);
    const boundary = shown.at(-1)!;
    const items = Math.round(boundary / itemSeconds);
    expect(Math.abs(boundary - items * itemSeconds)).toBeLessThanOrEqual(1.1 / framesPerSecond);
    expect(boundary - publishedAtSeconds).toBeGreaterThan(9);
    // Each old item flashed twice, at 0.5 and 2.5 s. New items do not flash.
    expect(shown).toHaveLength(2 * items + 1);
    expect(await beeps(tools, file)).toHaveLength(2 * items);
    expect(recording.video.dts.at(-1)! / 1000 - boundary).toBeGreaterThan(secondsAfter - 2);
  });

  it('leaves no seam: the connection and the parameters stay, and all times are exact', () => {
    expect(stats).toMatchObject({ reconnects: 0, droppedFrames: 0 });
    expect(recording.parameterSets).toBe(1);
    expect(steps(recording.video.dts)).toEqual([33, 34]);
    expect(steps(recording.audio.dts)).toEqual([21, 22]);
    expect(recording.decodeErrors).toBe('');
  });
});
