// A channel file changes a stream that is on air, beside a real local run: on air, or with --restart off it and back.
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import type { Change, Plan } from '../../bin/loop/channel/change.ts';
import { runLoop } from '../support/loop-command.ts';
import { until } from '../support/local-run.ts';
import { mediaSample } from '../support/media-samples.ts';
import { testLocalRun } from '../support/test-local-run.ts';

vi.setConfig({ testTimeout: 240_000 });

const run = testLocalRun('--no-demo');
/** The requests of the command that write. */
const written: string[] = [];
const line = createServer((request, response) => {
  const { method, url, headers } = request;
  if (method !== 'GET') written.push(`${method} ${url}`);
  const { host: _host, ...others } = headers;
  const forwarded = send(new URL(url!, run.connection.apiURL), { method, headers: others }, (answer) => {
    response.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(response);
  });
  request.pipe(forwarded);
});

let home: string;
let file: string;
type Doc = Record<string, any>;
const doc: Doc = {
  version: 1,
  destinations: { second: { url: '', streamKey: { env: 'SECOND_KEY' } } },
  streams: {
    Night: {
      destination: 'dst_local',
      streamBackend: 'manifest',
      quality: 'q_720p',
      playlists: { video: { mode: 'sequential', items: ['./a.mp4', './b.mp4'] } },
      running: true,
    },
  },
};
const night: Doc = doc['streams'].Night;

const loop = async (...args: string[]) =>
  runLoop(args, {
    home,
    environment: {
      LOOP_API_URL: `http://127.0.0.1:${(line.address() as AddressInfo).port}/v1`,
      LOOP_API_KEY: run.connection.apiKey,
      SECOND_KEY: 'second',
    },
  });
const stream = async () => (await run.api('GET', '/streams?q=Night')).data[0];
const playlistOf = async (kind: string) =>
  (await run.api('GET', `/playlists?streamID=${(await stream()).id}`)).data.find((each: Doc) => each.kind === kind);
const namesOf = async (kind: string): Promise<string[]> => {
  const uploads = (await run.api('GET', '/uploads?limit=100')).data;
  const { live } = await playlistOf(kind);
  return live.items.map(({ uploadID }: Doc) => uploads.find(({ id }: Doc) => id === uploadID).name);
};

/** Changes the file. @returns the plan, which is the plan of `apply` as well */
async function planOf(edit: () => void): Promise<Plan> {
  edit();
  await writeFile(file, stringify(doc));
  written.length = 0;
  const planned = await loop('plan', '-f', file, '--json');
  expect([planned.code, planned.stderr, written]).toEqual([0, '', []]);
  return JSON.parse(planned.stdout);
}

/** Applies the file, and once more: the second run writes nothing. */
async function apply(...options: string[]): Promise<{ stdout: string; stderr: string }> {
  const applied = await loop('apply', '-f', file, ...options);
  expect([applied.code, applied.stdout, applied.stderr]).toEqual([0, expect.any(String), expect.any(String)]);
  written.length = 0;
  const again = await loop('apply', '-f', file, ...options);
  expect([again.code, again.stdout, written]).toEqual([0, expect.stringContaining('Nothing changes'), []]);
  return applied;
}

const seen = ({ changes }: Plan) =>
  changes.map(({ action, kind, name, viewers, interrupts }: Change) => [
    `${action} ${kind} ${name}`,
    viewers,
    ...(interrupts ? ['interrupts'] : []),
  ]);

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'loop-air-'));
  file = join(home, 'channel.yaml');
  line.listen(0, '127.0.0.1');
  await once(line, 'listening');
  for (const name of ['a', 'b', 'c']) await copyFile(await mediaSample('plain.mp4'), join(home, `${name}.mp4`));
  // Uploads are told apart by their name and size.
  for (const name of ['one', 'two']) await copyFile(await mediaSample('song.mp3'), join(home, `${name}.mp3`));
  doc['destinations'].second.url = (await run.api('GET', '/destinations')).data[0].url;
  await writeFile(file, stringify(doc));
  await apply();
}, 240_000);
afterAll(async () => {
  line.close();
  await rm(home, { recursive: true });
});

