// The poster of a stream is a picture that it sent seconds ago, made once for all viewers.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { captureFrame } from '../../../lambda/publisher/inspecting/capture-frame.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import type { MediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { actorsOn } from '../../support/actors.ts';
import { makeBarcodeClip, readBarcodes } from '../../support/barcode-clip.ts';
import { commandsTo, takeCommands } from '../../support/outbox-rows.ts';
import { testService } from '../../support/service.ts';
import type { Answer } from '../../support/service.ts';
import { writeShellProgram } from '../../support/shell-program.ts';
import { objectKeyOf } from '../../support/stored-uploads.ts';

const service = testService();
const actors = actorsOn(service);
const { activeStream, call, register, upload } = actors;

const fps = 30;
/** The clips by the distance of their keyframes, in frames. Each is longer than a strip of posters. */
const clips = { 'each second': 30, 'as far apart as encoders like them': 250 } as const;
const clipSeconds = 70;
const oldestSeconds = 8;

let tools: MediaTools;
let folder: string;
let files: Map<string, string>;
/** Objects that the worker has stored. */
let stored: Map<string, Buffer>;

beforeAll(async () => {
  tools = await findMediaTools(process.env);
  folder = await mkdtemp(join(tmpdir(), 'posters-'));
  for (const every of Object.values(clips))
    await makeBarcodeClip(tools, join(folder, `${every}.mp4`), every, clipSeconds, every);
});
afterAll(() => rm(folder, { recursive: true }));

beforeEach(async () => {
  files = new Map();
  stored = new Map();
  await service.pool().query('delete from frames');
  await register('agent');
});

async function clip(every: number): Promise<string> {
  const uploadID = await upload({ durationSeconds: clipSeconds });
  files.set(await objectKeyOf(service, uploadID), join(folder, `${every}.mp4`));
  return uploadID;
}

/** A stream that has been on air for some seconds, and the address of its poster. */
async function streamOf(videoUploadObjectID: string, seconds: number) {
  const { id } = await activeStream('agent', { videoUploadObjectID, framerate: 'f_30' });
  await service
    .pool()
    .query('update streams set anchored_at = now() - make_interval(secs => $2) where id = $1', [id, seconds]);
  const { posterURL } = (await call('GET', `/streams/${id}`)).body;
  return { id, posterURL: posterURL as string };
}

const look = (posterURL: string) => service.send(new Request(posterURL));

/** Carries out the waiting commands as a worker does. @returns their number */
async function work(by = tools): Promise<number> {
  const waiting = (await takeCommands(service, 'media')).filter(
    (body) => 'task' in body && body.task === 'capture_posters',
  );
  const objects = {
    presignGet: async (key: string) => files.get(key)!,
    write: async (key: string, body: Buffer | Readable) =>
      void stored.set(key, Buffer.isBuffer(body) ? body : await buffer(body)),
  };
  const attempt = { commandID: 'test', failures: 0, isLast: true, signal: new AbortController().signal };
  const options = { pool: service.pool(), objects, tools: by, log: () => {} };
  for (const body of waiting) await captureFrame(options, (body as { objectKey: string }).objectKey, attempt);
  return waiting.length;
}

/** Lets a worker work until there is an answer. If that takes too long, the answer asks to retry. */
async function posterAt(posterURL: string, by = tools): Promise<Answer> {
  let isAnswered = false;
  const asked = look(posterURL).finally(() => (isAnswered = true));
  await vi.waitUntil(async () => (await work(by)) === 0 && isAnswered, { timeout: 25_000 });
  const answer = await asked;
  return answer.status === 502 ? posterAt(posterURL, by) : answer;
}

async function shownAt(location: string) {
  const [, image] = [...stored].find(([key]) => new URL(location).pathname.endsWith(key))!;
  const file = join(folder, 'poster.jpg');
  await writeFile(file, image);
  return (await readBarcodes(tools, file))[0]!;
}

