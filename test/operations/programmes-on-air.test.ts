// Programmes on the air: published versions, the plan of a run beside its simulation, edits, and the runs that follow.
import { beforeEach, describe, expect, it } from 'vitest';
import { occurrenceAt } from '../../lambda/domain/playout/play-out.ts';
import { programmeBounds } from '../../lambda/domain/programme/programme-faults.ts';
import { planRun } from '../../lambda/orchestration/playout/plan-run.ts';
import { actorsOn } from '../support/actors.ts';
import { dueTimeOf } from '../support/due-times.ts';
import { pretendProbed, testService } from '../support/service.ts';

const service = testService();
const { call, claim, data, readyStream, register, report, transaction, user } = actorsOn(service);
const hourMs = 3_600_000;

let streamID: string;
let programmeID: string;
let songs: string;
let rules: { blocks: object[]; inserts: object[]; separation: object[]; filler: object };

async function clip(name: string, durationSeconds: number, more: object = {}): Promise<string> {
  const { body } = await call('POST', '/uploads', { name, mimeType: 'video/mp4', ...more });
  await pretendProbed(service, body.id, { durationSeconds });
  return body.id;
}

async function collectionOf(folder: string, order: string): Promise<string> {
  return (await call('POST', '/collections', { name: folder, kind: 'video', source: { folder }, order })).body.id;
}

/** A music channel with jingles, and news in each hour. */
beforeEach(async () => {
  streamID = await readyStream({ videoUploadObjectID: null, framerate: 'f_30' });
  for (let index = 0; index < 12; index++) {
    const id = await clip(`Song ${index}`, 200 + 7 * index, { folder: 'Songs' });
    await call('PATCH', `/uploads/${id}`, { artist: `Artist ${index % 4}` });
  }
  for (let index = 0; index < 2; index++) await clip(`Jingle ${index}`, 10, { folder: 'Jingles' });
  for (let index = 0; index < 5; index++) await clip(`Filler ${index}`, 5 + 7 * index, { folder: 'Fillers' });
  for (let index = 0; index < 3; index++) await clip(`News ${index}`, 170, { folder: 'News' });
  songs = await collectionOf('Songs', 'shuffle');
  const [jingles, fillers] = [await collectionOf('Jingles', 'sequential'), await collectionOf('Fillers', 'shuffle')];
  const news = await collectionOf('News', 'sequential');
  rules = {
    blocks: [
      { id: 'music', name: 'Music', steps: [{ id: 'songs', collectionID: songs }] },
      ...Array.from({ length: 24 }, (_, hour) => ({
        id: `news-${hour}`,
        name: 'News',
        rule: 'FREQ=DAILY',
        at: `${String(hour).padStart(2, '0')}:${newsMinute}`,
        minutes: 3,
        starts: 'hard',
        ends: 'fill',
        steps: [{ id: 'bulletin', collectionID: news, cursor: 'shared' }],
      })),
    ],
    inserts: [{ id: 'jingle', name: 'Jingle', collectionID: jingles, everyItems: 3 }],
    separation: [{ by: 'artist', items: 1, strength: 'must' }],
    filler: { collectionID: fillers },
  };
  programmeID = (await call('POST', '/programmes', { streamID, timeZone: 'Europe/Berlin' })).body.id;
  await register('agent');
});

/** The minute of each hour at which the news begin: not while these tests look at the beginning of a run. */
const newsMinute = String((new Date().getUTCMinutes() + 30) % 60).padStart(2, '0');

const edit = async (changes: object) => {
  const { status, body } = await call('PATCH', `/programmes/${programmeID}`, changes);
  expect([status, body.errors]).toEqual([200, undefined]);
};
const publish = () => call('POST', `/programmes/${programmeID}/publish`);

