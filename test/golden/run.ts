// `npm run golden -- record FOLDER` and `npm run golden -- compare BEFORE AFTER`: streams' output before and after.
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { preparedClips } from '../publisher/prepared/prepared-clips.ts';
import { renderEncoded, renderPrepared } from './render.ts';
import { goldenFiles, goldenTimelines } from './timelines.ts';

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
const timelines = (word = '') => goldenTimelines.filter(({ name }) => name.includes(word));
const backends = ['encoded', 'prepared'] as const;
const nameOf = (timeline: string, backend: string) => `${timeline.replaceAll(' ', '-')}.${backend}`;

if (command === 'record' && given[0]) await record(given[0], given[1]);
else if (command === 'compare' && given[1]) await compare(given[0]!, given[1], given[2]);
else throw new Error(usage);

/** Writes lossless frames and samples of each timeline. */
async function record(folder: string, word?: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const files = await goldenFiles();
  await using clips = await preparedClips(tools);
  for (const timeline of timelines(word)) {
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

/** Prints the differences of two recordings, and fails if they are too large. */
async function compare(before: string, after: string, word?: string): Promise<void> {
  let failed = 0;
  for (const backend of backends) {
    const all = { ssim: 1, samples: 0 };
    for (const { name, only } of timelines(word)) {
      if (only && only !== backend) continue;
      const paths = [before, after].map((folder) => join(folder, nameOf(name, backend))) as [string, string];
      const [frames, samples] = [await frameLikeness(paths), await sampleDistance(paths)];
      // Prepared sound was encoded again, and an encoder's output for a sample depends on all earlier ones.
      const most = backend === 'encoded' ? bounds.samples : Number.MAX_VALUE;
      const isWrong = frames.ssim < bounds.ssim || frames.isShorter || samples > most;
      if (isWrong) failed++;
      const shorter = frames.isShorter ? ', another number of frames' : '';
      console.log(`${isWrong ? 'OFF' : 'ok '} ${backend}: ${name}: SSIM ${frames.ssim}, samples ±${samples}${shorter}`);
      all.ssim = Math.min(all.ssim, frames.ssim);
      all.samples = Math.max(all.samples, samples);
    }
    console.log(`${backend}: least SSIM ${all.ssim}, samples at most ±${all.samples}`);
  }
  process.exitCode = failed > 0 ? 1 : 0;
}

/** The lowest SSIM of all frames. */
async function frameLikeness([before, after]: [string, string]) {
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
