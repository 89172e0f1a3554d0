// The time of a start until the first picture is at the destination: by the API, and by bare ffmpeg, with one file.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import {
  createLoop,
  startLocalRun,
  temporaryDataFolder,
  until,
  uploadFile,
  watchChannels,
} from '../support/local-run.ts';
import type { LocalRun } from '../support/local-run.ts';
import { mediaSample } from '../support/media-samples.ts';

const rounds = 15;
/** Enough rounds for a 99th percentile. */
const preparedRounds = 100;

export async function startBench(): Promise<void> {
  const { ffmpegPath } = await findMediaTools(process.env);
  const data = await temporaryDataFolder();
  const run = await startLocalRun(data.path, '--no-demo');
  try {
    const path = await mediaSample('plain.mp4');
    const uploadID = await uploadFile(run.api, path, 'video/mp4');
    for (const quality of ['q_720p', 'q_1080p']) {
      const encodedMs: number[] = [];
      const preparedMs: number[] = [];
      const ffmpegMs: number[] = [];
      const loopOf = (streamBackend: string) => {
        const target = { rtmpURL: run.connection.rtmpURL, streamKey: `bench-${quality}-${streamBackend}` };
        return createLoop(run.api, [uploadID], target, { quality, framerate: 'f_30', streamBackend });
      };
      const [encoded, prepared] = [await loopOf('ffmpeg'), await loopOf('manifest')];
      // The first start prepares the upload, so it is not measured.
      await timeStream(run, prepared);
      for (let round = 0; round < rounds; round++) {
        encodedMs.push(await timeStream(run, encoded));
        preparedMs.push(await timeStream(run, prepared));
        ffmpegMs.push(await timeFfmpeg(run, ffmpegPath, path, quality));
      }
      while (preparedMs.length < preparedRounds) preparedMs.push(await timeStream(run, prepared));
      print(quality, encodedMs, preparedMs, ffmpegMs);
    }
  } finally {
    await run.interrupt();
    await data.remove();
  }
}

async function timeStream(run: LocalRun, streamID: string): Promise<number> {
  const startedAt = Date.now();
  await run.api('POST', `/streams/${streamID}/start`);
  const firstAt = await firstVideoAfter(run, startedAt);
  await until(async () => (await run.api('GET', `/streams/${streamID}`)).state === 'active');
  await run.api('POST', `/streams/${streamID}/stop`);
  await until(async () => (await run.api('GET', `/streams/${streamID}`)).state === 'stopped');
  return firstAt - startedAt;
}

/** Starts plain ffmpeg: the same encoder, size and rate, but no platform. */
async function timeFfmpeg(run: LocalRun, ffmpegPath: string, path: string, quality: string): Promise<number> {
  const size = quality === 'q_720p' ? '1280:720' : '1920:1080';
  const input = ['-re', '-stream_loop', '-1', '-i', path];
  const h264 = '-c:v libx264 -preset veryfast -g 60 -bf 2 -b:v 4000k'.split(' ');
  const encode = ['-vf', `scale=${size},fps=30`, ...h264, '-c:a', 'aac'];
  const output = [...encode, '-f', 'flv', `${run.connection.rtmpURL}/peer`];
  const startedAt = Date.now();
  const child = spawn(ffmpegPath, ['-nostdin', '-v', 'error', ...input, ...output]);
  const firstAt = await firstVideoAfter(run, startedAt);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return firstAt - startedAt;
}

async function firstVideoAfter(run: LocalRun, startedAt: number): Promise<number> {
  for (;;) {
    const channels = await watchChannels(run);
    const times = channels.map((channel) => Date.parse(String(channel.firstVideoAt))).filter((at) => at >= startedAt);
    if (times.length > 0) return Math.min(...times);
    await setTimeout(5);
  }
}

function print(
  quality: string,
  encodedMs: readonly number[],
  preparedMs: readonly number[],
  ffmpegMs: readonly number[],
): void {
  const at = (values: readonly number[], share: number) =>
    values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!;
  const row = (name: string, values: readonly number[]) => {
    const count = String(values.length).padStart(3);
    const times = `p50 ${at(values, 0.5)} ms   p90 ${at(values, 0.9)} ms   p99 ${at(values, 0.99)} ms`;
    const ratio = (at(values, 0.5) / at(ffmpegMs, 0.5)).toFixed(2);
    return `  ${name.padEnd(28)} ${count} starts   ${times}   ratio ${ratio}`;
  };
  console.log(
    `${quality}, from a start to the first picture at the ingest; ratio of the medians to that of bare ffmpeg`,
  );
  console.log(row('start, ffmpeg backend', encodedMs));
  console.log(row('start, prepared backend', preparedMs));
  console.log(row('bare ffmpeg, same encoder', ffmpegMs));
}