async function goLive(): Promise<Date> {
  expect(await call('POST', `/streams/${streamID}/start`)).toMatchObject({ status: 200 });
  const [replica] = await claim('agent');
  await data().streams.anchor(streamID);
  await report(replica!, 'live');
  return (await data().streams.find(user().id, streamID))!.anchored_at!;
}

/** Ends the replicas of a stream that is stopping. */
async function endAll(): Promise<void> {
  for (const replica of await data().replicas.ofStream(streamID)) await report(replica, 'ended');
}

const plan = (now?: Date) =>
  transaction(async (tx) => {
    const stream = (await tx.streams.lock(user().id, streamID))!;
    await planRun(tx, stream, { now: now ?? (await tx.now()), limitFactor: 1 });
  });

interface Row {
  readonly startAt: string;
  readonly endAt: string;
  readonly uploadID: string;
  readonly name: string;
  readonly kind: string;
  readonly blockID: string | null;
}
const isNews = (row: Row | undefined) => row?.blockID?.startsWith('news') ?? false;
const shown = ({ startAt, endAt, name, kind, blockID }: Row) => `${startAt} ${endAt} ${kind} ${blockID} ${name}`;

const untimed = ({ name, kind, blockID }: Row) => `${kind} ${blockID} ${name}`;

async function rowsFrom(from: Date, hours: number): Promise<Row[]> {
  const to = new Date(from.getTime() + hours * hourMs);
  const query = `from=${from.toISOString()}&to=${to.toISOString()}&limit=1000`;
  const { status, body } = await call('GET', `/streams/${streamID}/timeline?${query}`);
  expect([status, body.errors]).toEqual([200, undefined]);
  return body.data;
}

async function simulatedFrom(from: Date, rows = 1000): Promise<Row[]> {
  const query = `from=${from.toISOString()}&days=2&rows=${rows}`;
  return (await call('GET', `/programmes/${programmeID}/simulation?${query}`)).body.rows;
}

describe('a published programme', () => {
  it('is what the stream plays, row by row as it was simulated', async () => {
    await edit(rules);
    expect((await call('GET', `/streams/${streamID}/readiness`)).body.issues).toMatchObject([{ code: 'no_video' }]);
    expect(await publish()).toMatchObject({ status: 202, body: { version: 2, liveVersion: 2, planFailure: null } });
    expect((await call('GET', `/streams/${streamID}/readiness`)).body).toMatchObject({ ready: true });
    const anchoredAt = await goLive();
    const before = await rowsFrom(anchoredAt, 24);
    expect(before.length).toBeGreaterThan(0);
    await plan();
    const rows = await rowsFrom(anchoredAt, 24);
    expect(rows.length).toBeGreaterThan(300);
    const simulated = await simulatedFrom(anchoredAt);
    expect(rows.map(shown)).toEqual(simulated.slice(0, rows.length).map(shown));
    expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set(['item', 'insert', 'filler']));
    const news = rows.filter((row, index) => isNews(row) && !isNews(rows[index - 1]));
    expect(news.length).toBeGreaterThan(22);
    const minute = Number(newsMinute);
    for (const { startAt } of news) {
      expect(new Date(startAt).getUTCMinutes()).toBe(minute);
      expect(new Date(startAt).getTime() % 60_000).toBeLessThan(1000 / 30);
    }
    const { plannedUntil } = (await call('GET', `/programmes/${programmeID}`)).body;
    expect(new Date(plannedUntil).getTime() - anchoredAt.getTime()).toBeGreaterThan(26 * hourMs);
  });

  it('keeps its rows when it is planned again, and plans more', async () => {
    await edit(rules);
    await publish();
    const anchoredAt = await goLive();
    await plan();
    const before = await rowsFrom(anchoredAt, 30);
    await plan(new Date(anchoredAt.getTime() + 6 * hourMs));
    await plan(new Date(anchoredAt.getTime() + 12 * hourMs + 12_345));
    expect((await rowsFrom(anchoredAt, 30)).map(shown)).toEqual(before.map(shown));
    const later = await rowsFrom(new Date(anchoredAt.getTime() + 40 * hourMs), 2);
    expect(later.length).toBeGreaterThan(20);
  });
});