describe.each(Object.entries(clips))('of a file with keyframes %s', (_name, every) => {
  it.each([0, 3, 9, 30.5, 63, 64, clipSeconds + 1, 3 * clipSeconds + 20])(
    'shows what was on the air at most so long ago, %s s after the beginning',
    async (seconds) => {
      const uploadID = await clip(every);
      const beganMs = Date.now();
      const { posterURL } = await streamOf(uploadID, seconds);
      const { status, headers } = await posterAt(posterURL);
      const passedSeconds = (Date.now() - beganMs) / 1000;
      expect(status).toBe(302);
      const shown = await shownAt(headers.get('location')!);
      expect(shown.clip).toBe(every);
      const ageSeconds = (seconds % clipSeconds) - shown.frame / fps;
      expect(ageSeconds + passedSeconds).toBeGreaterThanOrEqual(0);
      expect(ageSeconds).toBeLessThanOrEqual(oldestSeconds);
    },
  );
});

test('a hundred who look at streams that play the same have it made once, by the same address', async () => {
  const uploadID = await clip(30);
  const streams = [await streamOf(uploadID, 20.1), await streamOf(uploadID, 20.1 + clipSeconds)];
  const first = await posterAt(streams[0]!.posterURL);
  await service.pool().query('delete from outbox');
  const looks = await Promise.all(Array.from({ length: 100 }, (_, n) => look(streams[n % 2]!.posterURL)));
  expect(new Set(looks.map(({ headers }) => headers.get('location'))).size).toBeLessThanOrEqual(2);
  expect(looks.every(({ status }) => status === 302)).toBe(true);
  expect(Number(/max-age=(\d+)/.exec(first.headers.get('cache-control')!)![1])).toBeLessThanOrEqual(4);
  expect(await work()).toBe(0);
  expect(stored.size).toBe(15);
});

test('the next posters are made before they are needed', async () => {
  const { posterURL } = await streamOf(await clip(30), 56);
  await posterAt(posterURL);
  expect([...stored.keys()].filter((key) => key.includes('posters-1'))).not.toEqual([]);
});

test('what is due is made before what comes next, where only one more may be made', async () => {
  const { posterURL } = await streamOf(await clip(30), 56);
  const fill = `insert into frames (object_key, user_id, upload_id, frame, format, width, posters)
    select 'x' || n, $1, 'upl', n, 'q_720p-f_30', 320, 15 from generate_series(1, 199) n`;
  await service.pool().query(fill, [actors.user().id]);
  expect((await posterAt(posterURL)).status).toBe(302);
  expect([...stored.keys()].filter((key) => key.includes('posters-1'))).toEqual([]);
});

test('keyframes are shown, as many as there are, where no more of the file can be read', async () => {
  const ffmpegPath = writeShellProgram(
    join(folder, 'ffmpeg-of-keyframes'),
    `case " $* " in *" noref "*) exit 1;; esac\nexec '${tools.ffmpegPath}' "$@"`,
  );
  const { posterURL } = await streamOf(await clip(250), 30);
  const { status, headers } = await posterAt(posterURL, { ...tools, ffmpegPath });
  expect(status).toBe(302);
  const keyframe = (await shownAt(headers.get('location')!)).frame / 250;
  expect([3, 4]).toContain(keyframe);
});

test('whoever has another link, or looks at a stream that is off the air, sees nothing', async () => {
  const { id, posterURL } = await streamOf(await clip(30), 20);
  const [link] = /[^/]+(?=\/now\.jpg)/.exec(posterURL)!;
  const other = link.replace(/\.(\d{9,})\./, (_: string, seconds: string) => `.${Number(seconds) + 60}.`);
  expect((await look(posterURL.replace(link, other))).status).toBe(404);
  const asPreview = posterURL.replace('/posters/', '/previews/').replace('now.jpg', 'live.m3u8');
  expect((await look(asPreview)).status).toBe(404);
  await call('POST', `/streams/${id}/stop`);
  await vi.waitUntil(async () => (await call('GET', `/streams/${id}`)).body.posterURL === null, { timeout: 20_000 });
  expect((await look(posterURL)).status).toBe(404);
  await service.pool().query('delete from streams where id = $1', [id]);
  expect((await look(posterURL)).status).toBe(404);
});

test('nothing is made of streams at which nobody looks', async () => {
  await streamOf(await clip(30), 20);
  const { data } = (await call('GET', '/streams')).body;
  expect(data[0].posterURL).toMatch(/now\.jpg$/);
  expect(await commandsTo(service, 'media')).toEqual([]);
  expect((await service.pool().query('select from frames')).rowCount).toBe(0);
});
