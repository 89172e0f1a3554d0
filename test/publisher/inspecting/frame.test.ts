// A picture of a stream at any time is the frame that is due then, as a real ffmpeg shows it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { sweep } from '../../../lambda/jobs/sweep.ts';
import { captureFrame } from '../../../lambda/publisher/inspecting/capture-frame.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import type { MediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { createPostgresCommandQueue } from '../../../lambda/ports/command-queue/postgres-command-queue.ts';
import { createOutboxTimers } from '../../../lambda/ports/timers/outbox-timers.ts';
import { actorsOn, startOptions, storage } from '../../support/actors.ts';
import { makeBarcodeClip, readBarcodes } from '../../support/barcode-clip.ts';
import { commandsTo } from '../../support/outbox-rows.ts';
import { ssimOf } from '../../support/picture-likeness.ts';
import { testService } from '../../support/service.ts';
import type { Answer } from '../../support/service.ts';
import { objectKeyOf } from '../../support/stored-uploads.ts';
import { CheckingIngest, flvOf } from '../prepared/checking-ingest.ts';
import { mediaOptions, play, preparedClips } from '../prepared/prepared-clips.ts';

const service = testService();
const actors = actorsOn(service);
const { call, create, data, readyStream, upload } = actors;

/** Seconds of the clips by their number. */
const clips = [3, 2];
const fps = 30;
const lapFrames = 5 * fps;
const yearMs = 365 * 86_400_000;

let tools: MediaTools;
let folder: string;
let files: Map<string, string>;
let streamID: string;
let anchoredAt: Date;
/** Objects that the worker has stored. */
let stored: Map<string, Buffer>;

beforeAll(async () => {
  tools = await findMediaTools(process.env);
  folder = await mkdtemp(join(tmpdir(), 'frame-'));
  for (const [clip, seconds] of clips.entries())
    await makeBarcodeClip(tools, join(folder, `${clip}.mp4`), clip, seconds);
});
afterAll(() => rm(folder, { recursive: true }));

beforeEach(async () => {
  files = new Map();
  stored = new Map();
  streamID = await readyStream({ videoUploadObjectID: null, framerate: 'f_30' });
  const playlistID = await create('/playlists', { streamID, kind: 'video', mode: 'sequential' });
  for (const [clip, durationSeconds] of clips.entries()) {
    const uploadID = await upload({ durationSeconds });
    files.set(await objectKeyOf(service, uploadID), join(folder, `${clip}.mp4`));
    await call('POST', `/playlists/${playlistID}/operations`, { operations: [{ op: 'add', uploadID }] });
  }
  await call('POST', `/streams/${streamID}/start`);
  ({ anchored_at: anchoredAt } = await data().streams.anchor(streamID));
});

/** Carries out the waiting commands as a worker does. @returns their number */
async function work(): Promise<number> {
  // One statement, so that no command is lost that comes meanwhile.
  const { rows: waiting } = await service
    .pool()
    .query<{ objectKey: string }>(
      `delete from outbox where body ->> 'task' = 'capture_frame' returning body ->> 'objectKey' as "objectKey"`,
    );
  const objects = {
    presignGet: async (key: string) => files.get(key)!,
    write: async (key: string, body: Buffer | Readable) =>
      void stored.set(key, Buffer.isBuffer(body) ? body : await buffer(body)),
  };
  const attempt = { commandID: 'test', failures: 0, isLast: true, signal: new AbortController().signal };
  const options = { pool: service.pool(), objects, tools, log: () => {} };
  for (const { objectKey } of waiting) await captureFrame(options, objectKey, attempt);
  return waiting.length;
}

/** Lets a worker work until there is an answer. If that takes too long, the answer asks to retry. */
async function ask(path: string): Promise<Answer> {
  let isAnswered = false;
  const asked = call('GET', path).finally(() => (isAnswered = true));
  await vi.waitUntil(async () => (await work()) === 0 && isAnswered, { timeout: 20_000 });
  const answer = await asked;
  return answer.status === 502 ? ask(path) : answer;
}

/** Requests the picture of a time, lets a worker make it, and reads it. */
async function frameAt(at: Date): Promise<{ clip: number; frame: number }> {
  const [shown] = await readBarcodes(tools, await jpegAt(at));
  return shown!;
}

/** Requests the picture of a time as a JPEG file. */
async function jpegAt(at: Date, more = ''): Promise<string> {
  const { status, headers } = await ask(`/streams/${streamID}/frame?at=${at.toISOString()}${more}`);
  expect(status).toBe(302);
  const location = decodeURIComponent(headers.get('location')!);
  const [, image] = [...stored].find(([key]) => location.includes(key))!;
  const file = join(folder, 'frame.jpg');
  await writeFile(file, image);
  return file;
}

