// The public guide of a programme: items without inserts, blocks as one entry, and hidden ones.
import { beforeEach, describe, expect, it } from 'vitest';
import { planRun } from '../../lambda/orchestration/playout/plan-run.ts';
import { actorsOn } from '../support/actors.ts';
import { pretendProbed, testService } from '../support/service.ts';
import { clearEvents, dataOfEvents } from '../support/webhook-deliveries.ts';

const service = testService();
const { call, claim, create, data, fire, readyStream, register, report, transaction, user } = actorsOn(service);

let streamID: string;
let programmeID: string;
let rules: { blocks: { id: string; guide?: string }[]; inserts: object[] };

async function clips(folder: string, count: number, durationSeconds: number): Promise<string> {
  for (let index = 0; index < count; index++) {
    const { body } = await call('POST', '/uploads', { name: `${folder} ${index}`, mimeType: 'video/mp4', folder });
    await pretendProbed(service, body.id, { durationSeconds });
  }
  return create('/collections', { name: folder, kind: 'video', source: { folder }, order: 'oldest' });
}

/** Songs of 100 s with a jingle of 20 s after each. */
beforeEach(async () => {
  await clearEvents(service);
  streamID = await readyStream({ name: 'Radio', videoUploadObjectID: null, framerate: 'f_30' });
  const [songs, jingles] = [await clips('Song', 4, 100), await clips('Jingle', 1, 20)];
  programmeID = await create('/programmes', { streamID, timeZone: 'UTC' });
  const music = { id: 'music', name: 'Night music & more', steps: [{ id: 'songs', collectionID: songs }] };
  rules = {
    blocks: [music],
    inserts: [{ id: 'jingle', name: 'Jingle', collectionID: jingles, everyItems: 1 }],
  };
  await publish(rules);
  await register('agent');
});

async function publish(changes: object): Promise<void> {
  const { status, body } = await call('PATCH', `/programmes/${programmeID}`, changes);
  expect([status, body.errors]).toEqual([200, undefined]);
  expect(await call('POST', `/programmes/${programmeID}/publish`)).toMatchObject({ status: 202 });
}
const publishAs = (guide: string) => publish({ blocks: rules.blocks.map((block) => ({ ...block, guide })) });

/** Lets the stream be live since this many seconds. @returns the reader of a document of its guide */
async function liveSince(secondsAgo: number) {
  expect(await call('POST', `/streams/${streamID}/start`)).toMatchObject({ status: 200 });
  const [replica] = await claim('agent');
  await data().streams.anchor(streamID);
  await report(replica!, 'live');
  for (const column of ['streams set anchored_at = anchored_at', 'programme_states set at = at'])
    await service.pool().query(`update ${column} - make_interval(secs => $1)`, [secondsAgo]);
  await transaction(async (tx) => {
    const stream = (await tx.streams.lock(user().id, streamID))!;
    await planRun(tx, stream, { now: await tx.now(), limitFactor: 1 });
  });
  const { anchored_at: anchoredAt } = (await data().streams.find(user().id, streamID))!;
  const { jsonURL } = (await call('POST', `/streams/${streamID}/guide-link`)).body;
  const read = async (name: string) =>
    (await service.handler()(new Request(jsonURL.replace(/\.json$/, name)), '192.0.2.1')).text();
  const seconds = (at: string) => Math.round((Date.parse(at) - anchoredAt!.getTime()) / 1000);
  return { read, seconds };
}

describe('the guide of a programme', () => {
  it.each([50, 110, 130])('has no inserts: they belong to the item before them, at %d s', async (secondsAgo) => {
    const { read, seconds } = await liveSince(secondsAgo);
    const { now, next } = JSON.parse(await read('/now.json'));
    const [current, following] = secondsAgo < 120 ? [0, 1] : [1, 2];
    expect(now).toMatchObject({ kind: 'item', title: `Song ${current}` });
    expect([seconds(now.startAt), seconds(now.endAt)]).toEqual([120 * current, 120 * (current + 1)]);
    expect(next).toMatchObject({ title: `Song ${following}`, startAt: now.endAt });
    expect(await read('.xml')).not.toContain('Jingle');
    expect(await read('.ics')).not.toContain('Jingle');
    expect(await read('/now.txt')).toBe(`Song ${current}\n`);
  });

  it('has one entry for a block, under its name, at once when that is published', async () => {
    const { read, seconds } = await liveSince(130);
    await publishAs('block');
    const { items, now } = JSON.parse(await read('.json'));
    expect(now).toMatchObject({ kind: 'block', title: 'Night music & more', artist: null });
    expect(seconds(now.startAt)).toBeLessThan(120);
    expect(items.length).toBeLessThan(5);
    const xml = await read('.xml');
    expect(xml).toContain('<title>Night music &amp; more</title>');
    expect(xml).not.toMatch(/Song|Jingle/);
    expect(await read('.ics')).toContain('SUMMARY:Night music & more');
  });

  it('has nothing of a hidden block, and all items again afterwards', async () => {
    const { read } = await liveSince(10);
    await publishAs('hidden');
    expect(JSON.parse(await read('.json'))).toMatchObject({ onAir: true, now: null, next: null, items: [] });
    expect(await read('/now.txt')).toBe('\n');
    await publishAs('items');
    expect(JSON.parse(await read('.json')).now).toMatchObject({ kind: 'item', title: 'Song 0' });
  });
});

it('a sign-off is a row of its own kind, of which neither guides nor webhooks tell', async () => {
  const card = await clips('Card', 1, 30);
  const signOff = { id: 'night', name: 'Night', offAir: true, steps: [{ id: 'card', collectionID: card }] };
  await publish({ blocks: [signOff] });
  const shown = (await call('GET', `/programmes/${programmeID}`)).body.blocks;
  expect(shown).toMatchObject([{ id: 'night', offAir: true, guide: 'items' }]);
  const { body } = await call('GET', `/programmes/${programmeID}/simulation?days=1&rows=3`);
  expect(body).toMatchObject({ offAirSeconds: 86_400, itemSeconds: 0, insertSeconds: 0 });
  expect(body.blocks).toMatchObject([{ id: 'night', share: 1 }]);
  await create('/webhooks', { url: 'https://hooks.example.org/', events: ['item.started'] });
  const { read } = await liveSince(40);
  await fire();
  expect(await dataOfEvents(service, 'item.started')).toEqual([]);
  expect(JSON.parse(await read('.json'))).toMatchObject({ onAir: true, now: null, items: [] });
  const { data: rows } = (await call('GET', `/streams/${streamID}/timeline?limit=5`)).body;
  expect(rows.map(({ kind, name }: { kind: string; name: string }) => `${kind} ${name}`)).toEqual(
    Array.from({ length: 5 }, () => 'off_air Card 0'),
  );
});

it('a block of a programme says its form, and is compared and published by it', async () => {
  const shown = async () => (await call('GET', `/programmes/${programmeID}`)).body.blocks[0].guide;
  expect(await shown()).toBe('items');
  await call('PATCH', `/programmes/${programmeID}`, { blocks: [{ ...rules.blocks[0], guide: 'block' }] });
  expect(await shown()).toBe('block');
  const { body } = await call('GET', `/programmes/${programmeID}/comparison`);
  expect(body).toMatchObject({ changedRules: ['blocks/music'], differences: [] });
  const unknown = { blocks: [{ ...rules.blocks[0], guide: 'weekly' }] };
  const refused = await call('PATCH', `/programmes/${programmeID}`, unknown);
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: '/blocks/0/guide' }] } });
});