describe('a simulation', () => {
  const simulation = async (from: Date) =>
    (await call('GET', `/programmes/${programmeID}/simulation?from=${from.toISOString()}&days=1&rows=1000`)).body;

  it('continues what the stream has played, from any row on, as the stream does', async () => {
    await edit(rules);
    await publish();
    expect((await simulation(new Date())).historyUntil).toBeNull();
    const anchoredAt = await goLive();
    await plan();
    const rows = await rowsFrom(anchoredAt, 26);
    const places = rows.flatMap(({ kind, blockID }, index) => (kind === 'item' && blockID === 'music' ? [index] : []));
    for (const place of [places[1]!, places[7]!, places[30]!, places[100]!]) {
      const { historyUntil, rows: simulated } = await simulation(new Date(rows[place]!.startAt));
      expect(historyUntil).toBe(rows[place]!.startAt);
      const count = Math.min(simulated.length, rows.length - place - 1);
      expect(count).toBeGreaterThan(200);
      const aired = rows.slice(place, place + count);
      expect(simulated.slice(0, count).map(untimed)).toEqual(aired.map(untimed));
      // The time of a row is that of its frame, rounded up to a millisecond: the simulation has a grid of its own.
      const apartMs = aired.map(({ startAt }, index) => Date.parse(simulated[index].startAt) - Date.parse(startAt));
      expect(Math.max(...apartMs.map(Math.abs))).toBeLessThanOrEqual(1000 / 30 + 1);
    }
  });

  it('of a stream off the air continues its last run, and one of another day the plan until then', async () => {
    await edit({ ...rules, blocks: rules.blocks.slice(0, 1), inserts: [], separation: [] });
    await publish();
    const anchoredAt = await goLive();
    await plan();
    const { plannedUntil } = (await call('GET', `/programmes/${programmeID}`)).body;
    expect((await simulation(new Date(anchoredAt.getTime() + 90 * 24 * hourMs))).historyUntil).toBe(plannedUntil);
    const [first] = await rowsFrom(anchoredAt, 1);
    await call('POST', `/streams/${streamID}/stop`);
    await endAll();
    const { historyUntil, rows: simulated } = await simulation(new Date(Date.now() + 1000));
    const { stopped_at: stoppedAt } = (await data().streams.find(user().id, streamID))!;
    expect(historyUntil).toBe(stoppedAt!.toISOString());
    // The last third of a lap of twelve is not in the first third of the next one.
    expect(simulated.slice(0, 11).map(({ name }: Row) => name)).not.toContain(first!.name);
  });
});

