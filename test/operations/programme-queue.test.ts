// The queue of a programme on the air: queued items play next, over edits, skips, deletions and runs.
import { Client } from 'pg';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { programmeBounds } from '../../lambda/domain/programme/programme-faults.ts';
import { planRun } from '../../lambda/orchestration/playout/plan-run.ts';
import { actorsOn } from '../support/actors.ts';
import { dueTimeOf } from '../support/due-times.ts';
import { pretendProbed, testService } from '../support/service.ts';

const service = testService();
const { call, claim, data, readyStream, register, report, transaction, user } = actorsOn(service);

let streamID: string;
let programmeID: string;

async function clip(name: string, durationSeconds: number, folder?: string): Promise<string> {
  const { body } = await call('POST', '/uploads', { name, mimeType: 'video/mp4', ...(folder && { folder }) });
  await pretendProbed(service, body.id, { durationSeconds });
  return body.id;
}

/** A channel with a list of six songs. */
beforeEach(async () => {
  streamID = await readyStream({ videoUploadObjectID: null, framerate: 'f_30' });
  for (let index = 0; index < 6; index++) await clip(`Song ${index}`, 60, 'Songs');
  const list = { name: 'Songs', kind: 'video', source: { folder: 'Songs' }, order: 'oldest' };
  const collectionID = (await call('POST', '/collections', list)).body.id;
  programmeID = (await call('POST', '/programmes', { streamID, timeZone: 'UTC' })).body.id;
  const blocks = [{ id: 'music', name: 'Music', steps: [{ id: 'songs', collectionID }] }];
  expect(await call('PATCH', `/programmes/${programmeID}`, { blocks })).toMatchObject({ status: 200 });
  expect(await call('POST', `/programmes/${programmeID}/publish`)).toMatchObject({ status: 202 });
  await register('agent');
});

async function goLive(): Promise<void> {
  expect(await call('POST', `/streams/${streamID}/start`)).toMatchObject({ status: 200 });
  const [replica] = await claim('agent');
  await data().streams.anchor(streamID);
  await report(replica!, 'live');
  await plan();
}

async function stop(): Promise<void> {
  expect(await call('POST', `/streams/${streamID}/stop`)).toMatchObject({ status: 200 });
  for (const replica of await data().replicas.ofStream(streamID)) await report(replica, 'ended');
}

const plan = (now?: Date) =>
  transaction(async (tx) => {
    const stream = (await tx.streams.lock(user().id, streamID))!;
    await planRun(tx, stream, { now: now ?? (await tx.now()), limitFactor: 1 });
  });

async function rows(): Promise<any[]> {
  const [from, to] = [-3600, 3600].map((seconds) => new Date(Date.now() + seconds * 1000).toISOString());
  return (await call('GET', `/streams/${streamID}/timeline?from=${from}&to=${to}&limit=1000`)).body.data;
}
const played = async (count: number) => (await rows()).slice(0, count).map(({ name }) => name);

const queue = (uploadID: string) => call('POST', `/programmes/${programmeID}/queue`, { uploadID });
const waiting = async () => (await call('GET', `/programmes/${programmeID}/queue`)).body.data;
const remove = (id: string) => call('DELETE', `/programmes/${programmeID}/queue/${id}`);

