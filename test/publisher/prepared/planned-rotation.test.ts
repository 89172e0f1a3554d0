// A prepared stream whose connections end before a platform's wall: picture by picture the same as over one connection, and never failing.
import { createHash } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { startFaultyIngest } from '../../support/faulty-ingest.ts';
import { beginPrepared, preparedLoop } from './prepared-replica.ts';

const clipFrames = 60;

it('five connections, each once the one before has ended', { timeout: 60_000 }, async () => {
  const pictures: string[] = [];
  const ingest = await startFaultyIngest({ onPicture: (_path, _publication, { payload }) => void pictures.push(createHash('sha1').update(payload).digest('base64')) });
  onTestFinished(() => ingest[Symbol.asyncDispose]());
  const loop = await preparedLoop();
  onTestFinished(() => loop[Symbol.asyncDispose]());
  const { run, reports, words } = beginPrepared(loop.media, ingest.rtmpURL, { connectionEndsAfterMs: () => 1500 });
  const publications = () => ingest.keys.get('live/key')?.publications ?? [];
  await expect.poll(() => publications()[4]?.pictures ?? 0, { timeout: 30_000 }).toBeGreaterThan(30);

  expect(new Set(words())).toEqual(new Set(['live']));
  expect(reports.every(({ reason, hopeless }) => reason === null && !hopeless)).toBe(true);
  expect(run.figures.sample(performance.now(), new Date(), 30)).toMatchObject({ reconnects: 0, droppedFrames: 0 });
  expect(ingest.keys.get('live/key')).toMatchObject({ mostAtOnce: 1 });
  expect(publications().slice(0, 4).map((each) => each.pictures % clipFrames)).toEqual([0, 0, 0, 0]);
  expect(publications().map(({ longestStepMs }) => longestStepMs)).toEqual([34, 34, 34, 34, 34]);
  const lap = pictures.slice(0, clipFrames);
  expect(new Set(lap).size).toBe(clipFrames);
  expect(pictures.every((picture, index) => picture === lap[index % clipFrames])).toBe(true);
  const gapsMs = publications().slice(1).map((each, index) => Math.round(each.firstPictureAtMs! - publications()[index]!.lastPictureAtMs!));
  console.log(`no picture for ${gapsMs.join(', ')} ms`);
});
