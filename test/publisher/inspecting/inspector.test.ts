// Uploads are inspected once for each content: the API shows the findings, and they are deleted with the content.
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { beforeEach, expect, it } from 'vitest';
import { inspectNext } from '../../../lambda/publisher/inspecting/inspector.ts';
import { createMediaWorker } from '../../../lambda/publisher/media-worker.ts';
import type { MediaCommand } from '../../../lambda/data/shared/outbox.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { pictureKey } from '../../../lambda/domain/media/content-pictures.ts';
import { actorsOn } from '../../support/actors.ts';
import { fastEncoder, mediaSample } from '../../support/media-samples.ts';
import type { SampleName } from '../../support/media-samples.ts';
import { testService } from '../../support/service.ts';
import { objectKeyOf } from '../../support/stored-uploads.ts';

const tools = await findMediaTools(process.env);
const service = testService();
const { call, data, create } = actorsOn(service);
const { signal } = new AbortController();
let media: string;
beforeEach(() => service.pool().query('truncate inspections'));

const objects = () => Object.assign(Object.create(service.objects()), { presignGet: async () => media });
const inspect = () =>
  inspectNext({ pool: service.pool(), objects: objects(), tools, limitFactor: 100, log: () => {} }, signal);

/** Lets a worker carry out one command. */
async function carryOut(body: MediaCommand): Promise<void> {
  const handle = createMediaWorker({
    pool: service.pool(),
    objects: objects(),
    tools,
    encoderOf: async () => fastEncoder,
    random: () => 0.5,
    limitFactor: 100,
    log: () => {},
  });
  const Records = [
    { messageId: crypto.randomUUID(), body: JSON.stringify(body), attributes: { ApproximateReceiveCount: '1' } },
  ];
  const answer = await handle({ Records } as unknown as Parameters<typeof handle>[0]);
  expect(answer.batchItemFailures).toEqual([]);
}

/** An inspected upload. */
async function examined(name: SampleName, mimeType: string): Promise<string> {
  media = await mediaSample(name);
  const uploadID = await create('/uploads', { name, mimeType });
  const bytes = await readFile(media);
  await service.objects().write(await objectKeyOf(service, uploadID), bytes, { contentType: mimeType });
  await data().uploads.markUploaded(uploadID, bytes.length);
  await carryOut({ task: 'probe_upload', uploadID });
  return uploadID;
}
const read = async (id: string) => (await call('GET', `/uploads/${id}`)).body;
const listed = async (query: string) =>
  (await call('GET', `/uploads?${query}`)).body.data.map(({ id }: { id: string }) => id);

it('an upload plays before it is looked through, and then has its loudness, findings and pictures', async () => {
  const id = await examined('interlaced.ts', 'video/mp2t');
  expect(await read(id)).toMatchObject({ probeState: 'completed', examinedShare: 0, findings: [], thumbnailURL: null });
  expect(await listed('hasFindings=true')).toEqual([]);
  expect(await inspect()).toBe(true);
  const found = await read(id);
  expect(found).toMatchObject({ examinedShare: 1, loudness: { integratedLUFS: expect.any(Number) } });
  expect(found.findings.map(({ kind }: { kind: string }) => kind).sort()).toEqual(['aspect', 'interlaced']);
  expect([found.thumbnailURL, found.storyboard]).toEqual([
    expect.any(String),
    { url: expect.any(String), columns: 10, rows: 1, intervalSeconds: found.durationSeconds / 10 },
  ]);
  expect([await listed('hasFindings=true'), await listed('hasFindings=false')]).toEqual([[id], []]);
  expect(await inspect()).toBe(false);
});

it('the titles of a file are those of the upload, and its cover the artwork', async () => {
  const id = await examined('tagged.mp3', 'audio/mpeg');
  expect(await read(id)).toMatchObject({ title: 'Night Drive', artist: '日本 Band', album: 'Ünder', artworkURL: null });
  await inspect();
  const { content_hash: contentHash } = (await data().uploads.findAny(id))!;
  const key = pictureKey(contentHash!, 'artwork');
  const picture = await buffer(await service.objects().read(key));
  // The frame header of a baseline JPEG: precision, height, width (ISO/IEC 10918-1, B.2.2).
  const frame = picture.indexOf(Buffer.from('ffc0', 'hex'));
  expect([picture.readUInt16BE(frame + 7), picture.readUInt16BE(frame + 5)]).toEqual([320, 240]);
  expect((await read(id)).artworkURL).toEqual(expect.any(String));
  await call('DELETE', `/uploads/${id}`);
  await carryOut({ task: 'remove_renditions' });
  expect(await service.objects().head(key)).toBeNull();
});

it('webhooks are told once of each upload that was looked through, also of a content that was so before', async () => {
  await call('POST', '/webhooks', { url: 'http://127.0.0.1:9/', events: ['upload.examined'] });
  const told = async () => (await service.pool().query('select data from events order by id')).rows;
  const first = await examined('interlaced.ts', 'video/mp2t');
  expect(await told()).toEqual([]);
  await inspect();
  const { loudness } = await read(first);
  const data = { name: 'interlaced.ts', examinedShare: 1, findingKinds: ['aspect', 'interlaced'], loudness };
  expect(await told()).toEqual([{ data: { uploadID: first, ...data } }]);
  const second = await examined('interlaced.ts', 'video/mp2t');
  await inspect();
  expect(await told()).toEqual([{ data: { uploadID: first, ...data } }, { data: { uploadID: second, ...data } }]);
});

it('the same content is looked through once, and its pictures go with its last upload', async () => {
  const first = await examined('still.png', 'image/png');
  await inspect();
  const second = await examined('still.png', 'image/png');
  expect(await inspect()).toBe(false);
  expect(await read(second)).toMatchObject({ examinedShare: 1, thumbnailURL: expect.any(String), storyboard: null });

  const { content_hash: contentHash } = (await data().uploads.findAny(second))!;
  const isThere = async () => (await service.objects().head(pictureKey(contentHash!, 'thumbnail'))) !== null;
  await call('DELETE', `/uploads/${first}`);
  await carryOut({ task: 'remove_renditions' });
  expect(await isThere()).toBe(true);
  await call('DELETE', `/uploads/${second}`);
  await carryOut({ task: 'remove_renditions' });
  expect(await isThere()).toBe(false);
  expect(await data().inspections.ofContents([contentHash!])).toEqual([]);
});

it('whoever uploads a content again while its pictures are deleted has it looked through anew', async () => {
  const first = await examined('still.png', 'image/png');
  await inspect();
  await call('DELETE', `/uploads/${first}`);
  const [orphan] = await data().inspections.claimOrphans(1);
  const second = await examined('still.png', 'image/png');
  expect(await inspect()).toBe(false);
  await data().inspections.forget(orphan!);
  expect(await inspect()).toBe(true);
  expect(await read(second)).toMatchObject({ examinedShare: 1, thumbnailURL: expect.any(String) });
});

it('the turn of a user with many contents comes after those of others', async () => {
  const add = (hash: string, userID: string) =>
    service
      .pool()
      .query('insert into inspections (content_hash, user_id, turn) values ($1, $2, next_inspection_turn($2))', [
        hash,
        userID,
      ]);
  for (const hash of ['a1', 'a2', 'a3']) await add(hash, 'a');
  await add('b1', 'b');
  const order = [];
  for (let claimed = await data().inspections.claim(); claimed; claimed = await data().inspections.claim())
    order.push(claimed.content_hash);
  expect(order).toEqual(['a1', 'b1', 'a2', 'a3']);
});
