// A block of a programme puts a contributor on the air, from encoder to recording, and its items continue after it.
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { runClock } from '../../lambda/domain/streams/run-clock.ts';
import { takeoversOn } from '../support/live-takeovers.ts';
import { testService } from '../support/service.ts';

const service = testService();
const { call, contribute, expectSeamless, inputOf, intervalsOf, startIngest, streamOnAir, untilEndKnown, untilSent } =
  await takeoversOn(service);

const minuteMs = 60_000;
/** A contributor is stable within this time before the block, and its clip ends after the block. */
const contributesBeforeMs = 13_000;
/** The most from the beginning of a block to its takeover: a look each second, 9 s to all agents, and a keyframe. */
const mostLateMs = 13_000;

/** Publishes a programme of the stream's own upload, with a block of a minute that names the input. */
async function publish(streamID: string, liveInputID: string, beginsAtMs: number): Promise<void> {
  const { body: stream } = await call('GET', `/streams/${streamID}`);
  await call('PATCH', `/uploads/${stream.videoUploadObjectID}`, { folder: 'Songs' });
  const songs = { name: 'Songs', kind: 'video', source: { folder: 'Songs' } };
  const steps = [{ id: 'songs', collectionID: (await call('POST', '/collections', songs)).body.id }];
  const at = new Date(beginsAtMs).toISOString().slice(11, 16);
  const show = { id: 'show', name: 'Show', rule: 'FREQ=DAILY', at, minutes: 1, liveInputID, steps };
  const music = { id: 'music', name: 'Music', steps };
  const { body: programme } = await call('POST', '/programmes', { streamID, timeZone: 'UTC' });
  expect(await call('PATCH', `/programmes/${programme.id}`, { blocks: [show, music] })).toMatchObject({ status: 200 });
  expect(await call('POST', `/programmes/${programme.id}/publish`)).toMatchObject({ status: 202 });
}

it('a contributor is on the air for a block, and the programme is again after it, on one connection', async () => {
  const { url } = await startIngest();
  const stream = await streamOnAir();
  const { id: liveInputID, key } = await inputOf(stream.id);
  const beginsAtMs = minuteMs * Math.ceil((Date.now() + contributesBeforeMs + 2000) / minuteMs);
  const endsAtMs = beginsAtMs + minuteMs;
  await publish(stream.id, liveInputID, beginsAtMs);
  await delay(beginsAtMs - contributesBeforeMs - Date.now());
  const contributor = contribute(url, key);
  const takeover = async () => (await call('GET', `/streams/${stream.id}/takeover`)).body.takeover;
  await expect.poll(takeover, { timeout: 2 * contributesBeforeMs }).toMatchObject({ liveInputID, state: 'shown' });
  expect((await takeover()).endAt).toBe(new Date(endsAtMs).toISOString());
  await expect.poll(async () => (await intervalsOf(stream.id)).at(-1)?.toFrame, { timeout: 90_000 }).not.toBeNull();
  const toFrame = await untilEndKnown(stream.id);
  const [{ fromFrame }, ...others] = (await intervalsOf(stream.id)) as [{ fromFrame: number }, ...object[]];
  expect(others).toEqual([]);
  await untilSent(stream.id, toFrame + 100);
  expect(contributor.exitCode).toBeNull();
  expect(await takeover()).toBeNull();

  const { rows } = await service.pool().query('select anchored_at from streams where id = $1', [stream.id]);
  const { timeOf } = runClock(rows[0].anchored_at, 30);
  const beganMs = timeOf(fromFrame).getTime() - beginsAtMs;
  expect(beganMs).toBeGreaterThanOrEqual(0);
  expect(beganMs).toBeLessThan(mostLateMs);
  const endedMs = timeOf(toFrame).getTime() - endsAtMs;
  expect(endedMs).toBeGreaterThanOrEqual(0);
  expect(endedMs).toBeLessThan(2000);
  const [from, to] = [timeOf(toFrame), timeOf(toFrame + 300)].map((at) => at.toISOString());
  const { body: after } = await call('GET', `/streams/${stream.id}/timeline?from=${from}&to=${to}&limit=10`);
  expect(after.data.map(({ blockID }: { blockID: string }) => blockID).at(-1)).toBe('music');
  contributor.kill('SIGKILL');
  await expectSeamless(stream);
}, 300_000);
