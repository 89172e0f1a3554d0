// From three files to a live stream beside a real local run: by one command, and by a channel file.
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runLoop } from '../support/loop-command.ts';
import { watchChannels } from '../support/local-run.ts';
import { mediaSample } from '../support/media-samples.ts';
import { testLocalRun } from '../support/test-local-run.ts';

vi.setConfig({ testTimeout: 300_000 });

const run = testLocalRun('--no-demo');
let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'loop-files-'));
});
afterAll(() => rm(home, { recursive: true }));

const environment = () => ({ LOOP_API_URL: run.connection.apiURL, LOOP_API_KEY: run.connection.apiKey });
const loop = (...args: string[]) => runLoop(args, { home, environment: environment() });

/** A folder with a video and two songs. */
async function threeFiles(name: string): Promise<string> {
  const folder = join(home, name);
  await mkdir(folder);
  await copyFile(await mediaSample('plain.mp4'), join(folder, `${name}.mp4`));
  for (const song of ['one', 'two']) await copyFile(await mediaSample('song.mp3'), join(folder, `${song}-${name}.mp3`));
  return folder;
}

test('one command puts a folder live within a minute; run again, it sends nothing twice', async () => {
  await threeFiles('night');
  const startedMs = performance.now();
  const up = await loop('up', 'night', '--to', 'dst_local', '--json');
  expect([up.code, up.stderr]).toEqual([0, expect.any(String)]);
  expect((performance.now() - startedMs) / 1000).toBeLessThan(60);
  expect(JSON.parse(up.stdout)).toMatchObject({ name: 'night', state: 'active' });
  expect(await watchChannels(run)).toMatchObject([{ live: true }]);
  expect((await loop('up', 'night', '--to', 'dst_local')).code).toBe(0);
  expect((await run.api('GET', '/uploads?limit=100')).data).toHaveLength(3);

  const rows = JSON.parse((await loop('timeline', 'night', '--json')).stdout);
  expect(rows[0]).toMatchObject({ name: expect.stringMatching(/^(?:one|two)-night\.mp3$/) });
  expect(JSON.parse((await loop('spend', '--json')).stdout).streams).toMatchObject([{ name: 'night' }]);
  expect((await loop('prove', 'night', '--output', join(home, 'day.jws'))).code).toBe(0);
  expect((await loop('stop', 'night')).code).toBe(0);
});

test('a channel file puts the same live, writes nothing the second time, and interrupts nothing', async () => {
  const folder = await threeFiles('files');
  const file = join(folder, 'channel.yaml');
  const channel = (look: string) => `version: 1
streams:
  Filed:
    destination: dst_local
    streamBackend: manifest
    videoUpload: ./files.mp4
    ${look}
    playlists:
      audio: { mode: shuffle, items: [./one-files.mp3, ./two-files.mp3] }
    running: true
`;
  await writeFile(file, channel(''));
  expect((await loop('plan', '-f', file, '--check')).code).toBe(7);
  const startedMs = performance.now();
  const applied = await loop('apply', '-f', file);
  expect([applied.code, applied.stderr]).toEqual([0, expect.any(String)]);
  expect((performance.now() - startedMs) / 1000).toBeLessThan(60);
  const [before] = (await run.api('GET', '/streams?q=Filed')).data;
  expect((await loop('apply', '-f', file)).stdout).toContain('Nothing changes');
  expect((await loop('plan', '-f', file, '--check')).code).toBe(0);

  await writeFile(file, channel('look: { framing: { mode: blur } }'));
  expect((await loop('apply', '-f', file)).stdout).toContain('No stream is interrupted.');
  await writeFile(file, channel('look: { framing: { mode: blur } }\n    quality: q_1080p'));
  const refused = await loop('apply', '-f', file);
  expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('Interrupted: Filed.')]);
  const [stream] = (await run.api('GET', '/streams?q=Filed')).data;
  expect([stream.state, stream.stateReason, stream.startedAt]).toEqual(['active', null, before.startedAt]);
  expect(stream).toMatchObject({ look: { framing: { mode: 'blur' } }, quality: null });
  expect((await loop('stop', 'Filed')).code).toBe(0);
});
