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
import { prepareSegment } from '../../../lambda/publisher/preparing/prepare-segment.ts';
import { renditionOf } from '../../../lambda/domain/playout/rendition.ts';
import { actorsOn } from '../../support/actors.ts';
import { fastEncoder, mediaSample, serveSamples } from '../../support/media-samples.ts';
import type { SampleServer } from '../../support/media-samples.ts';
import { testService } from '../../support/service.ts';
import { clearRenditions, objectKeyOf } from '../../support/stored-uploads.ts';
import { startPreparing } from './preparing-worker.ts';

const tools = await findMediaTools(process.env);
const service = testService();
const { call, create, data, stream, upload } = actorsOn(service);

const format = { quality: 'q_720p', framerate: 'f_24', videoCodec: 'h264' } as const;
const formatName = 'q_720p-f_24';
/** A content's name in the previous release: the hash of its bytes. */
const bytesHash = 'b'.repeat(64);

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
  const contentHash = (await data().uploads.findAny(uploadID))!.content_hash!;
  const counts: number[] = [];
  const { rows } = await service
    .pool()
    .query('select segment_count from renditions where content_hash = $1', [contentHash]);
  const count: number = rows[0].segment_count;
  for (let segment = 0; segment < count; segment++) {
    const bytes = await buffer(await objects.read(segmentKey({ contentHash, format }, segment)));
    counts.push(readSegmentHeader(bytes.subarray(0, 64 * 1024)).groupCount);
  }
  return counts;
}

/** An upload whose content has its name from the previous release. */
async function uploadNamedBefore(durationSeconds: number | null): Promise<string> {
  const id = await upload({ durationSeconds });
  await data().uploads.recordContentHash(id, bytesHash);
  return id;
}

const ask = (uploadID: string, segment?: number) =>
  data().outbox.send({
    queue: 'media',
    body: { task: 'prepare_upload', uploadID, format: formatName, ...(segment !== undefined && { segment }) },
  });

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

it('uploads of the same bytes share a rendition', async () => {
  startWorker();
  const films = [await uploadFilm(), await uploadFilm({ type: 'audio' })];
  for (const { streamID } of films) await untilPrepared(streamID);
  const names = await Promise.all(films.map(async ({ id }) => (await data().uploads.findAny(id))!.content_hash));
  expect(names[0]).toBe(names[1]);
  expect(names[0]).toMatch(/^[0-9a-f]{64}-video-8-sound$/u);
});

it('a rendition that is half made goes on as it began, whoever comes with another length', async () => {
  const long = await uploadNamedBefore(41);
  const streamID = await keep(long);
  await data().renditions.begin(bytesHash, formatName, 3);
  const short = await uploadNamedBefore(null);
  await service.pool().query('delete from outbox');
  await ask(short);
  await ask(long);
  startWorker();
  await untilPrepared(streamID);
  expect(await picturesOf(long)).toEqual([480, 480, 24]);
  await expect.poll(async () => (await data().uploads.findAny(short))!.content_hash).toBe(`${bytesHash}-image-sound`);
  await expect.poll(() => picturesOf(short).catch(() => [])).toEqual([48]);
});

it('what was made of other facts, and is ready, is left to those who have them', async () => {
  // The previous release made a still of a film, because a user had declared it an image.
  const still = renditionOf(bytesHash, { kind: 'image', durationSeconds: 0 }, format);
  const request = { rendition: still, segment: 0, sourceURL: path, kind: 'image', hasAudio: true } as const;
  const signal = new AbortController().signal;
  const bytes = await prepareSegment(tools, { ...request, encoder: fastEncoder }, signal);
  await objects.write(segmentKey(still, 0), bytes, { contentType: 'application/octet-stream' });
  await data().renditions.begin(bytesHash, formatName, 1, 'libx264 ultrafast');
  await data().renditions.finishSegment(bytesHash, formatName, 0);
  const film = await uploadNamedBefore(8);
  // An agent has found that the segment lacks the groups of the film.
  await ask(film, 0);
  startWorker();
  await expect.poll(() => picturesOf(film).catch(() => [])).toEqual([8 * 24]);
  expect(await buffer(await objects.read(segmentKey(still, 0)))).toEqual(bytes);
});

it('who deletes an upload whose preparation others wait for stops nobody', async () => {
  const first = await upload({ durationSeconds: 8 });
  await data().uploads.recordContentHash(first, `${bytesHash}-video-8-sound`);
  const second = await upload({ durationSeconds: 8 });
  await data().uploads.recordContentHash(second, `${bytesHash}-video-8-sound`);
  await keep(first);
  const streamID = await keep(second);
  await data().uploads.delete(first);
  startWorker();
  await untilPrepared(streamID);
  expect(await picturesOf(second)).toEqual([8 * 24]);
});