describe('an edit of a programme on the air', () => {
  it('changes nothing before it is published, and then only its own block', async () => {
    await edit(rules);
    await publish();
    const anchoredAt = await goLive();
    await plan();
    const before = await rowsFrom(anchoredAt, 24);
    const [music, ...news] = rules.blocks as { id: string; minutes: number }[];
    await edit({ blocks: [music, ...news.map((block) => ({ ...block, name: 'Late news', minutes: 6 }))] });
    await plan();
    expect((await rowsFrom(anchoredAt, 24)).map(shown)).toEqual(before.map(shown));
    expect(await publish()).toMatchObject({ status: 202, body: { version: 3, liveVersion: 3 } });
    await plan();
    const after = await rowsFrom(anchoredAt, 24);
    const untilNews = before.findIndex((row, index) => isNews(row) && index > 0 && !isNews(before[index - 1]));
    const kept = before.slice(0, untilNews + 1).map(shown);
    expect(after.slice(0, untilNews + 1).map(shown)).toEqual(kept);
    const lengthOf = (rows: readonly Row[]) => {
      const first = rows.find((row, index) => isNews(row) && index > 0 && !isNews(rows[index - 1]))!;
      const next = rows.slice(rows.indexOf(first)).find((row) => !isNews(row))!;
      return new Date(next.startAt).getTime() - new Date(first.startAt).getTime();
    };
    expect([lengthOf(before), lengthOf(after)]).toEqual([180_000, 360_000]);
  });

  it('cuts off what plays where a new block begins hard', async () => {
    await edit({ ...rules, blocks: rules.blocks.slice(0, 1) });
    await publish();
    const anchoredAt = await goLive();
    await plan();
    const [first] = await rowsFrom(anchoredAt, 1);
    const beginsAt = new Date(Math.ceil((anchoredAt.getTime() + 30_000) / 60_000) * 60_000);
    expect(new Date(first!.endAt).getTime()).toBeGreaterThan(beginsAt.getTime());
    const at = new Intl.DateTimeFormat('de-DE', { timeStyle: 'short', timeZone: 'Europe/Berlin' }).format(beginsAt);
    const live = { ...(rules.blocks[1] as object), id: 'now', at, starts: 'hard' };
    await edit({ blocks: [rules.blocks[0]!, live] });
    await publish();
    await plan();
    const [cut, next] = await rowsFrom(anchoredAt, 1);
    expect(cut).toMatchObject({ name: first!.name, startAt: first!.startAt });
    expect(next).toMatchObject({ blockID: 'now', startAt: cut!.endAt });
    const lateMs = new Date(next!.startAt).getTime() - beginsAt.getTime();
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThanOrEqual(34);
  });

  it('lets the item on the air end by a cut before a break that wants one, where a crossfade was planned', async () => {
    expect(
      (await call('PATCH', `/streams/${streamID}`, { look: { join: { kind: 'crossfade', seconds: 2 } } })).status,
    ).toBe(200);
    await edit({ ...rules, blocks: rules.blocks.slice(0, 1), inserts: [] });
    await publish();
    const anchoredAt = await goLive();
    await plan();
    const overlapOf = (row: Row, seconds: number) => seconds - (Date.parse(row.endAt) - Date.parse(row.startAt)) / 1000;
    const secondsOf = ({ name }: Row) => (name.startsWith('Song') ? 200 + 7 * Number(name.slice(5)) : 10);
    const [first, second] = await rowsFrom(anchoredAt, 1);
    expect(overlapOf(first!, secondsOf(first!))).toBeCloseTo(2, 1);
    await edit({ inserts: [{ ...rules.inserts[0], everyItems: 1 }] });
    await publish();
    await plan();
    const rows = await rowsFrom(anchoredAt, 1);
    expect(rows.slice(0, 3).map(({ name }) => name)).toEqual([first!.name, 'Jingle 0', second!.name]);
    expect(rows[0]).toMatchObject({ startAt: first!.startAt, endAt: rows[1]!.startAt });
    expect(rows.slice(0, 9).map((row) => Math.round(overlapOf(row, secondsOf(row)) * 10) / 10 + 0)).toEqual(
      Array(9).fill(0),
    );
    const { video } = await data().timelines.ofStream(streamID);
    expect(occurrenceAt(video, 100 * 30, 30).item.join).toBeUndefined();
    await plan();
    expect((await rowsFrom(anchoredAt, 1)).map(shown)).toEqual(rows.map(shown));
  });

  it('can be taken back by a revert to any published version', async () => {
    await edit(rules);
    await publish();
    await edit({ blocks: rules.blocks.slice(0, 1) });
    await publish();
    const versions = await call('GET', `/programmes/${programmeID}/versions`);
    expect(versions.body.data).toMatchObject([
      { version: 3, blockCount: 1 },
      { version: 2, blockCount: 25 },
    ]);
    const reverted = await call('POST', `/programmes/${programmeID}/revert`, { version: 2 });
    expect(reverted).toMatchObject({ status: 200, body: { version: 4, liveVersion: 3 } });
    expect(reverted.body.blocks).toHaveLength(25);
    const unknown = await call('POST', `/programmes/${programmeID}/revert`, { version: 1 });
    expect(unknown).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
  });
});