describe('a queued item', () => {
  it('plays next, once, and the list continues behind it', async () => {
    await goLive();
    const [wish, other] = [await clip('Wish', 30), await clip('Other', 40)];
    const first = await queue(wish);
    const second = await queue(other);
    expect(first).toMatchObject({ status: 202, body: { name: 'Wish', uploadID: wish, playsAt: null } });
    expect((await dueTimeOf(service, streamID, 'plan'))!.getTime()).toBeLessThanOrEqual(Date.now());
    await plan();
    expect(await played(6)).toEqual(['Song 0', 'Wish', 'Other', 'Song 1', 'Song 2', 'Song 3']);
    const [, row] = await rows();
    expect(row).toMatchObject({ kind: 'queued', uploadID: wish });
    expect(await waiting()).toMatchObject([
      { id: first.body.id, name: 'Wish', uploadID: wish, playsAt: row.startAt },
      { id: second.body.id, name: 'Other', playsAt: row.endAt },
    ]);
    await plan();
    expect(await played(6)).toEqual(['Song 0', 'Wish', 'Other', 'Song 1', 'Song 2', 'Song 3']);
  });

  it('stays in its place while the programme is published again', async () => {
    await goLive();
    await queue(await clip('Wish', 30));
    await call('PATCH', `/programmes/${programmeID}`, { insertSecondsPerHour: 600 });
    await call('POST', `/programmes/${programmeID}/publish`);
    await plan();
    expect(await played(3)).toEqual(['Song 0', 'Wish', 'Song 1']);
  });

  it('can be taken out of the queue, and be skipped', async () => {
    await goLive();
    const wish = (await queue(await clip('Wish', 30))).body;
    const other = (await queue(await clip('Other', 40))).body;
    await plan();
    expect(await remove(wish.id)).toMatchObject({ status: 204 });
    expect(await remove(wish.id)).toMatchObject({ status: 404 });
    expect(await played(3)).toEqual(['Song 0', 'Other', 'Song 1']);
    const [, row] = await rows();
    const skipped = { startAt: row.startAt, uploadID: other.uploadID };
    expect(await call('POST', `/streams/${streamID}/skip`, skipped)).toMatchObject({ status: 202 });
    expect(await played(3)).toEqual(['Song 0', 'Song 1', 'Song 2']);
    await plan();
    expect(await played(3)).toEqual(['Song 0', 'Song 1', 'Song 2']);
  });

  it('leaves the queue with its upload', async () => {
    await goLive();
    const wish = await clip('Wish', 30);
    // An upload that plays within a minute stays.
    await queue(await clip('Other', 90));
    await queue(wish);
    await plan();
    expect(await call('DELETE', `/uploads/${wish}`)).toMatchObject({ status: 204 });
    await plan();
    expect(await waiting()).toMatchObject([{ name: 'Other' }]);
    expect(await played(3)).toEqual(['Song 0', 'Other', 'Song 1']);
  });

  it('that a run did not reach plays first in the next one', async () => {
    await goLive();
    const wish = (await queue(await clip('Wish', 30))).body;
    await plan();
    // A plan that begins behind its row, which the run then does not reach.
    await plan(new Date(Date.now() + 55_000));
    expect(await waiting()).toMatchObject([{ id: wish.id, playsAt: expect.any(String) }]);
    await stop();
    expect(await waiting()).toMatchObject([{ id: wish.id, playsAt: null }]);
    // The next start is later than that plan would have begun.
    await service.pool().query(`update programme_states set at = at - interval '2 minutes'`);
    await goLive();
    const first = (await rows()).find(({ startAt }) => new Date(startAt) > new Date(wish.queuedAt));
    expect(first).toMatchObject({ name: 'Wish', kind: 'queued' });
  });

  it('is refused if it cannot be played, or too many wait', async () => {
    const { body: unread } = await call('POST', '/uploads', { name: 'Unread', mimeType: 'video/mp4' });
    const refused = { status: 422, body: { errors: [{ path: '/uploadID' }] } };
    expect(await queue(unread.id)).toMatchObject(refused);
    expect(await queue('upl_none')).toMatchObject(refused);
    const wish = await clip('Wish', 30);
    for (let index = 0; index < 100; index++) expect((await queue(wish)).status).toBe(202);
    expect(await queue(wish)).toMatchObject({ status: 422, body: { code: 'limit_reached', used: 100, allowed: 100 } });
    expect(await waiting()).toHaveLength(100);
  });

  it('that has begun cannot be taken out, and leaves the queue later', async () => {
    await goLive();
    const wish = (await queue(await clip('Wish', 30))).body;
    await plan();
    const [{ playsAt }] = await waiting();
    const inRow = new Date(new Date(playsAt).getTime() + 5000);
    await service
      .pool()
      .query('update queued_items set plays_at = now() + interval $$5 seconds$$ where id = $1', [wish.id]);
    expect(await remove(wish.id)).toMatchObject({ status: 422, body: { code: 'queued_item_begun' } });
    await plan(new Date(inRow.getTime() + 3_600_000));
    expect((await rows()).filter(({ name }) => name === 'Wish')).toHaveLength(1);
  });

  it('has a plan at once, and a rest between plans if it changes without end', async () => {
    await goLive();
    const far = await clip('Far', 600);
    const wish = await clip('Wish', 30);
    await queue(far);
    await plan();
    const planned = vi.spyOn(Client.prototype, 'query');
    const dueMs = async () => (await dueTimeOf(service, streamID, 'plan'))!.getTime();
    for (let turn = 0; turn < 20; turn++) {
      const { id } = (await queue(wish)).body;
      // An agent plans what is due.
      if ((await dueMs()) <= Date.now()) await plan();
      expect(await remove(id)).toMatchObject({ status: 204 });
    }
    const texts = planned.mock.calls.map(([text]) => text);
    planned.mockRestore();
    const plans = texts.filter((text) => text.includes('at <= $2 order by at desc')).length;
    expect(plans).toBeGreaterThan(1);
    expect(plans).toBeLessThan(12);
    expect((await dueMs()) - Date.now()).toBeLessThan(programmeBounds.changePlans.restSeconds * 1000);
    await plan(new Date(await dueMs()));
    expect(await played(3)).toEqual(['Song 0', 'Far', 'Song 1']);
    expect(await waiting()).toMatchObject([{ name: 'Far' }]);
  });
});

