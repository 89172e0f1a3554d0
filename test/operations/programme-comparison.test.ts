// The comparison of a programme's draft with its live version: the rows that a publish then changes.
import { beforeEach, expect, it } from 'vitest';
import { planRun } from '../../lambda/orchestration/playout/plan-run.ts';
import { actorsOn } from '../support/actors.ts';
import { pretendProbed, testService } from '../support/service.ts';

const service = testService();
const { call, claim, data, readyStream, register, report, transaction, user } = actorsOn(service);

let streamID: string;
let programmeID: string;
let jingles: string;
let blocks: object[];

async function folderOf(folder: string, count: number, durationSeconds: number): Promise<string> {
  for (let index = 0; index < count; index++) {
    const { body } = await call('POST', '/uploads', { name: `${folder} ${index}`, mimeType: 'video/mp4', folder });
    await pretendProbed(service, body.id, { durationSeconds });
  }
  const list = { name: folder, kind: 'video', source: { folder }, order: 'oldest' };
  return (await call('POST', '/collections', list)).body.id;
}

beforeEach(async () => {
  streamID = await readyStream({ videoUploadObjectID: null, framerate: 'f_30' });
  const songs = await folderOf('Song', 6, 300);
  jingles = await folderOf('Jingle', 2, 30);
  programmeID = (await call('POST', '/programmes', { streamID, timeZone: 'UTC' })).body.id;
  blocks = [{ id: 'music', name: 'Music', steps: [{ id: 'songs', collectionID: songs }] }];
  expect(await edit({ blocks })).toMatchObject({ status: 200 });
  await register('agent');
});

const edit = (changes: object) => call('PATCH', `/programmes/${programmeID}`, changes);
const publish = () => call('POST', `/programmes/${programmeID}/publish`);
const compare = (hours = 3) => call('GET', `/programmes/${programmeID}/comparison?hours=${hours}`);

async function goLive(): Promise<void> {
  expect(await call('POST', `/streams/${streamID}/start`)).toMatchObject({ status: 200 });
  const [replica] = await claim('agent');
  await data().streams.anchor(streamID);
  await report(replica!, 'live');
  await plan();
}

const plan = () =>
  transaction(async (tx) => {
    const stream = (await tx.streams.lock(user().id, streamID))!;
    await planRun(tx, stream, { now: await tx.now(), limitFactor: 1 });
  });

async function rowsOfRun(): Promise<{ name: string; startAt: string }[]> {
  const to = new Date(Date.now() + 3 * 3_600_000).toISOString();
  const { data: rows } = (await call('GET', `/streams/${streamID}/timeline?to=${to}&limit=1000`)).body;
  return rows.map(({ name, startAt }: { name: string; startAt: string }) => ({ name, startAt }));
}

it('of a first publish has all its rows, and none that changes', async () => {
  const { status, body } = await compare();
  expect(status).toBe(200);
  expect(body).toMatchObject({ changedRules: ['blocks/music'], sameRows: 0, movedRows: 0, hasMore: false });
  expect(body.differences).toMatchObject([{ causes: ['blocks/music'], before: [] }]);
  expect(body.differences[0].after.length).toBeGreaterThanOrEqual(36);
  await publish();
  expect((await compare()).body).toMatchObject({ changedRules: [], differences: [], movedRows: 0 });
});

it('of an edit on the air has the rows that the publish then changes, and nothing is planned by it', async () => {
  await publish();
  await goLive();
  const before = await rowsOfRun();
  expect((await compare()).body).toMatchObject({ changedRules: [], differences: [], movedRows: 0 });
  await edit({ inserts: [{ id: 'jingle', name: 'Jingle', collectionID: jingles, everyItems: 2 }] });
  const { body } = await compare();
  expect(await rowsOfRun()).toEqual(before);
  expect(body.changedRules).toEqual(['inserts/jingle']);
  const added = body.differences.flatMap(({ after }: { after: { name: string }[] }) => after);
  expect(new Set(added.map(({ kind }: { kind: string }) => kind))).toEqual(new Set(['insert']));
  expect(body.differences[0]).toMatchObject({ causes: ['inserts/jingle'], before: [] });
  await publish();
  await plan();
  const after = await rowsOfRun();
  const inserted = after.filter(({ name }) => name.startsWith('Jingle'));
  const told = added.slice(0, 10).map(({ name, startAt }: { name: string; startAt: string }) => ({ name, startAt }));
  expect(told).toEqual(inserted.slice(0, 10));
});

it('has at most 1,000 rows, and says that there are more', async () => {
  await folderOf('Short', 3, 20);
  const short = (await call('GET', '/collections')).body.data.find(({ name }: { name: string }) => name === 'Short');
  await publish();
  await edit({ blocks: [{ id: 'short', name: 'Short', steps: [{ id: 'all', collectionID: short.id }] }] });
  const { body } = await compare(48);
  const count = body.differences.reduce((sum: number, { before, after }: any) => sum + before.length + after.length, 0);
  expect([count, body.hasMore]).toEqual([1000, true]);
});