describe('published versions of a programme', () => {
  const { count, bytes } = programmeBounds.versions;

  /** Versions before the next one, one in four numbers: most edits are not published. */
  async function insertVersions(number: number, bytesEach: number): Promise<void> {
    await edit(rules);
    await service.pool().query('update programmes set version = 1000 where id = $1', [programmeID]);
    await service.pool().query(
      `insert into programme_versions (programme_id, version, rules)
       select $1, 1000 - 4 * n, jsonb_build_object('blocks', '[1, 2]'::jsonb, 'inserts', '[3]'::jsonb, 'name', (
         select string_agg(md5(n || ' ' || part), '') from generate_series(1, $3::int / 32) part))
       from generate_series(1, $2::int) n`,
      [programmeID, number, bytesEach],
    );
  }
  const listed = async () => (await call('GET', `/programmes/${programmeID}/versions`)).body.data;

  it('are kept up to a number of them, the latest', async () => {
    await insertVersions(count + 20, 64);
    await publish();
    const versions = await listed();
    expect(versions.map(({ version }: { version: number }) => version)).toEqual(
      Array.from({ length: count }, (_, index) => 1000 - 4 * index),
    );
    expect(versions[1]).toMatchObject({ blockCount: 2, insertCount: 1 });
  });

  it('are fewer if their rules are large, and the latest is kept always', async () => {
    await insertVersions(60, 70_000);
    await publish();
    const kept = (await listed()).length;
    expect(kept).toBeGreaterThan(10);
    expect(kept).toBeLessThanOrEqual(1 + Math.floor(bytes / 70_000));
    await service.pool().query(
      `update programmes set version = 1001, draft = draft || jsonb_build_object('name', (
         select string_agg(md5(part::text), '') from generate_series(1, $2::int / 16) part)) where id = $1`,
      [programmeID, bytes],
    );
    await publish();
    expect(await listed()).toMatchObject([{ version: 1001 }]);
  });
});

describe('what a programme has played', () => {
  it('counts on in the next run: a list continues behind the last item', async () => {
    const list = await collectionOf('Songs', 'oldest');
    await edit({ ...rules, blocks: [{ id: 'list', name: 'List', steps: [{ id: 'list', collectionID: list }] }] });
    await edit({ inserts: [], separation: [] });
    await publish();
    const anchoredAt = await goLive();
    await plan();
    const [first, second] = await rowsFrom(anchoredAt, 1);
    expect([first!.name, second!.name]).toEqual(['Song 0', 'Song 1']);
    await call('POST', `/streams/${streamID}/stop`);
    await endAll();
    const next = await goLive();
    await plan();
    expect((await rowsFrom(next, 1)).map(({ name }) => name).slice(0, 2)).toEqual(['Song 1', 'Song 2']);
  });

  it('keeps a new upload of a collection behind the next items, within the next lap', async () => {
    await edit({ ...rules, separation: [] });
    await publish();
    const anchoredAt = await goLive();
    await plan();
    await clip('New', 100, { folder: 'Songs' });
    await plan();
    const names = (await rowsFrom(anchoredAt, 3)).map(({ name }) => name);
    expect(names.indexOf('New')).toBeGreaterThan(0);
  });
});

