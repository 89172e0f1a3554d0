// `npm run golden -- record FOLDER` and `npm run golden -- compare BEFORE AFTER`: streams' output before and after.
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { preparedClips } from '../publisher/prepared/prepared-clips.ts';
import { renderEncoded, renderPrepared } from './render.ts';
import { goldenFiles, goldenTimelines } from './timelines.ts';
import type { GoldenTimeline } from './timelines.ts';

const run = promisify(execFile);
/** The minimum similarity of a frame, and the maximum difference of a sample of the encoded backend. */
const bounds = { ssim: 0.999, samples: 1 } as const;
const usage = 'npm run golden -- record FOLDER [WORD] | compare BEFORE AFTER [WORD]';

// x264 reproduces its pictures only with one thread. By default it has one for each available processor.
const isPinned = process.env.GOLDEN_PINNED === '1';
if (!isPinned && spawnSync('taskset', ['--version']).status === 0) {
  const again = ['-c', '0', process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const { status } = spawnSync('taskset', again, { stdio: 'inherit', env: { ...process.env, GOLDEN_PINNED: '1' } });
  process.exit(status ?? 1);
}

const tools = await findMediaTools(process.env);
const [command, ...given] = process.argv.slice(2);
const backends = ['encoded', 'prepared'] as const;
const nameOf = (timeline: string, backend: string) => `${timeline.replaceAll(' ', '-')}.${backend}`;

if (command === 'record' && given[0]) await record(given[0], given[1]);
else if (command === 'compare' && given[1]) await compare(given[0]!, given[1], given[2]);
else fail(usage);

/** The timelines with this word in their names. */
function timelinesWith(word = ''): readonly GoldenTimeline[] {
  const found = goldenTimelines.filter(({ name }) => name.includes(word));
  return found.length > 0 ? found : fail(`No timeline has “${word}” in its name: see test/golden/timelines.ts.`);
}

function fail(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}

/** Writes lossless frames and samples of each timeline. */
async function record(folder: string, word?: string): Promise<void> {
  const timelines = timelinesWith(word);
  await mkdir(folder, { recursive: true });
  const files = await goldenFiles();
  await using clips = await preparedClips(tools);
  for (const timeline of timelines) {
    for (const backend of backends) {
      if (timeline.only && timeline.only !== backend) continue;
      const startedMs = performance.now();
      const { flv, samples } =
        backend === 'encoded'
          ? await renderEncoded(tools, files, timeline)
          : await renderPrepared(tools, files, clips, timeline);
      const path = join(folder, nameOf(timeline.name, backend));
      await writeFile(`${path}.flv`, flv);
      const sound = ['-v', 'error', '-i', `${path}.flv`, '-map', '0:a', '-f', 's16le', '-'];
      const decoded = async () =>
        (await run(tools.ffmpegPath, sound, { encoding: 'buffer', maxBuffer: 1024 ** 3 })).stdout;
      await writeFile(`${path}.s16`, samples ?? (await decoded()));
      console.log(`${((performance.now() - startedMs) / 1000).toFixed(1).padStart(6)} s  ${backend}: ${timeline.name}`);
    }
  }
}

/** Prints the differences of two recordings, and fails if they are too large. It skips timelines that BEFORE lacks. */
async function compare(before: string, after: string, word?: string): Promise<void> {
  const timelines = timelinesWith(word);
  let [compared, failed] = [0, 0];
  for (const backend of backends) {
    const all = { ssim: 1, samples: 0 };
    for (const { name, only } of timelines) {
      if (only && only !== backend) continue;
      const paths = [before, after].map((folder) => join(folder, nameOf(name, backend))) as [string, string];
      const [inBefore, inAfter] = paths.map((path) => existsSync(`${path}.s16`));
      if (!inBefore) {
        console.log(`new ${backend}: ${name}: skipped, since ${before} lacks it`);
        continue;
      }
      if (!inAfter) fail(`${after} lacks ${backend}: ${name}. Record it, or compare only timelines with a WORD.`);
      const { ssim, samples, isWrong, note } = await difference(paths, backend);
      compared++;
      if (isWrong) failed++;
      console.log(`${isWrong ? 'OFF' : 'ok '} ${backend}: ${name}: SSIM ${ssim}, samples ±${samples}${note}`);
      all.ssim = Math.min(all.ssim, ssim);
      all.samples = Math.max(all.samples, samples);
    }
    console.log(`${backend}: least SSIM ${all.ssim}, samples at most ±${all.samples}`);
  }
  if (compared === 0) fail(`${before} has none of these timelines.`);
  process.exitCode = failed > 0 ? 1 : 0;
}

async function difference(paths: readonly [string, string], backend: (typeof backends)[number]) {
  const [{ ssim, isShorter }, samples] = [await frameLikeness(paths), await sampleDistance(paths)];
  // Prepared sound was encoded again, and an encoder's output for a sample depends on all earlier ones.
  const most = backend === 'encoded' ? bounds.samples : Number.MAX_VALUE;
  const isWrong = ssim < bounds.ssim || isShorter || samples > most;
  return { ssim, samples, isWrong, note: isShorter ? ', another number of frames' : '' };
}

/** The lowest SSIM of all frames. */
async function frameLikeness([before, after]: readonly [string, string]) {
  const counts = await Promise.all([before, after].map(frameCount));
  const graph = '[0:v]setpts=N[a];[1:v]setpts=N[b];[a][b]ssim=stats_file=-';
  const inputs = ['-i', `${before}.flv`, '-i', `${after}.flv`, '-filter_complex', graph, '-an', '-f', 'null', '-'];
  const { stdout } = await run(tools.ffmpegPath, ['-v', 'error', ...inputs]);
  const likenesses = [...stdout.matchAll(/All:([\d.]+)/g)].map(([, value]) => Number(value));
  return { ssim: Math.min(...likenesses), isShorter: counts[0] !== counts[1] || likenesses.length === 0 };
}

async function frameCount(path: string): Promise<number> {
  const counting = ['-v', 'error', '-i', `${path}.flv`, '-map', '0:v', '-f', 'framecrc', '-'];
  const { stdout } = await run(tools.ffmpegPath, counting, { maxBuffer: 1024 ** 2 });
  return stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length;
}

/** The largest difference of two samples; Infinity if the files differ in length. */
async function sampleDistance(paths: readonly [string, string]): Promise<number> {
  const [one, other] = await Promise.all(paths.map((path) => readFile(`${path}.s16`)));
  if (one!.length !== other!.length) return Infinity;
  let farthest = 0;
  for (let at = 0; at < one!.length; at += 2)
    farthest = Math.max(farthest, Math.abs(one!.readInt16LE(at) - other!.readInt16LE(at)));
  return farthest;
}