it.each([0, 1.5, 2.999, 3, 4.2, 61.034])(
  'shows the frame that is due %s s after the beginning, and a year later',
  async (seconds) => {
    for (const sinceAnchorMs of [seconds * 1000, yearMs + seconds * 1000]) {
      const at = new Date(anchoredAt.getTime() + sinceAnchorMs);
      const inLap = Math.floor((sinceAnchorMs * fps) / 1000 + 1e-6) % lapFrames;
      const frame = inLap < clips[0]! * fps ? { clip: 0, frame: inLap } : { clip: 1, frame: inLap - clips[0]! * fps };
      expect(await frameAt(at)).toEqual(frame);
    }
  },
);

it('is of a year ahead what a sender sends then, on a clock that is a year ahead', { timeout: 120_000 }, async () => {
  await using prepared = await preparedClips(tools);
  const { video } = await data().timelines.ofStream(streamID);
  const { items } = video[0]!.snapshot;
  for (const each of items) await prepared.prepare(each, files.get(each.objectKey)!);
  const ingest = new CheckingIngest();
  const yearFrame = (yearMs * fps) / 1000;
  await play(
    mediaOptions(prepared.objects, () => ({ video })),
    ingest,
    { startFrame: yearFrame, seconds: 6 },
  );
  const recording = join(folder, 'a-year-ahead.flv');
  await writeFile(recording, flvOf(ingest));
  // Both a lap and the sender begin with the year.
  const shown = await readBarcodes(tools, recording);
  for (const index of [0, 41, 100, 149]) {
    const at = new Date(anchoredAt.getTime() + yearMs + Math.ceil((index * 1000) / fps));
    expect(await frameAt(at)).toEqual(shown[index]);
    const ssim = await ssimOf(tools, await jpegAt(at, '&width=1280'), recording, index);
    console.log(`frame ${index} of a year ahead has an SSIM of ${ssim}`);
    expect(ssim).toBeGreaterThanOrEqual(0.99);
  }
});

it('is made once, however often and for whatever lap it is asked, and forgotten after a day', async () => {
  const at = (ms: number) => `/streams/${streamID}/frame?at=${new Date(anchoredAt.getTime() + ms).toISOString()}`;
  const answers = await Promise.all([ask(at(1000)), ask(at(1000)), ask(at(6000))]);
  expect(answers.map(({ status }) => status)).toEqual([302, 302, 302]);
  expect(await work()).toBe(0);
  expect(stored.size).toBe(1);
  await service.pool().query(`update frames set asked_at = now() - interval '25 hours'`);
  const pool = service.pool();
  await sweep({
    pool,
    queue: createPostgresCommandQueue({ pool, log: () => {} }),
    timers: createOutboxTimers(pool),
    startOptions,
    storage,
    clock: () => new Date(),
  });
  const [objectKey] = stored.keys();
  expect(await commandsTo(service, 'media')).toContainEqual({ task: 'delete_object', objectKey });
});

it('is answered at once to whoever asks while another waits for it', async () => {
  const path = `/streams/${streamID}/frame?at=${new Date(anchoredAt.getTime() + 1000).toISOString()}`;
  const first = call('GET', path);
  await vi.waitUntil(async () => (await commandsTo(service, 'media')).length > 0, { timeout: 20_000 });
  expect((await call('GET', path)).status).toBe(502);
  await work();
  expect((await first).status).toBe(302);
});

it('is refused where nothing plays, where no picture can be made, and where too many are being made', async () => {
  const at = (ms: number) => `/streams/${streamID}/frame?at=${new Date(anchoredAt.getTime() + ms).toISOString()}`;
  expect((await call('GET', at(-1000))).body).toMatchObject({ code: 'preview_unavailable' });
  files = new Map([...files].map(([key]) => [key, join(folder, 'nothing.mp4')]));
  expect((await ask(at(100))).body).toMatchObject({
    code: 'preview_unavailable',
    detail: expect.stringMatching(/made/),
  });
  const fill = `insert into frames (object_key, user_id, upload_id, frame, format, width)
    select 'x' || n, $1, 'upl', n, 'q_720p-f_30', 640 from generate_series(1, 10) n`;
  await service.pool().query(fill, [actors.user().id]);
  expect((await call('GET', at(500))).body).toMatchObject({
    detail: expect.stringMatching(/10 other pictures are being made/),
  });
});

it('is made for another user although the one who asked first has deleted the upload of these bytes', async () => {
  const path = `/streams/${streamID}/frame?at=${new Date(anchoredAt.getTime() + 1000).toISOString()}`;
  const first = call('GET', path);
  const forget = () =>
    service
      .pool()
      .query(`update frames set upload_id = 'upl_deleted' where state = 'pending' and user_id = $1`, [
        actors.user().id,
      ]);
  await vi.waitUntil(async () => (await forget()).rowCount === 1, 20_000);
  await vi.waitUntil(async () => (await work()) === 1, 20_000);
  expect((await first).status).toBe(502);
  expect((await ask(path)).status).toBe(302);
});