describe('the state that plans continue from', () => {
  it('forgets the names that rules had a hundred publishes ago', async () => {
    const named = (word: string) => ({ id: word, name: word, steps: [{ id: word, collectionID: songs }] });
    await edit({ blocks: [named('first')], separation: [] });
    await publish();
    const anchoredAt = await goLive();
    const many = Object.fromEntries(
      Array.from({ length: 2000 }, (_, index) => [`step/b${index}/s/collection/c`, { lap: 0 }]),
    );
    await plan();
    await service
      .pool()
      .query(`update programme_states set state = state || jsonb_build_object('cursors', $1::jsonb)`, [many]);
    await plan(new Date(anchoredAt.getTime() + hourMs));
    const { state } = (await data().programmes.stateAt(programmeID, new Date('2100-01-01')))!;
    expect(Object.keys(state.cursors).length).toBeLessThan(600);
    expect(Object.keys(state.cursors)).toContain(`step/first/first/collection/${songs}`);
  });
});

describe('a programme that cannot be played', () => {
  it('is not published without an upload to play', async () => {
    const empty = await collectionOf('Nothing', 'shuffle');
    await edit({ blocks: [{ id: 'empty', name: 'Empty', steps: [{ id: 'empty', collectionID: empty }] }] });
    expect(await publish()).toMatchObject({ status: 422, body: { code: 'nothing_to_plan' } });
    expect((await call('GET', `/programmes/${programmeID}`)).body).toMatchObject({ liveVersion: null });
  });

  it('does not start in a gap, and says what to add', async () => {
    await edit({
      ...rules,
      filler: null,
      blocks: [{ ...rules.blocks[1], rule: 'FREQ=YEARLY', firstDay: '2031-01-01' }],
    });
    expect(await publish()).toMatchObject({ status: 422, body: { code: 'nothing_to_plan' } });
  });

  it('repeats what was planned, with the reason, until its collections have uploads again', async () => {
    await edit({ ...rules, blocks: rules.blocks.slice(0, 1), inserts: [], filler: null });
    await publish();
    const anchoredAt = await goLive();
    await plan();
    const before = await rowsFrom(anchoredAt, 24);
    await call('PATCH', `/collections/${songs}`, { source: { folder: 'Nothing' } });
    await plan();
    const programme = async () => (await call('GET', `/programmes/${programmeID}`)).body;
    expect(await programme()).toMatchObject({ planFailure: { code: 'nothing_to_plan' } });
    expect((await rowsFrom(anchoredAt, 24)).map(shown)).toEqual(before.map(shown));
    await call('PATCH', `/collections/${songs}`, { source: { folder: 'Songs' } });
    await plan();
    expect(await programme()).toMatchObject({ planFailure: null, plannedUntil: expect.any(String) });
    await call('POST', `/streams/${streamID}/stop`);
    await endAll();
    expect(await programme()).toMatchObject({ planFailure: null, plannedUntil: null });
  });

  it('leaves the stream to its playlists once it is deleted', async () => {
    await edit(rules);
    await publish();
    expect(await call('DELETE', `/programmes/${programmeID}`)).toMatchObject({ status: 204 });
    expect((await call('GET', `/streams/${streamID}/readiness`)).body.issues).toMatchObject([{ code: 'no_video' }]);
  });
});

describe('an upload of a programme on the air', () => {
  const dueAt = async () => (await dueTimeOf(service, streamID, 'plan'))!.getTime() - Date.now();

  it('can be deleted unless it plays within a minute; the plan goes without it at once', async () => {
    await edit(rules);
    await publish();
    const anchoredAt = await goLive();
    await plan();
    const rows = await rowsFrom(anchoredAt, 3);
    const second = rows.find(({ startAt, name }) => {
      return name.startsWith('Song') && new Date(startAt).getTime() > anchoredAt.getTime() + 240_000;
    })!;
    const refused = await call('DELETE', `/uploads/${rows[0]!.uploadID}`);
    expect(refused).toMatchObject({ status: 422, body: { code: 'resource_in_use' } });
    expect(await dueAt()).toBeGreaterThan(hourMs);
    expect((await call('DELETE', `/uploads/${second.uploadID}`)).status).toBe(204);
    expect(await dueAt()).toBeLessThan(1000);
    await plan();
    const names = (await rowsFrom(anchoredAt, 24)).map(({ name }) => name);
    expect(names).not.toContain(second.name);
  });

  it('is in the plan two minutes after it came, or changed', async () => {
    await edit(rules);
    await publish();
    await goLive();
    await plan();
    const id = await clip('New', 100, { folder: 'Songs' });
    expect(await dueAt()).toBeLessThan(121_000);
    await plan();
    expect(await dueAt()).toBeGreaterThan(hourMs);
    await call('PATCH', `/uploads/${id}`, { folder: 'Jingles' });
    expect(await dueAt()).toBeLessThan(121_000);
  });
});

