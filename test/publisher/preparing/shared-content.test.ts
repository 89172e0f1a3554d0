// Users who upload the same bytes share their prepared media, and none of them can damage it for the others.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { createFileObjectStore } from '../../../lambda/ports/object-store/file-object-store.ts';
import type { FileObjectStore } from '../../../lambda/ports/object-store/file-object-store.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { readSegmentHeader, segmentKey } from '../../../lambda/publisher/prepared/segment-format.ts';
import { actorsOn } from '../../support/actors.ts';
import { mediaSample, serveSamples } from '../../support/media-samples.ts';
import type { SampleServer } from '../../support/media-samples.ts';
import { testService } from '../../support/service.ts';
import { clearRenditions, objectKeyOf } from '../../support/stored-uploads.ts';
import { startPreparing } from './preparing-worker.ts';

const tools = await findMediaTools(process.env);
const service = testService();
const { call, create, data, stream, upload } = actorsOn(service);

const format = { quality: 'q_720p', framerate: 'f_24', videoCodec: 'h264' } as const;
const contentHash = `${'b'.repeat(64)}-video-8-sound`;

let samples: SampleServer;
let path: string;
let objectsFolder: string;
let objects: FileObjectStore;
beforeAll(async () => {
  samples = await serveSamples();
  path = await mediaSample('front-index.mp4');
  objectsFolder = await mkdtemp(join(tmpdir(), 'shared-content-'));
  objects = createFileObjectStore({ folder: objectsFolder, baseURL: 'http://127.0.0.1/objects', signingKey: 'test' });
});
afterAll(async () => {
  await samples[Symbol.asyncDispose]();
  await rm(objectsFolder, { recursive: true });
});
beforeEach(() => clearRenditions(service));

function startWorker(): void {
  const worker = startPreparing(
    { databaseURL: service.databaseURL(), objectsFolder, sourceURL: samples.urlOf(path), consumer: 'worker', tools },
    () => {},
  );
  onTestFinished(() => worker.stop());
}

/** Creates a stream that keeps an upload prepared. @returns the id of the stream */
async function keep(uploadID: string): Promise<string> {
  const id = await create('/streams', { streamBackend: 'manifest', ...format });
  const playlistID = await create('/playlists', { streamID: id, kind: 'video', mode: 'sequential' });
  await call('POST', `/playlists/${playlistID}/operations`, { operations: [{ op: 'add', uploadID }] });
  await call('PATCH', `/streams/${id}`, { preparedPlaylistIDs: [playlistID] });
  return id;
}

/** Uploads the eight seconds of film, and keeps it prepared. @param said the user's settings for it */
async function uploadFilm(said: object = {}) {
  const id = await create('/uploads', { name: 'film', mimeType: 'video/mp4', ...said });
  const bytes = await readFile(path);
  await objects.write(await objectKeyOf(service, id), bytes, { contentType: 'video/mp4' });
  await data().uploads.markUploaded(id, bytes.length);
  const streamID = await keep(id);
  await data().outbox.send({ queue: 'media', body: { task: 'probe_upload', uploadID: id } });
  return { id, streamID };
}

function untilPrepared(streamID: string): Promise<void> {
  return expect.poll(async () => (await stream(streamID)).preparedShare).toBe(1);
}

/** The number of prepared pictures of an upload's content, by segment of at most 480. */
async function picturesOf(uploadID: string): Promise<number[]> {
  const { content_hash } = (await data().uploads.findAny(uploadID))!;
  const counts: number[] = [];
  const { rows } = await service
    .pool()
    .query('select segment_count from renditions where content_hash = $1', [content_hash]);
  const count: number = rows[0].segment_count;
  for (let segment = 0; segment < count; segment++) {
    const bytes = await buffer(await objects.read(segmentKey({ contentHash: content_hash!, format }, segment)));
    counts.push(readSegmentHeader(bytes.subarray(0, 64 * 1024)).groupCount);
  }
  return counts;
}

it('a film that somebody calls an image is prepared as a film for everybody else', async () => {
  startWorker();
  const image = await uploadFilm({ type: 'image' });
  await expect
    .poll(() => data().uploads.findAny(image.id))
    .toMatchObject({
      probe_state: 'failed',
      failure: { code: 'type_mismatch' },
    });
  const film = await uploadFilm();
  await untilPrepared(film.streamID);
  expect(await picturesOf(film.id)).toEqual([8 * 24]);
});

it('an upload gets the type of its content, whatever a browser made of its name', async () => {
  startWorker();
  const { id } = await uploadFilm({ mimeType: 'audio/ogg' });
  await expect
    .poll(() => data().uploads.findAny(id))
    .toMatchObject({ probe_state: 'completed', type: 'video', mime_type: 'video/mp4' });
});

it('uploads of the same bytes share a rendition', async () => {
  startWorker();
  const films = [await uploadFilm(), await uploadFilm({ type: 'audio' })];
  for (const { streamID } of films) await untilPrepared(streamID);
  const names = await Promise.all(films.map(async ({ id }) => (await data().uploads.findAny(id))!.content_hash));
  expect(names[0]).toBe(names[1]);
  expect(names[0]).toMatch(/^[0-9a-f]{64}-video-8-sound$/u);
});

it('who deletes an upload whose preparation others wait for stops nobody', async () => {
  const first = await upload({ durationSeconds: 8 });
  await data().uploads.recordContentHash(first, contentHash);
  const second = await upload({ durationSeconds: 8 });
  await data().uploads.recordContentHash(second, contentHash);
  await keep(first);
  const streamID = await keep(second);
  await data().uploads.delete(first);
  startWorker();
  await untilPrepared(streamID);
  expect(await picturesOf(second)).toEqual([8 * 24]);
});