const fromNextItem = 'The new list begins at the end of an item, at least 10 s from now, without an interruption.';
const settingsFromNextItem = 'Viewers see it from the next item on, without an interruption.';
const offAirFirst = 'The stream goes off air for this, and comes back.';
const back = ['update run Night', 'The stream goes on air.'];

/** Each changes the file. The other parts: the rows of the plan, and the value that the API shows in the end. */
const onAir: readonly [string, () => void, readonly (readonly string[])[], () => Promise<unknown>, unknown][] = [
  [
    'an item more, in another order',
    () => (night['playlists'].video.items = ['./c.mp4', './b.mp4', './a.mp4']),
    [
      ['create upload ./c.mp4', ''],
      ['update playlist Night/video', fromNextItem],
    ],
    () => namesOf('video'),
    ['c.mp4', 'b.mp4', 'a.mp4'],
  ],
  [
    'shuffle, without an item',
    () => (night['playlists'].video = { mode: 'shuffle', items: ['./c.mp4', './a.mp4'] }),
    [['update playlist Night/video', fromNextItem]],
    () => namesOf('video'),
    ['c.mp4', 'a.mp4'],
  ],
  [
    'another look',
    () => (night['look'] = { framing: { mode: 'blur' } }),
    [['update stream Night', settingsFromNextItem]],
    async () => (await stream()).look.framing.mode,
    'blur',
  ],
  [
    'a further output',
    () => (night['outputs'] = [{ destination: 'second', name: 'copy' }]),
    [['create output Night → second', 'Viewers there see the stream within seconds.']],
    async () => (await stream()).outputs.map(({ state }: Doc) => state),
    ['live', 'live'],
  ],
  [
    'a paused output',
    () => (night['outputs'][0].enabled = false),
    [['update output Night → second', 'The stream ends there.']],
    async () => (await stream()).outputs.map(({ enabled }: Doc) => enabled),
    [true, false],
  ],
  [
    'no further output',
    () => (night['outputs'] = []),
    [['delete output Night → second', 'The stream ends there.']],
    async () => (await stream()).outputs.length,
    1,
  ],
];

test.each(onAir)('on air: %s', async (_title, edit, rows, shown, wanted) => {
  const before = await stream();
  expect(seen(await planOf(edit))).toEqual(rows);
  expect((await apply()).stdout).toContain('No stream is interrupted.');
  await expect.poll(shown).toEqual(wanted);
  expect(await stream()).toMatchObject({ state: 'active', startedAt: before.startedAt });
});

test('on air: a file plays next once it is prepared, and so does an upload by its name', async () => {
  const before = await stream();
  await copyFile(await mediaSample('front-index.mp4'), join(home, 'wish.mp4'));
  written.length = 0;
  const next = await loop('next', 'wish.mp4', '--json');
  expect([next.code, next.stderr]).toEqual([0, expect.any(String)]);
  const asked = written.filter((request) => request === `POST /v1/streams/${before.id}/play-next`);
  expect(asked.length).toBeGreaterThan(1);
  const { startsAt } = JSON.parse(next.stdout);
  const rows = async () => JSON.parse((await loop('timeline', '--json')).stdout);
  expect(await rows()).toContainEqual(expect.objectContaining({ name: 'wish.mp4', startAt: startsAt }));
  const again = await loop('next', 'B.mp4', 'Night', '--json');
  expect(Date.parse(JSON.parse(again.stdout).startsAt)).toBeGreaterThan(Date.parse(startsAt));
  expect((await loop('next', 'nothing.mp4')).code).toBe(3);
  expect(await stream()).toMatchObject({ state: 'active', startedAt: before.startedAt });
});