describe('a skip', () => {
  const skip = ({ startAt, uploadID }: Row) => call('POST', `/streams/${streamID}/skip`, { startAt, uploadID });
  const names = (rows: readonly Row[], count: number) => rows.slice(0, count).map(({ name }) => name);

  it('ends a row of a programme in ten seconds, once, and the plan continues behind it', async () => {
    // The third song is by the artist of the first one, and begins before that one would have ended.
    await call('PATCH', `/collections/${songs}`, { order: 'sequential' });
    const { data: found } = (await call('GET', '/uploads?folder=Songs')).body;
    const idOf = (name: string) => found.find((upload: { name: string }) => upload.name === name).id;
    await pretendProbed(service, idOf('Song 0'), { durationSeconds: 900 });
    for (const name of ['Song 2', 'Song 10']) await call('PATCH', `/uploads/${idOf(name)}`, { artist: 'Artist 0' });
    await edit(rules);
    await publish();
    const anchoredAt = await goLive();
    await plan();
    const before = await rowsFrom(anchoredAt, 1);
    const { status, body } = await skip(before[0]!);
    expect(status).toBe(202);
    const aheadMs = new Date(body.takesOverAt).getTime() - Date.now();
    expect(aheadMs).toBeGreaterThan(8000);
    expect(aheadMs).toBeLessThan(11_000);
    const after = await rowsFrom(anchoredAt, 1);
    expect(names(after, 3)).toEqual(names(before, 3));
    expect([after[0]!.endAt, after[1]!.startAt]).toEqual([body.takesOverAt, body.takesOverAt]);
    expect(await skip(before[0]!)).toMatchObject({ status: 422, body: { code: 'skip_too_late' } });
    await plan();
    expect((await rowsFrom(anchoredAt, 1)).map(shown)).toEqual(after.map(shown));
  });

  it('leaves out a row of a programme that is to come, once, and continues behind it', async () => {
    await edit({ ...rules, separation: [] });
    await publish();
    const anchoredAt = await goLive();
    await plan();
    const before = await rowsFrom(anchoredAt, 1);
    expect(await skip(before[1]!)).toMatchObject({ status: 202, body: { takesOverAt: before[1]!.startAt } });
    const after = await rowsFrom(anchoredAt, 1);
    expect([after[0]!.name, after[1]!.name]).toEqual([before[0]!.name, before[2]!.name]);
    expect((await skip(before[1]!)).status).toBe(422);
  });

  it.each(['sequential', 'shuffle'])('continues a %s playlist behind the row', async (mode) => {
    const { id } = (await call('POST', '/playlists', { streamID, kind: 'video', mode })).body;
    const { data: found } = (await call('GET', '/uploads?folder=Songs')).body;
    const operations = found.map((upload: { id: string }) => ({ op: 'add', uploadID: upload.id }));
    await call('POST', `/playlists/${id}/operations`, { operations });
    const anchoredAt = await goLive();
    const before = await rowsFrom(anchoredAt, 1);
    await skip(before[0]!);
    const after = await rowsFrom(anchoredAt, 1);
    expect(names(after, 8)).toEqual(names(before, 8));
    await skip(after[2]!);
    const [first, second, , ...others] = names(before, 8);
    expect(names(await rowsFrom(anchoredAt, 1), 7)).toEqual([first, second, ...others]);
  });
});
