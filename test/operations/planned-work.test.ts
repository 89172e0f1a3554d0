// The work of an answer about runs to come: every holder of a link may ask for a guide, at the cost of the platform.
import { beforeEach, expect, it, vi } from 'vitest';
import { onAirRows } from '../../lambda/orchestration/playout/on-air-rows.ts';
import { mostPlanned, PlannedRuns } from '../../lambda/orchestration/playout/planned-runs.ts';
import { withPlanningBudget } from '../../lambda/orchestration/programme/planning-turns.ts';
import { actorsOn, inFuture } from '../support/actors.ts';
import { pretendProbed, testService } from '../support/service.ts';

const service = testService();
const { call, create, data, readyStream, user } = actorsOn(service);
const hourMs = 3_600_000;
const songCount = 6;
/** A start is planned once to judge what it needs. */
const planOfParts = 1;

let streamID: string;
let songs: string;

beforeEach(async () => {
  streamID = await readyStream({ name: 'Show', videoUploadObjectID: null, framerate: 'f_30', streamDuration: 60 });
  for (let index = 0; index < songCount; index++) {
    const body = { name: `Song ${index}`, mimeType: 'video/mp4', folder: 'Songs' };
    await pretendProbed(service, (await call('POST', '/uploads', body)).body.id, { durationSeconds: 200 });
  }
  const collection = { name: 'Songs', kind: 'video', source: { folder: 'Songs' }, order: 'oldest' };
  songs = await create('/collections', collection);
});

/** @param hours of each block; absent: one that is always on */
async function publish(hours: object[] = [{}]): Promise<void> {
  const id = await create('/programmes', { streamID, timeZone: 'UTC' });
  const steps = [{ id: 'songs', collectionID: songs }];
  const blocks = hours.map((each, place) => ({ id: `music-${place}`, name: 'Music', steps, ...each }));
  expect(await call('PATCH', `/programmes/${id}`, { blocks })).toMatchObject({ status: 200 });
  expect(await call('POST', `/programmes/${id}/publish`)).toMatchObject({ status: 202 });
}

/** @returns the first start, on a whole minute */
async function schedule(rule: string): Promise<Date> {
  const first = new Date(Math.ceil(Date.parse(inFuture(2400)) / 60_000) * 60_000);
  const body = { scheduleStartAt: first.toISOString(), recurrence: { rule, timeZone: 'UTC' } };
  expect(await call('POST', `/streams/${streamID}/schedule`, body)).toMatchObject({ status: 200 });
  return first;
}

/** Minutes of each day: one before the first start, without which nothing is published, and one three hours later. */
const rareMinutes = () =>
  [1800, 3 * 3600].map((seconds) => ({ rule: 'FREQ=DAILY', at: inFuture(seconds).slice(11, 16), minutes: 1 }));

/** Some work, with its plans, its loads of collections, and the uploads of each plan that has rows. */
async function plansOf<Result>(work: () => Promise<Result>) {
  const query = vi.spyOn(service.pool(), 'query');
  const result = await work();
  const calls = query.mock.calls as unknown as [string, unknown[][]?][];
  query.mockRestore();
  const count = (part: string) => calls.filter(([text]) => text.includes(part)).length;
  const loads = calls.filter(([text]) => text.endsWith('from uploads where user_id = any ($1) and id = any ($2)'));
  return {
    result,
    plans: count('from programme_states'),
    loads: count('select collection_place as place'),
    uploads: loads.map(([, values]) => values![1]!.length),
  };
}

/** The reader of a document of a new guide link. */
async function linkedGuide(): Promise<(name: string) => Promise<Response>> {
  const { jsonURL } = (await call('POST', `/streams/${streamID}/guide-link`)).body;
  return (name) => service.handler()(new Request(jsonURL.replace(/\.json$/, name)), '192.0.2.1');
}
const timeline = async (query: string) => (await call('GET', `/streams/${streamID}/timeline?${query}`)).body;

it('a guide plans a bounded number of runs, also if nothing plays in them, and loads their sources once', async () => {
  await publish(rareMinutes());
  await schedule('FREQ=MINUTELY');
  const read = await linkedGuide();
  const { result, plans, loads } = await plansOf(() => read('.json'));
  expect(result.status).toBe(200);
  expect(plans).toBeGreaterThan(0);
  expect(plans).toBeLessThanOrEqual(mostPlanned.runs + planOfParts);
  expect(loads).toBe(1);
});

it('a page of a timeline without rows continues behind the runs that it has planned', async () => {
  await publish(rareMinutes());
  const first = await schedule('FREQ=MINUTELY');
  const { result, plans } = await plansOf(() => timeline('limit=40'));
  expect(plans).toBeLessThanOrEqual(41 + planOfParts);
  expect(result).toMatchObject({ data: [], page: { hasMore: true } });
  let [cursor, pages, found] = [result.page.nextCursor, 1, [] as { startAt: string }[]];
  while (cursor !== '' && found.length === 0 && pages < 30) {
    const page = await timeline(`limit=40&cursor=${cursor}`);
    [cursor, pages, found] = [page.page.nextCursor, pages + 1, page.data];
  }
  const minutes = (Date.parse(found[0]!.startAt) - first.getTime()) / 60_000;
  expect([minutes > 135 && minutes < 145, pages]).toEqual([true, Math.ceil((minutes + 1) / 41)]);
});

