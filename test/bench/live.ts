// Live streams beside other work on a small machine, measured from outside: a real `npm start`.
// `PARTS=beside,fits,first LIVE_MINUTES=1 npm run bench -- live` runs some of it, or for less time.
import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DataFolder } from '../../bin/local/data-folder.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { startFaultyIngest } from '../support/faulty-ingest.ts';
import { createLoop, startLocalRun, temporaryDataFolder, until, uploadFile } from '../support/local-run.ts';
import type { LocalRun } from '../support/local-run.ts';

const minutes = Number(process.env['LIVE_MINUTES'] ?? 5);
const files = 30;
const shortItems = 13;
const encodedStreams = 16;
/** Time until the rhythm of a new stream is steady. */
const settlesMs = 5000;

interface Bench {
  readonly run: LocalRun;
  readonly logFile: string;
  readonly folder: string;
  readonly rtmpURL: string;
  /** The longest time without a picture of a key, in milliseconds, since the last call. */
  readonly takeLongestGapMs: (key: string) => number;
  /** Time of a key's first picture, by `performance.now`; null before. */
  readonly firstPictureAtMs: (key: string) => number | null;
}

const parts: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  beside: besideExamining,
  first: firstItems,
  fits: whatFits,
};

export async function liveBench(): Promise<void> {
  const wanted = process.env['PARTS']?.split(',') ?? Object.keys(parts);
  for (const name of wanted) {
    const data = await temporaryDataFolder();
    const folder = join(data.path, 'files');
    await mkdir(folder);
    const gaps = new Map<string, { lastAtMs: number; longestMs: number }>();
    await using ingest = await startFaultyIngest({
      onPicture: (path) => {
        const nowMs = performance.now();
        const gap = gaps.get(path) ?? { lastAtMs: nowMs, longestMs: 0 };
        gaps.set(path, { lastAtMs: nowMs, longestMs: Math.max(gap.longestMs, nowMs - gap.lastAtMs) });
      },
    });
    const run = await startLocalRun(join(data.path, 'data'), '--no-demo');
    try {
      await parts[name]!({
        run,
        logFile: DataFolder.at(join(data.path, 'data')).logFile,
        folder,
        rtmpURL: ingest.rtmpURL,
        takeLongestGapMs: (key) => {
          const gap = gaps.get(`live/${key}`) ?? { lastAtMs: -Infinity, longestMs: 0 };
          const longestMs = Math.max(gap.longestMs, performance.now() - gap.lastAtMs);
          gap.longestMs = 0;
          return longestMs;
        },
        firstPictureAtMs: (key) => ingest.keys.get(`live/${key}`)?.publications[0]?.firstPictureAtMs ?? null,
      });
    } finally {
      await run.interrupt();
      await data.remove();
    }
  }
}

/** An encoded stream at 1080p30, while files are uploaded and inspected. */
async function besideExamining({ run, logFile, folder, rtmpURL, takeLongestGapMs }: Bench): Promise<void> {
  console.log(`one encoded stream at 1080p30 for ${minutes} minutes, beside ${files} uploads, ${onCores()}`);
  const clips = await makeClips(folder, { count: files, size: '1920x1080', seconds: 20 });
  const [first] = clips;
  const settings = { quality: 'q_1080p', framerate: 'f_30', streamBackend: 'ffmpeg' };
  const target = { rtmpURL, streamKey: 'beside' };
  const id = await createLoop(run.api, [await uploadFile(run.api, first!, 'video/mp4')], target, settings);
  const reason = await startAndWait(run, id);
  if (reason !== null) return console.log(`  refused: ${reason}`);
  await setTimeout(settlesMs);
  takeLongestGapMs('beside');
  const endsAtMs = performance.now() + minutes * 60_000;
  const uploadedMs: number[] = [];
  const uploading = (async () => {
    for (const clip of clips) {
      const beganMs = performance.now();
      await uploadFile(run.api, clip, 'video/mp4');
      uploadedMs.push(performance.now() - beganMs);
    }
  })();
  const seen = new Set<string>();
  let leastInHand = Infinity;
  let mostLate = 0;
  while (performance.now() < endsAtMs) {
    await setTimeout(500);
    const [{ state, stateReason }, stats] = await Promise.all([
      run.api('GET', `/streams/${id}`),
      run.api('GET', `/streams/${id}/stats`),
    ]);
    seen.add(`${state}${stateReason === null ? '' : ` (${stateReason.code})`}`);
    leastInHand = Math.min(leastInHand, stats.secondsInHand ?? Infinity);
    mostLate = Math.max(mostLate, stats.lateFrames);
  }
  const longestMs = takeLongestGapMs('beside');
  await uploading;
  const { droppedFrames, reconnects, framesPerSecond } = await run.api('GET', `/streams/${id}/stats`);
  const slowest = Math.max(...uploadedMs) / 1000;
  const paced = (await logged(logFile, 'encoder_paced')).map(({ encoder }) => (encoder as { preset: string }).preset);
  console.log(`  longest time without a picture at the ingest ${Math.round(longestMs)} ms`);
  console.log(`  ${droppedFrames} frames dropped, ${mostLate} late at most, ${reconnects} reconnects`);
  console.log(`  ${framesPerSecond} frames a second at the end, ${leastInHand} s in hand at least`);
  console.log(`  states: ${[...seen].join(', ')}; presets: veryfast${paced.map((preset) => `, ${preset}`).join('')}`);
  console.log(`  ${uploadedMs.length} files examined, each uploaded and examined within ${slowest.toFixed(1)} s`);
}