test('on air: a programme begins, and its publish shows the rows that change', async () => {
  const rows = 'Rows are planned again from the next item on, at least 10 s from now, without an interruption.';
  const block = { id: 'all', name: 'All day', steps: [{ id: 'one', collection: 'films' }] };
  const begun = await planOf(() => {
    doc['collections'] = { films: { kind: 'video', source: { text: '.mp4' } } };
    night['programmes'] = { video: { timeZone: 'UTC', blocks: [block] } };
  });
  expect(seen(begun)).toEqual([
    ['create collection films', ''],
    ['create programme Night/video', rows],
  ]);
  const before = await stream();
  await apply();
  const changed = await planOf(() => (night['programmes'].video.separation = [{ by: 'upload', items: 1 }]));
  expect(seen(changed)).toEqual([['update programme Night/video', rows]]);
  expect((await apply()).stderr).toMatch(/The programme: \d+ rows stay, \d+ move, \d+/);
  const [programme] = (await run.api('GET', '/programmes')).data;
  expect(programme).toMatchObject({ liveVersion: programme.version, separation: [{ by: 'upload' }] });
  const ended = await planOf(() => (night['programmes'].video = null));
  expect(seen(ended)).toEqual([['delete programme Night/video', 'The stream repeats its last plan.']]);
  await apply();
  expect(await stream()).toMatchObject({ state: 'active', startedAt: before.startedAt });
});

/** Changes that a live stream cannot take on air. */
const interrupting: readonly [string, () => void, readonly string[], () => Promise<unknown>, unknown][] = [
  [
    'another quality',
    () => (night['quality'] = 'q_1080p'),
    ['update stream Night', offAirFirst, 'interrupts'],
    async () => (await stream()).quality,
    'q_1080p',
  ],
  [
    'songs beside the pictures',
    () => (night['playlists'].audio = { items: ['./one.mp3', './two.mp3'] }),
    ['create playlist Night/audio', offAirFirst, 'interrupts'],
    () => namesOf('audio'),
    ['one.mp3', 'two.mp3'],
  ],
  [
    'no songs any more',
    () => (night['playlists'].audio = null),
    ['delete playlist Night/audio', offAirFirst, 'interrupts'],
    async () => (await stream()).playlistIDs.length,
    1,
  ],
  [
    'another aspect',
    () => (night['look'] = { ...night['look'], aspect: '9:16' }),
    ['update stream Night', offAirFirst, 'interrupts'],
    async () => (await stream()).look.aspect,
    '9:16',
  ],
];

test.each(interrupting)('refused without --restart: %s', async (_title, edit, row, shown, wanted) => {
  const before = await stream();
  const rows = seen(await planOf(edit)).filter(([what]) => !what!.startsWith('create upload'));
  expect(rows).toEqual([row, back]);
  const refused = await loop('apply', '-f', file);
  expect([refused.code, written]).toEqual([1, []]);
  expect(refused.stdout).toContain('Interrupted: Night. Apply it with --restart.');
  expect(refused.stderr).toContain('Nothing was changed');
  expect(await stream()).toMatchObject({ state: 'active', startedAt: before.startedAt });

  await apply('--restart');
  expect(await shown()).toEqual(wanted);
  const after = await stream();
  expect(after.state).toBe('active');
  expect(Date.parse(after.startedAt)).toBeGreaterThan(Date.parse(before.startedAt));
});

test('apply ends with --timeout, and the next run goes on', async () => {
  await planOf(() => (night['quality'] = 'q_720p'));
  const late = await loop('apply', '-f', file, '--restart', '--timeout', '0');
  expect([late.code, late.stderr]).toEqual([6, expect.stringMatching(/The stream is still \w+ after 0 s\./)]);
  await until(async () => (await stream()).state === 'stopped');
  await apply();
  expect(await stream()).toMatchObject({ state: 'active', quality: 'q_720p' });
});