it('an hourly show is whole in the guide of a week, and has no gap between the pages of a longer time', async () => {
  await publish();
  const first = await schedule('FREQ=HOURLY');
  const { items } = await (await (await linkedGuide())('.json')).json();
  expect(items.length).toBe(7 * 24);
  const to = new Date(first.getTime() + 240 * hourMs).toISOString();
  const page = await timeline(`limit=1000&to=${to}`);
  expect([page.data.length, page.page.hasMore]).toEqual([mostPlanned.runs, true]);
  const rest = await timeline(`limit=1000&to=${to}&cursor=${page.page.nextCursor}`);
  expect(rest.page.hasMore).toBe(false);
  const hours = [...page.data, ...rest.data].map(({ startAt }) => (Date.parse(startAt) - first.getTime()) / hourMs);
  expect(hours).toEqual(Array.from({ length: 240 }, (_, hour) => hour));
});

/** The stream, and a question for ten days from the first run on. */
async function askedFrom(first: Date) {
  const stream = (await data().streams.find(user().id, streamID))!;
  const now = await data().now();
  const to = new Date(first.getTime() + 240 * hourMs);
  return { stream, query: { from: now, to, count: 100, track: null, drafts: null, now } };
}

it('an answer whose plans take long ends before the next run', async () => {
  await publish();
  const first = await schedule('FREQ=HOURLY');
  const { stream, query } = await askedFrom(first);
  let ms = 0;
  const plans = new PlannedRuns(data(), stream, query, () => (ms += mostPlanned.elapsedMs / 3));
  const { rows, endsAt } = await onAirRows(data(), stream, query, plans);
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.length).toBeLessThan(5);
  expect(endsAt).toEqual(new Date(first.getTime() + rows.length * hourMs));
});

it('the plans of an answer share its budget, and end with it', async () => {
  await publish();
  const first = await schedule('FREQ=HOURLY');
  const { stream, query } = await askedFrom(first);
  let [usedMs, left] = [0, 6];
  const assertMayContinue = async () => {
    if (left-- === 0) throw new Error('over');
  };
  const use = (ms: number) => void (usedMs += ms);
  const budgeted = withPlanningBudget(data(), { use, useDatabase: use, assertMayContinue });
  const { plans } = await plansOf(() => expect(onAirRows(budgeted, stream, query)).rejects.toThrow('over'));
  expect(plans).toBeLessThanOrEqual(6);
  expect(usedMs).toBeGreaterThan(0);
});

it('a run is planned until its end', async () => {
  await publish();
  await schedule('FREQ=DAILY');
  const { result, uploads } = await plansOf(() => timeline('limit=2'));
  expect(result.data.length).toBe(2);
  expect(uploads).toEqual([songCount, 1, 1, 1]);
});

it('readers of a guide share its plans, at once and for a moment afterwards, in any form', async () => {
  await publish();
  await schedule('FREQ=HOURLY');
  const read = await linkedGuide();
  const names = ['.json', '.xml', '.ics', '/now.json', '.json'];
  const { result, plans } = await plansOf(() => Promise.all(names.map(read)));
  expect(result.map(({ status }) => status)).toEqual(names.map(() => 200));
  expect(plans).toBe(7 * 24 + planOfParts);
  const { result: again, plans: more } = await plansOf(() => read('/now.json'));
  expect(more).toBe(0);
  expect((await again.json()).next).toMatchObject({ title: 'Song 0', artworkURL: null });
});

it('a guide that could not be read is not read again at once', async () => {
  await publish();
  await schedule('FREQ=HOURLY');
  const read = await linkedGuide();
  const query = service.pool().query.bind(service.pool()) as (...sent: unknown[]) => unknown;
  const failing = vi.spyOn(service.pool(), 'query').mockImplementation((...sent: unknown[]): unknown => {
    const isPlan = String(sent[0]).includes('from programme_states');
    return isPlan ? Promise.reject(new Error('The statement was cancelled.')) : query(...sent);
  });
  expect((await read('.json')).status).toBe(500);
  failing.mockRestore();
  const { result, plans } = await plansOf(() => read('.xml'));
  expect([result.status, plans]).toEqual([500, 0]);
});

it('a schedule that changes is in the guide at once', async () => {
  await publish();
  await schedule('FREQ=HOURLY');
  const read = await linkedGuide();
  const count = async () => (await (await read('.json')).json()).items.length;
  expect(await count()).toBe(7 * 24);
  expect(await call('DELETE', `/streams/${streamID}/schedule`)).toMatchObject({ status: 200 });
  expect(await count()).toBe(0);
});
