// Kills of `loop up` and `loop apply`, 20 times at random moments of their uploads: all becomes live, and is sent once.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startDroppingLine } from '../support/dropping-line.ts';
import { writeNoise } from '../support/interrupted-upload.ts';
import { untilActive } from '../support/local-run.ts';
import { runLoop, spawnLoop } from '../support/loop-command.ts';
import { mediaSample } from '../support/media-samples.ts';
import { seeded } from '../support/seeded.ts';
import { testLocalRun } from '../support/test-local-run.ts';

vi.setConfig({ testTimeout: 600_000 });

const kills = 20;
const mebibyte = 1024 ** 2;
/** `LOOP_KILL_SEED` repeats the moments of a run that failed. */
const seed = Number(process.env['LOOP_KILL_SEED'] ?? Date.now() % 2 ** 31);
const run = testLocalRun('--no-demo');
let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'loop-killed-'));
});
afterAll(() => rm(home, { recursive: true }));

const uploads = async (): Promise<any[]> => (await run.api('GET', '/uploads?limit=100')).data;

/** A folder with a video and two pieces of sound, each of many parts. */
async function largeFiles(name: string): Promise<string> {
  const folder = join(home, name);
  await mkdir(folder);
  await copyFile(await mediaSample('plain.mp4'), join(folder, `${name}.mp4`));
  // Bytes after the film, which players ignore.
  await writeFile(join(folder, `${name}.mp4`), Buffer.alloc(100 * mebibyte), { flag: 'a' });
  for (const [index, sound] of ['one', 'two'].entries())
    await writeNoise(join(folder, `${sound}-${name}.wav`), (120 + index) * mebibyte);
  return folder;
}

async function sha256Of(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(bytes, hash);
  return hash.digest('hex');
}

/** Runs a command until it has been killed 20 times, and then to its end. @returns the kills during the uploads */
async function runKilled(args: readonly string[], known: number): Promise<number> {
  await using line = await startDroppingLine(3_600_000);
  const environment = {
    LOOP_API_URL: run.connection.apiURL,
    LOOP_API_KEY: run.connection.apiKey,
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: line.proxyURL,
    NO_PROXY: '',
  };
  const random = seeded(seed);
  let [killed, whileSending] = [0, 0];
  while (killed < kills) {
    const child = spawnLoop(args, { home, environment });
    const ended = once(child, 'exit');
    // Some die before their first request, most with parts under way, and the last ones after the uploads. Most have
    // time for few bytes, so that the uploads last for most of the kills.
    const [untilMs, bytes] = [performance.now() + random() * 4000, line.bytesSent + random() ** 6 * 160 * mebibyte];
    while (child.exitCode === null && performance.now() < untilMs && line.bytesSent < bytes)
      await Promise.race([ended, setTimeout(5)]);
    if (child.exitCode === null && child.kill('SIGKILL')) {
      killed++;
      await ended;
      if ((await uploads()).filter(({ uploaded }) => uploaded).length < known + 3) whileSending++;
    }
  }
  const last = await runLoop(args, { home, environment });
  expect([last.code, last.stderr]).toEqual([0, expect.any(String)]);
  return whileSending;
}

/** Each file of a folder is on the platform once, byte by byte. */
async function expectOnce(folder: string, name: string): Promise<void> {
  const sent = (await uploads()).filter((upload) => upload.name.includes(name));
  const files = [`${name}.mp4`, `one-${name}.wav`, `two-${name}.wav`];
  expect(sent.map((upload) => upload.name).toSorted()).toEqual(files);
  for (const { id, name } of sent) {
    const { url } = await run.api('POST', `/uploads/${id}/download-url`);
    const stored = await sha256Of((await fetch(url)).body!);
    expect([name, stored]).toEqual([name, await sha256Of(createReadStream(join(folder, name)))]);
  }
}

test(`up (seed ${seed})`, async () => {
  const folder = await largeFiles('night');
  expect(await runKilled(['up', folder, '--to', 'dst_local'], 0)).toBeGreaterThan(kills / 4);
  await expectOnce(folder, 'night');
  const { data: streams } = await run.api('GET', '/streams');
  expect(streams).toMatchObject([{ name: 'night' }]);
  await untilActive(run.api, streams[0].id);
  const { data: playlists } = await run.api('GET', '/playlists');
  expect(playlists.map(({ draft }: any) => draft.items.length)).toEqual([2]);
  await run.api('POST', `/streams/${streams[0].id}/stop`);
});

test(`apply (seed ${seed})`, async () => {
  const folder = await largeFiles('filed');
  const file = join(folder, 'channel.yaml');
  await writeFile(
    file,
    `version: 1
streams:
  Filed:
    destination: dst_local
    videoUpload: ./filed.mp4
    playlists:
      audio: { items: [./one-filed.wav, ./two-filed.wav] }
    running: true
`,
  );
  expect(await runKilled(['apply', '-f', file], 3)).toBeGreaterThan(kills / 4);
  await expectOnce(folder, 'filed');
  const { data: streams } = await run.api('GET', '/streams?q=Filed');
  expect(streams).toMatchObject([{ name: 'Filed' }]);
  await untilActive(run.api, streams[0].id);
  const { data: playlists } = await run.api('GET', `/playlists?streamID=${streams[0].id}`);
  expect(playlists.map(({ draft }: any) => draft.items.length)).toEqual([2]);
});
