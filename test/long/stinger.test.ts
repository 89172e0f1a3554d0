// A stinger is correctly visible over the end of each item and the beginning of the next one, with both backends.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { effectiveAheadSeconds } from '../../lambda/domain/playout/play-out.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { startFfmpegIngest } from '../support/ingests.ts';
import { createLoop, until, untilActive, uploadFile } from '../support/local-run.ts';
import { madeSample } from '../support/media-samples.ts';
import { makeStingerClip, shareOfStinger, stingerClip } from '../support/stinger-clip.ts';
import { testLocalRun } from '../support/test-local-run.ts';

const tools = await findMediaTools(process.env);
const run = testLocalRun('--no-demo');
const fps = 30;
const cutSeconds = 0.9;
const clips = [
  { luma: 200, seconds: 6 },
  { luma: 60, seconds: 5 },
];
const lapSeconds = 11;
let folder: string;
let uploadIDs: string[];
let stingerID: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stinger-'));
  uploadIDs = [];
  for (const { luma, seconds } of clips) {
    const grey = `color=gray:s=640x360:r=30:d=${seconds},format=yuv420p,lutyuv=y=${luma}:u=128:v=128`;
    const tone = ['-f', 'lavfi', '-i', `sine=duration=${seconds}`, '-c:a', 'aac'];
    const x264 = '-c:v libx264 -preset ultrafast -qp 4 -color_range tv -colorspace bt709'.split(' ');
    const path = await madeSample(`grey-${luma}-${seconds}.mp4`, ['-f', 'lavfi', '-i', grey, ...tone, ...x264]);
    uploadIDs.push(await uploadFile(run.api, path, 'video/mp4'));
  }
  stingerID = await uploadFile(run.api, await makeStingerClip(), 'video/x-matroska');
}, 120_000);
afterAll(() => rm(folder, { recursive: true }));

/** The expected luma of each picture of a lap. */
function wantedLumas(): number[] {
  const cut = Math.round(cutSeconds * fps);
  return clips.flatMap(({ luma, seconds }) =>
    Array.from({ length: seconds * fps }, (_, frame) => {
      const share = shareOfStinger(frame + cut) || shareOfStinger(frame - seconds * fps + cut);
      return luma + (stingerClip.luma - luma) * share;
    }),
  );
}

async function lumasOf(file: string): Promise<number[]> {
  const filters = 'crop=128:128,scale=2:2:flags=area,format=yuv420p';
  const decoded = ['-v', 'error', '-i', file, '-vf', filters, '-fps_mode', 'passthrough', '-f', 'rawvideo', '-'];
  const { stdout } = await promisify(execFile)(tools.ffmpegPath, decoded, { encoding: 'buffer', maxBuffer: 2 ** 26 });
  return Array.from({ length: stdout.length / 6 }, (_, picture) => stdout[picture * 6]!);
}

/** The largest deviation in the last lap of a stream, wherever in it the recording ends. */
async function farthestOff(streamBackend: string): Promise<number> {
  using ingest = await startFfmpegIngest(join(folder, `${streamBackend}.flv`), tools);
  const look = { join: { kind: 'stinger' }, stinger: { uploadID: stingerID, cutSeconds } };
  const settings = { quality: 'q_720p', framerate: 'f_30', streamBackend, look };
  const id = await createLoop(run.api, uploadIDs, ingest.target, settings);
  const read = () => run.api('GET', `/streams/${id}`);
  await run.api('POST', `/streams/${id}/start`);
  await untilActive(run.api, id);
  // Until stingers are made, items follow by cuts.
  await until(async () => ((await read()).pendingJoins ?? 0) === 0);
  const takenUpMs = Date.now();
  await until(async () => Date.now() > takenUpMs + (effectiveAheadSeconds + 2 * lapSeconds + 2) * 1000);
  await run.api('POST', `/streams/${id}/stop`);
  await until(async () => (await read()).state === 'stopped');
  const wanted = wantedLumas();
  // A stop interrupts the stream: a picture may have arrived before pictures that are shown earlier.
  const seen = (await lumasOf(await ingest.finish())).slice(-wanted.length - 10, -10);
  const offBy = wanted.map((_, shift) =>
    Math.max(...seen.map((luma, frame) => Math.abs(luma - wanted[(frame + shift) % wanted.length]!))),
  );
  return Math.min(...offBy);
}

it('is seen through where it is transparent', { timeout: 240_000 }, async () => {
  const [encoded, prepared] = await Promise.all([farthestOff('ffmpeg'), farthestOff('manifest')]);
  console.log(`luma off by ${encoded} encoded, by ${prepared} prepared`);
  expect(Math.max(encoded, prepared)).toBeLessThan(6);
});
