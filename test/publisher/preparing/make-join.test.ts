// A worker makes a join once for all streams that wait for it; it is deleted with the contents that it uses.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { joinKey } from '../../../lambda/domain/media/object-keys.ts';
import { plainSound } from '../../support/plain-sound.ts';
import { placedPart } from '../../../lambda/domain/playout/composition-parts.ts';
import { createFileObjectStore } from '../../../lambda/ports/object-store/file-object-store.ts';
import type { FileObjectStore } from '../../../lambda/ports/object-store/file-object-store.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { assertSegment, readSegmentHeader } from '../../../lambda/publisher/prepared/segment-format.ts';
import { actorsOn } from '../../support/actors.ts';
import { mediaSample, serveSamples } from '../../support/media-samples.ts';
import type { SampleServer } from '../../support/media-samples.ts';
import { testService } from '../../support/service.ts';
import { startPreparing } from './preparing-worker.ts';

const tools = await findMediaTools(process.env);
const service = testService();
const { activeStream, call, data, register, upload } = actorsOn(service);
const contents = ['a', 'b'].map((bytes) => `${bytes.repeat(64)}-audio-12.345-sound`) as [string, string];

let samples: SampleServer;
let folder: string;
let objects: FileObjectStore;
beforeAll(async () => {
  samples = await serveSamples();
  folder = await mkdtemp(join(tmpdir(), 'making-'));
  objects = createFileObjectStore({ folder, baseURL: 'http://127.0.0.1/objects', signingKey: 'test' });
});
afterAll(async () => {
  await samples[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});
beforeEach(() => service.pool().query('truncate joins, timeline_joins'));

const level = { targetLUFS: -14, gainDB: -6.5, isLimited: true } as const;
const { item: begins, ...sound } = plainSound(contents[0], level);
const composition = {
  layers: [],
  sound: {
    ...sound,
    item: { ...begins, fades: [{ direction: 'in', start: 1024, end: 22_000 } as const] },
    before: {
      source: contents[1],
      level: null,
      startSample: -60 * 1024,
      fades: [{ direction: 'out', start: 1024, end: 22_000 } as const],
    },
  },
};
const rendition = { contentHash: contents[0], format: 'sound' };
const { part, name } = placedPart({ composition, format: null, rendition, firstGroup: 0, groupCount: 32 }, 0);

it('is made once, as long as it should be, and deleted with its contents', async () => {
  const uploadIDs = [await upload(), await upload()];
  for (const [index, id] of uploadIDs.entries()) await data().uploads.recordContentHash(id, contents[index]!);
  for (const content of contents) await data().renditions.begin(content, 'sound', 1);
  await register('agent');
  const { id } = await activeStream('agent');
  await data().joins.request(id, [{ name, part, content_hashes: contents }]);
  const send = () => data().outbox.send({ queue: 'media', body: { task: 'make_join', name, uploadID: uploadIDs[0]! } });
  for (let command = 0; command < 2; command++) await send();
  const sourceURL = samples.urlOf(await mediaSample('song.wav'));
  const worker = startPreparing(
    { databaseURL: service.databaseURL(), objectsFolder: folder, sourceURL, consumer: 'worker', tools },
    () => {},
  );
  try {
    await expect.poll(async () => (await data().joins.find(name))?.state).toBe('ready');
    const bytes = await buffer(await objects.read(joinKey(name)));
    assertSegment(bytes);
    expect(readSegmentHeader(bytes)).toMatchObject({ firstGroup: 0, groupCount: 32, framesPerSecond: null });
    await call('DELETE', `/uploads/${uploadIDs[1]}`);
    await data().outbox.send({ queue: 'media', body: { task: 'remove_renditions' } });
    await expect.poll(() => data().joins.find(name)).toBeNull();
    const readAgain = () => objects.read(joinKey(name)).then(String, (error: Error) => error.message);
    await expect.poll(readAgain).toMatch('there is no object');
  } finally {
    await worker.stop();
  }
});