/** The first start of a prepared stream, before any of its media is prepared. */
async function firstItems({ run, logFile, folder, rtmpURL, firstPictureAtMs }: Bench): Promise<void> {
  for (const quality of ['q_720p', 'q_1080p']) {
    const clips = await makeClips(folder, { count: shortItems, size: '1280x720', seconds: 6, name: quality });
    const uploads = await Promise.all(clips.map((clip) => uploadFile(run.api, clip, 'video/mp4')));
    const settings = { quality, framerate: 'f_30', streamBackend: 'manifest' };
    const id = await createLoop(run.api, uploads, { rtmpURL, streamKey: quality }, settings);
    const startedMs = performance.now();
    await run.api('POST', `/streams/${id}/start`);
    await until(async () => firstPictureAtMs(quality) !== null);
    const firstSeconds = (firstPictureAtMs(quality)! - startedMs) / 1000;
    const isAllPrepared = async () =>
      (await logged(logFile, 'segment_prepared')).filter((line) => uploads.includes(line['uploadID'] as string))
        .length >= shortItems;
    await until(isAllPrepared);
    const allSeconds = (performance.now() - startedMs) / 1000;
    const { droppedFrames } = await run.api('GET', `/streams/${id}/stats`);
    console.log(
      `${shortItems} short items by prepared media, ${quality.slice(2)}30, ${onCores()}: first picture after ` +
        `${firstSeconds.toFixed(1)} s, all prepared after ${allSeconds.toFixed(1)} s, ${droppedFrames} frames dropped`,
    );
    await run.api('POST', `/streams/${id}/stop`);
  }
}

/** More encoded streams than the machine has room for. */
async function whatFits({ run, folder, rtmpURL, takeLongestGapMs }: Bench): Promise<void> {
  const [clip] = await makeClips(folder, { count: 1, size: '1280x720', seconds: 20 });
  const uploadID = await uploadFile(run.api, clip!, 'video/mp4');
  const settings = { quality: 'q_720p', framerate: 'f_30', streamBackend: 'ffmpeg' };
  const ids: string[] = [];
  for (let index = 0; index < encodedStreams; index++)
    ids.push(await createLoop(run.api, [uploadID], { rtmpURL, streamKey: `fits${index}` }, settings));
  const began = await Promise.all(ids.map((id) => startAndWait(run, id)));
  const live = ids.flatMap((id, index) => (began[index] === null ? [{ id, key: `fits${index}` }] : []));
  console.log(`${encodedStreams} encoded streams at 720p30, ${onCores()}: ${live.length} are on air`);
  await setTimeout(settlesMs);
  for (const { key } of live) takeLongestGapMs(key);
  await setTimeout(60_000);
  for (const { id, key } of live) {
    const { droppedFrames, lateFrames, framesPerSecond, reconnects } = await run.api('GET', `/streams/${id}/stats`);
    const gap = Math.round(takeLongestGapMs(key));
    console.log(
      `  ${key}: ${droppedFrames} dropped, ${lateFrames} late, ${reconnects} reconnects, ${framesPerSecond} fps, ` +
        `longest gap ${gap} ms in a minute`,
    );
  }
  for (const reason of new Set(began.filter((each) => each !== null))) console.log(`  the others: ${reason}`);
}

/** @returns null once the stream is active; otherwise the reason why it is not, after the time limit of a start */
async function startAndWait({ api }: LocalRun, id: string): Promise<string | null> {
  await api('POST', `/streams/${id}/start`);
  let found = await api('GET', `/streams/${id}`);
  await until(async () => {
    found = await api('GET', `/streams/${id}`);
    return found.state !== 'activating';
  });
  return found.state === 'active' ? null : `${found.state}, ${found.stateReason?.code}: ${found.stateReason?.detail}`;
}

interface Clips {
  readonly count: number;
  readonly size: string;
  readonly seconds: number;
  readonly name?: string;
}

/** Makes files with the same pictures, each with different bytes of sound. */
async function makeClips(folder: string, { count, size, seconds, name = 'clip' }: Clips): Promise<string[]> {
  const { ffmpegPath } = await findMediaTools(process.env);
  const make = (...args: string[]) => promisify(execFile)(ffmpegPath, ['-nostdin', '-v', 'error', '-y', ...args]);
  const pictures = join(folder, `${name}.mp4`);
  const source = ['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=30:d=${seconds},noise=alls=12:allf=t`];
  await make(...source, '-c:v', 'libx264', '-preset', 'ultrafast', '-b:v', '8M', '-pix_fmt', 'yuv420p', pictures);
  const paths = Array.from({ length: count }, (_, index) => join(folder, `${name}-${index}.mp4`));
  for (const [index, path] of paths.entries()) {
    const tone = ['-f', 'lavfi', '-i', `sine=frequency=${300 + 20 * index}:duration=${seconds}`];
    await make('-i', pictures, ...tone, '-c:v', 'copy', '-c:a', 'aac', path);
  }
  return paths;
}

async function logged(logFile: string, event: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(logFile, 'utf8');
  const lines = text.split('\n').filter((line) => line.includes(`"${event}"`));
  return lines.map((line) => JSON.parse(line.slice(line.indexOf('{'))) as Record<string, unknown>);
}

function onCores(): string {
  return `on ${availableParallelism()} cores`;
}
