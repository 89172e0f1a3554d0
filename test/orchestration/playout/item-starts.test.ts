// item.started: sent at the time of each item, only to webhooks that subscribe to it.
import { beforeEach, expect, it } from 'vitest';
import { actorsOn } from '../../support/actors.ts';
import { dueTimeOf } from '../../support/due-times.ts';
import { testService } from '../../support/service.ts';
import { clearEvents, dataOfEvents } from '../../support/webhook-deliveries.ts';

const service = testService();
const actors = actorsOn(service);
const { call, claim, create, data, dueKinds, fallDue, fire, readyStream, register, report, upload } = actors;

let streamID: string;
let uploads: string[];

beforeEach(async () => {
  await clearEvents(service);
  uploads = [await upload({ durationSeconds: 7 }), await upload({ durationSeconds: 5 })];
  streamID = await readyStream({ videoUploadObjectID: null, framerate: 'f_30' });
  const playlistID = await create('/playlists', { streamID, kind: 'video', mode: 'sequential' });
  const operations = uploads.map((uploadID) => ({ op: 'add', uploadID }));
  await call('POST', `/playlists/${playlistID}/operations`, { operations });
});

const listen = (events: string[]) => create('/webhooks', { url: 'https://hooks.example.org/', events });

/** @returns the due time of the first frame */
async function goLive(): Promise<Date> {
  await call('POST', `/streams/${streamID}/start`);
  await register('agent');
  const [replica] = await claim('agent');
  const { anchored_at: anchoredAt } = await data().streams.anchor(streamID);
  await report(replica!, 'live');
  return anchoredAt;
}

/** Moves the start of the stream this many seconds into the past, with its scheduled actions. */
async function letPass(seconds: number): Promise<void> {
  const earlier = `- make_interval(secs => $1)`;
  await service.pool().query(`update streams set anchored_at = anchored_at ${earlier}`, [seconds]);
  await service.pool().query(`update due_times set due_at = due_at ${earlier} where kind = 'item_start'`, [seconds]);
  await fire();
}

const startedUploads = async () => (await dataOfEvents(service, 'item.started')).map(({ uploadID }) => uploadID);

it('arms nothing while nobody listens', async () => {
  await listen(['stream.state_changed']);
  await goLive();
  expect(await dueKinds(streamID)).toEqual([]);
});

it('tells each item once, from the first on, and arms the next at its time', async () => {
  await call('PATCH', `/uploads/${uploads[0]}`, { title: 'Night Drive', artist: 'The Band' });
  await listen(['item.started']);
  const anchoredAt = await goLive();
  await fire();
  await fire();
  expect(await dataOfEvents(service, 'item.started')).toEqual([
    {
      streamID,
      playlistID: expect.any(String),
      kind: null,
      itemID: expect.any(String),
      uploadID: uploads[0],
      name: 'clip',
      title: 'Night Drive',
      artist: 'The Band',
      album: null,
      startAt: anchoredAt.toISOString(),
      endAt: new Date(anchoredAt.getTime() + 7000).toISOString(),
      state: 'active',
    },
  ]);
  expect(
    Math.abs((await dueTimeOf(service, streamID, 'item_start'))!.getTime() - anchoredAt.getTime() - 7000),
  ).toBeLessThan(2);
  await letPass(8);
  expect(await startedUploads()).toEqual([uploads[0], uploads[1]]);
  await letPass(12);
  expect(await startedUploads()).toEqual([uploads[0], uploads[1], uploads[0], uploads[1]]);
});

it('tells who begins to listen of the next item, and ends with the last webhook', async () => {
  await goLive();
  await fire();
  const webhook = await listen(['item.started']);
  await fire();
  expect(await startedUploads()).toEqual([]);
  expect(await dueKinds(streamID)).toEqual(['item_start']);
  await letPass(8);
  expect(await startedUploads()).toEqual([uploads[1]]);
  await call('DELETE', `/webhooks/${webhook}`);
  await letPass(8);
  expect(await dueKinds(streamID)).toEqual([]);
});

it('tells the last ten of what has begun while nobody looked, the item on the air among them', async () => {
  await listen(['item.started']);
  await goLive();
  await letPass(100 * 86_400);
  const told = await dataOfEvents(service, 'item.started');
  expect(told).toHaveLength(10);
  expect(new Date(told.at(-1)!['endAt'] as string).getTime()).toBeGreaterThan(Date.now());
});

it('is armed for a stream that comes on the air only after its time to do so', async () => {
  await listen(['item.started']);
  await call('POST', `/streams/${streamID}/start`);
  await register('agent');
  const [replica] = await claim('agent');
  await data().streams.anchor(streamID);
  await fallDue(streamID, 'activation_timeout');
  await fire();
  await report(replica!, 'live');
  expect(await dueKinds(streamID)).toEqual(['item_start']);
});

it('arms nothing any more once the run is over', async () => {
  await listen(['item.started']);
  await goLive();
  await fire();
  await call('POST', `/streams/${streamID}/stop`);
  expect(await dueKinds(streamID)).toEqual([]);
});
