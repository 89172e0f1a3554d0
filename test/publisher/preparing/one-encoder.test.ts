// Workers with different encoders share the queue, and all segments of a rendition come from one kind of encoder.
import { mkdtemp, rm } from 'node:fs/promises';
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
import { clearRenditions } from '../../support/stored-uploads.ts';
import { startPreparing } from './preparing-worker.ts';

const tools = await findMediaTools(process.env);
const service = testService();
const { data, upload } = actorsOn(service);

const format = { quality: 'q_720p', framerate: 'f_24', videoCodec: 'h264' } as const;
const formatOf = { content: 'film', format: 'q_720p-f_24' };
/** Encoders with different parameter sets, as x264 and NVENC have: one of them weights its predictions. */
const encoders = {
  plain: { codec: 'libx264', preset: 'ultrafast' },
  weighting: { codec: 'libx264', preset: 'superfast' },
} as const;
type Kind = keyof typeof encoders;

let samples: SampleServer;
let objectsFolder: string;
let objects: FileObjectStore;
let uploadID: string;
beforeAll(async () => {
  samples = await serveSamples();
  objectsFolder = await mkdtemp(join(tmpdir(), 'one-encoder-'));
  objects = createFileObjectStore({ folder: objectsFolder, baseURL: 'http://127.0.0.1/objects', signingKey: 'test' });
});
afterAll(async () => {
  await samples[Symbol.asyncDispose]();
  await rm(objectsFolder, { recursive: true });
});
beforeEach(async () => {
  await clearRenditions(service);
  await service.pool().query('delete from outbox');
  await service.pool().query('truncate encoders');
  uploadID = await upload({ durationSeconds: 41 });
  await data().uploads.recordContentHash(uploadID, formatOf.content);
});

const ask = (segment?: number) =>
  data().outbox.send({
    queue: 'media',
    body: { task: 'prepare_upload', uploadID, format: formatOf.format, ...(segment !== undefined && { segment }) },
  });

/** Runs a worker until the end of the test. @returns the numbers of the segments that it makes, a growing list */
async function startWorker(kind: Kind, onPrepared: () => void = () => {}, returning?: AbortSignal) {
  const made: number[] = [];
  const options = {
    databaseURL: service.databaseURL(),
    objectsFolder,
    sourceURL: samples.urlOf(await mediaSample('plain.mp4')),
    consumer: kind,
    tools,
    encoder: encoders[kind],
    ...(returning && { returning }),
  };
  const worker = startPreparing(options, (segment) => {
    made.push(Number(segment.split(' ')[1]));
    onPrepared();
  });
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= worker.stop());
  onTestFinished(stop);
  return { made, stop };
}

/** Runs a worker of the kind `plain` until it has made the first of three segments. */
async function beginWithPlain(): Promise<void> {
  await ask();
  const ending = new AbortController();
  const worker = await startWorker('plain', () => ending.abort(), ending.signal);
  await expect.poll(row).toMatchObject({ segments_done: 1 });
  await worker.stop();
  expect(worker.made).toEqual([0]);
}

const row = async () =>
  (await service.pool().query('select state, segments_done, encoder from renditions')).rows[0] as Record<
    string,
    unknown
  >;
async function untilReady(): Promise<void> {
  await expect.poll(row).toMatchObject({ state: 'ready', segments_done: 3 });
}
const keyOf = (segment: number) => segmentKey({ contentHash: formatOf.content, format }, segment);

/** The number of different parameter sets in the rendition. */
async function parameterSets(): Promise<number> {
  const headers = await Promise.all(
    [0, 1, 2].map(async (segment) => readSegmentHeader(await buffer(await objects.read(keyOf(segment))))),
  );
  return new Set(headers.map(({ videoSequenceHeader }) => videoSequenceHeader!.toString('hex'))).size;
}

/** Moves the last visit of workers so far into the past that their kind counts as missing. */
async function letWorkersBeLongAgo(kind: string): Promise<void> {
  const long = `interval '16 minutes'`;
  await service.pool().query(`update encoders set seen_at = seen_at - ${long} where kind = $1`, [kind]);
  await service.pool().query(`update renditions set encoder_missed_since = encoder_missed_since - ${long}`);
}

/** Resolves when a worker with another encoder has passed the command on. */
async function untilPassedOn(): Promise<void> {
  const commands = async () =>
    (await service.pool().query(`select receives, body ->> 'failures' as failures from outbox where queue = 'media'`))
      .rows;
  await expect.poll(commands).toEqual([{ receives: 0, failures: '0' }]);
}

it('a rendition is made by the kind that began it, while workers of both kinds take its commands', async () => {
  await beginWithPlain();
  const other = await startWorker('weighting');
  await untilPassedOn();
  const right = await startWorker('plain');
  await untilReady();
  expect([right.made, other.made]).toEqual([[1, 2], []]);
  expect(await row()).toMatchObject({ encoder: 'libx264 ultrafast' });
  expect(await parameterSets()).toBe(1);

  // A lost segment is also made by that kind.
  await right.stop();
  await objects.delete(keyOf(1));
  await ask(1);
  await untilPassedOn();
  expect(other.made).toEqual([]);
  const mending = await startWorker('plain');
  await expect.poll(() => mending.made).toEqual([1]);
  expect(await parameterSets()).toBe(1);
});

it('a rendition whose kind is gone begins anew, and once only', async () => {
  await beginWithPlain();
  const other = await startWorker('weighting');
  await untilPassedOn();
  expect(other.made).toEqual([]);
  await letWorkersBeLongAgo('libx264 ultrafast');
  await untilReady();
  expect(other.made).toEqual([0, 1, 2]);
  expect(await row()).toMatchObject({ encoder: 'libx264 superfast' });
  expect(await parameterSets()).toBe(1);
});

it('a lost segment of a kind that is gone has all segments made anew, the lost one first', async () => {
  await beginWithPlain();
  const right = await startWorker('plain');
  await untilReady();
  await right.stop();
  await objects.delete(keyOf(1));
  await ask(1);
  const other = await startWorker('weighting');
  await untilPassedOn();
  await letWorkersBeLongAgo('libx264 ultrafast');
  await expect.poll(() => other.made).toEqual([1, 0, 1, 2]);
  await untilReady();
  expect(await parameterSets()).toBe(1);
});

it('waits for a kind that has been seen, however long no worker of it has come to this rendition', async () => {
  await beginWithPlain();
  const other = await startWorker('weighting');
  await untilPassedOn();
  await letWorkersBeLongAgo('libx264 superfast');
  await expect.poll(async () => (await service.pool().query('select from outbox where receives > 0')).rowCount).toBe(0);
  const { rows } = await service.pool().query('select min(id) as id from outbox');
  await expect
    .poll(async () => (await service.pool().query('select from outbox where id > $1', [rows[0].id])).rowCount, {
      timeout: 30_000,
    })
    .toBe(1);
  expect(other.made).toEqual([]);
  expect(await row()).toMatchObject({ state: 'preparing', segments_done: 1 });
});

it('a rendition of which no kind was noted goes on with any', async () => {
  await beginWithPlain();
  await service.pool().query('update renditions set encoder = null');
  const other = await startWorker('weighting');
  await untilReady();
  expect(other.made).toEqual([1, 2]);
  // This proves that the encoders of this test differ.
  expect(await parameterSets()).toBe(2);
});
