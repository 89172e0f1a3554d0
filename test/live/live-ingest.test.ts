// A contributor takes a stream over and is killed: the destination receives each picture on one connection.
import { expect, it } from 'vitest';
import { takeoversOn } from '../support/live-takeovers.ts';
import { testService } from '../support/service.ts';

const service = testService();
const { call, contribute, data, expectSeamless, inputOf, startIngest, streamOnAir, ...until } =
  await takeoversOn(service);

it('a stream shows the contributor from a keyframe on, and its loop after the contributor is killed', async () => {
  const { url } = await startIngest();
  const stream = await streamOnAir();
  const { id: liveInputID, key } = await inputOf(stream.id);
  const contributor = contribute(url, key);
  const takeOver = () => call('POST', `/streams/${stream.id}/takeovers`, { liveInputID, endAt: null });
  await expect.poll(async () => (await takeOver()).status, { timeout: 30_000 }).toBe(202);
  const { fromFrame } = await until.untilPlanned(stream.id);
  await until.untilSent(stream.id, fromFrame + 150);
  contributor.kill('SIGKILL');
  await until.untilSent(stream.id, (await until.untilEndKnown(stream.id)) + 100);
  await expect.poll(() => data().takeovers.openOf(stream.id), { timeout: 10_000 }).toBeNull();
  await expectSeamless(stream);
}, 120_000);
