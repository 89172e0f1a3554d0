// The orders of advertisers: the playings of their uploads are found by the order, and the signed proof names it.
import { describe, expect, it } from 'vitest';
import { onAirStatement } from '../../lambda/orchestration/playout/on-air-statement.ts';
import { actorsOn } from '../support/actors.ts';
import { pretendProbed, testService } from '../support/service.ts';

const service = testService();
const { call, claim, create, data, readyStream, register, report, user } = actorsOn(service);

async function clip(name: string, durationSeconds: number, order: object = {}): Promise<string> {
  const { body } = await call('POST', '/uploads', { name, mimeType: 'video/mp4' });
  await pretendProbed(service, body.id, { durationSeconds });
  await call('PATCH', `/uploads/${body.id}`, order);
  return body.id;
}

/** A stream on the air with two spots of one order and one of another between its items. */
async function onAir() {
  const streamID = await readyStream({ videoUploadObjectID: null, framerate: 'f_30' });
  const playlistID = await create('/playlists', { streamID, kind: 'video', mode: 'sequential' });
  const spot = { orderReference: 'A-17', advertiser: 'Ada Ltd' };
  const spotID = await clip('Spot 1', 10, spot);
  const uploadIDs = [
    await clip('Film', 50),
    spotID,
    await clip('Other', 10, { orderReference: 'B-1' }),
    await clip('Spot 2', 20, spot),
  ];
  const operations = uploadIDs.map((uploadID) => ({ op: 'add', uploadID }));
  await call('POST', `/playlists/${playlistID}/operations`, { operations });
  await register('agent');
  expect(await call('POST', `/streams/${streamID}/start`)).toMatchObject({ status: 200 });
  const [replica] = await claim('agent');
  await data().streams.anchor(streamID);
  await report(replica!, 'live');
  const { anchored_at: anchoredAt } = (await data().streams.find(user().id, streamID))!;
  return { streamID, spotID, anchoredAt: anchoredAt! };
}

describe('the playings of an order', () => {
  it('are those of its uploads, page by page, and stay when an upload gets another order', async () => {
    const { streamID, spotID, anchoredAt } = await onAir();
    await call('PATCH', `/uploads/${spotID}`, { orderReference: 'C-9', advertiser: null });
    const to = new Date(anchoredAt.getTime() + 180_000).toISOString();
    const query = `from=${anchoredAt.toISOString()}&to=${to}&orderReference=A-17`;
    const first = (await call('GET', `/streams/${streamID}/timeline?${query}&limit=3`)).body;
    const cursor = encodeURIComponent(first.page.nextCursor);
    const second = (await call('GET', `/streams/${streamID}/timeline?${query}&limit=3&cursor=${cursor}`)).body;
    const rows: { name: string; startAt: string; orderReference: string; advertiser: string }[] = [
      ...first.data,
      ...second.data,
    ];
    const after = (startAt: string) => Math.round((new Date(startAt).getTime() - anchoredAt.getTime()) / 1000);
    expect(rows.map(({ name, startAt }) => [name, after(startAt)])).toEqual([
      ['Spot 1', 50],
      ['Spot 2', 70],
      ['Spot 1', 140],
      ['Spot 2', 160],
    ]);
    expect(new Set(rows.map(({ orderReference, advertiser }) => `${orderReference} ${advertiser}`))).toEqual(
      new Set(['A-17 Ada Ltd']),
    );
    expect(second.page.hasMore).toBe(false);
  });

  it('are named in the statement of a day that is signed', async () => {
    const { streamID, anchoredAt } = await onAir();
    const stream = (await data().streams.find(user().id, streamID))!;
    const [stated] = (await onAirStatement(data(), stream, anchoredAt, new Date(anchoredAt.getTime() + 60_000)))!;
    expect(stated!.items.map(({ name, order }) => [name, order?.reference ?? null])).toEqual([
      ['Film', null],
      ['Spot 1', 'A-17'],
      ['Other', 'B-1'],
      ['Spot 2', 'A-17'],
    ]);
  });

  it('are not searched for in more rows than a request may cost', async () => {
    const streamID = await readyStream({ videoUploadObjectID: await clip('Second', 1), framerate: 'f_30' });
    await register('agent');
    await call('POST', `/streams/${streamID}/start`);
    const [replica] = await claim('agent');
    await data().streams.anchor(streamID);
    await report(replica!, 'live');
    const refused = await call('GET', `/streams/${streamID}/timeline?orderReference=none`);
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: '/query/to' }] } });
  });
});