it.each([
  {
    changes: 'publishes',
    change: () => call('POST', `/programmes/${programmeID}/publish`),
    status: 202,
  },
  {
    changes: 'changes of the look',
    change: (turn: number) =>
      call('PATCH', `/streams/${streamID}`, { look: { framing: { mode: 'pad', colour: `#0000${10 + turn}` } } }),
    status: 200,
  },
])('$changes without end have a plan at once, and then a rest between plans', async ({ change, status }) => {
  await goLive();
  const dueMs = async () => (await dueTimeOf(service, streamID, 'plan'))!.getTime();
  let plans = 0;
  for (let turn = 0; turn < 12; turn++) {
    expect(await change(turn)).toMatchObject({ status });
    if ((await dueMs()) > Date.now()) continue;
    // An agent plans what is due.
    await plan();
    plans++;
  }
  expect(plans).toBeGreaterThanOrEqual(programmeBounds.changePlans.atOnce);
  expect(plans).toBeLessThan(12);
  expect((await dueMs()) - Date.now()).toBeLessThanOrEqual(programmeBounds.changePlans.restSeconds * 1000);
});

describe('a change of the stream that changes nothing', () => {
  const look = { framing: { mode: 'pad', colour: '#102030' }, overlays: { clock: {} } };
  const sound = { loudness: { targetLUFS: -16 }, under: { gainDB: -12 } };

  it.each([
    ['of its look', { look }],
    ['of its sound', { sound }],
    ['of its default look', { look: {} }],
    ['of its default sound', { sound: {} }],
  ])('%s asks for no plan', async (_, change) => {
    await goLive();
    const patch = (body: object) => call('PATCH', `/streams/${streamID}`, body);
    expect(await patch(change)).toMatchObject({ status: 200 });
    await plan();
    const planned = await dueTimeOf(service, streamID, 'plan');
    expect(await patch({ ...change, name: 'Another name' })).toMatchObject({
      status: 200,
      body: { name: 'Another name' },
    });
    expect(await dueTimeOf(service, streamID, 'plan')).toEqual(planned);
  });
});
