// Workers that prepare the same content make one rendition of it, and one continues after another was killed.
import { on, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { renditionOf } from '../../../lambda/domain/playout/rendition.ts';
import { redeliver } from '../../../lambda/ports/command-queue/postgres-command-queue.ts';
import { createFileObjectStore } from '../../../lambda/ports/object-store/file-object-store.ts';
import type { FileObjectStore } from '../../../lambda/ports/object-store/file-object-store.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { actorsOn } from '../../support/actors.ts';
import { mediaSample, serveSamples } from '../../support/media-samples.ts';
import type { SampleServer } from '../../support/media-samples.ts';
import { testService } from '../../support/service.ts';
import { clearRenditions } from '../../support/stored-uploads.ts';
import { decodePictures } from '../ffmpeg/encoded-item.ts';
import { flvOf } from '../prepared/checking-ingest.ts';
import { receiveRendition } from '../prepared/prepared-clips.ts';
import { spawnPreparing, startPreparing } from './preparing-worker.ts';

const tools = await findMediaTools(process.env);
const service = testService();
const { call, create, data, destination, stream, upload } = actorsOn(service);

const format = { quality: 'q_720p', framerate: 'f_24', videoCodec: 'h264' } as const;

let samples: SampleServer;
let sourceURL: string;
let objectsFolder: string;
let objects: FileObjectStore;
beforeAll(async () => {
  samples = await serveSamples();
  sourceURL = samples.urlOf(await mediaSample('plain.mp4'));
  objectsFolder = await mkdtemp(join(tmpdir(), 'preparing-'));
  objects = createFileObjectStore({ folder: objectsFolder, baseURL: 'http://127.0.0.1/objects', signingKey: 'test' });
});
afterAll(async () => {
  await samples[Symbol.asyncDispose]();
  await rm(objectsFolder, { recursive: true });
});
beforeEach(() => clearRenditions(service));

/** Creates an upload with this content hash. Its media lasts two seconds, then the last picture is held. */
async function uploadOf(content: string, durationSeconds: number): Promise<string> {
  const id = await upload({ durationSeconds });
  await data().uploads.recordContentHash(id, content);
  return id;
}

/** Creates a stream that keeps an upload prepared. @returns the id of the stream */
async function keep(uploadID: string): Promise<string> {
  const id = await create('/streams', { streamBackend: 'manifest', ...format });
  const playlistID = await create('/playlists', { streamID: id, kind: 'video', mode: 'sequential' });
  await call('POST', `/playlists/${playlistID}/operations`, { operations: [{ op: 'add', uploadID }] });
  await call('PATCH', `/streams/${id}`, { preparedPlaylistIDs: [playlistID] });
  return id;
}

function untilPrepared(id: string): Promise<void> {
  return expect.poll(async () => (await stream(id)).preparedShare).toBe(1);
}
const workerAs = (consumer: string) => ({
  databaseURL: service.databaseURL(),
  objectsFolder,
  sourceURL,
  consumer,
  tools,
});

/** Runs a worker until the end of the test. @returns the segments that it prepares, a growing list */
function startWorker(consumer: string, source = sourceURL): string[] {
  const prepared: string[] = [];
  const worker = startPreparing({ ...workerAs(consumer), sourceURL: source }, (segment) => prepared.push(segment));
  onTestFinished(() => worker.stop());
  return prepared;
}

it(
  'an upload in high dynamic range is prepared as such as soon as it has been examined',
  { timeout: 60_000 },
  async () => {
    const uploadID = await create('/uploads', { name: 'film', mimeType: 'video/x-matroska' });
    await data().uploads.recordContentHash(uploadID, 'film');
    await data().uploads.markUploaded(uploadID, 1);
    const id = await keep(uploadID);
    await data().outbox.send({ queue: 'media', body: { task: 'probe_upload', uploadID } });
    startWorker('worker', samples.urlOf(await mediaSample('greys-pq.mkv')));
    await untilPrepared(id);
    const rendition = renditionOf('film', { kind: 'video', durationSeconds: 1 }, format);
    const { ingest } = await receiveRendition(objects, rendition);
    const [picture] = await decodePictures(tools, flvOf(ingest));
    expect([2, 6, 10, 14].map((x) => picture![4 * 16 + x])).toEqual(
      [17, 92, 201, 235].map((luma) => expect.closeTo(luma, -0.5)),
    );
    // The ffmpeg backend reads the dynamic range from the timeline that a start writes.
    await call('PATCH', `/streams/${id}`, { destinationID: await destination() });
    expect((await call('POST', `/streams/${id}/start`)).body.state).toBe('activating');
    expect((await data().timelines.ofStream(id)).video[0]!.snapshot.items).toMatchObject([
      { uploadID, dynamicRange: 'pq' },
    ]);
  },
);

it(
  'two workers make one rendition of a content, however many uploads have it and however often they are asked',
  { timeout: 120_000 },
  async () => {
    const uploads = await Promise.all(Array.from({ length: 3 }, () => uploadOf('same', 41)));
    const streams = await Promise.all(uploads.map(keep));
    await data().outbox.sendAll(
      'media',
      uploads.flatMap((uploadID) => [1, 2].map(() => ({ task: 'prepare_upload', uploadID, format: 'q_720p-f_24' }))),
    );
    const prepared = [startWorker('first'), startWorker('second')];
    for (const id of streams) await untilPrepared(id);
    const segments = prepared.flat().map((segment) => segment.split(' ')[1]);
    expect(segments.sort()).toEqual(['0', '1', '2']);
  },
);

it('another worker goes on where one was killed', { timeout: 120_000 }, async () => {
  const uploadID = await uploadOf('long', 61);
  const id = await keep(uploadID);
  const worker = spawnPreparing(workerAs('killed'));
  onTestFinished(() => void worker.kill('SIGKILL'));
  let made = 0;
  for await (const _ of on(worker, 'message')) if (++made === 3) break;
  // The third segment is made, but may not be recorded; the fourth may have begun.
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  const noted = Math.round((await stream(id)).preparedShare * 4);
  expect(noted).toBeGreaterThanOrEqual(2);
  // A supervisor makes this call after the death of its process.
  await redeliver(service.pool(), 'killed');
  const prepared = startWorker('other');
  await untilPrepared(id);
  expect(prepared).toEqual([0, 1, 2, 3].slice(noted).map((segment) => `${uploadID} ${segment}`));
});
