// Stored history of past runs and of the current one: a query reads only the part that it needs.
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { all } from '../../../lambda/data/shared/queryable.ts';
import type { RunPart } from '../../../lambda/data/playout/timelines.ts';
import { actorsOn } from '../../support/actors.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const { call, claim, data, readyStream, register, report, transaction, user } = actorsOn(service);

let streamID: string;

beforeEach(async () => {
  streamID = await readyStream();
  await register('agent');
});

/** A run that begins now; the database says that it ended this many hours ago. */
async function run(hoursAgo: number): Promise<void> {
  await call('POST', `/streams/${streamID}/start`);
  const [replica] = await claim('agent');
  await data().streams.anchor(streamID);
  await report(replica!, 'live');
  await call('POST', `/streams/${streamID}/stop`);
  await report(replica!, 'ended');
  await service.pool().query(
    `update streams set anchored_at = now() - make_interval(hours => $2, mins => 10),
       stopped_at = now() - make_interval(hours => $2) where id = $1`,
    [streamID, hoursAgo],
  );
}

/** Publishes this many times, at intervals of a second, a list of this many bytes. */
async function publish(times: number, keptBytes?: number, ownBytes = 0): Promise<void> {
  const [first] = (await data().timelines.ofStream(streamID)).video;
  const { snapshot } = first!;
  const named = snapshot.items.map((item) => ({ ...item, name: 'x'.repeat(ownBytes) }));
  const entry = { ...first!, snapshot: ownBytes === 0 ? snapshot : { ...snapshot, items: named } };
  for (let second = 1; second <= times; second++)
    await data().timelines.append(streamID, 'video', { ...entry, offsetSeconds: second }, keptBytes);
}
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const numbersOf = (entries: readonly { number: number }[]) => entries.map(({ number }) => number);

it('the latest past run stays, and of those before it as much as fits, however long ago they ended', async () => {
  for (const hoursAgo of [72, 48, 24]) await run(hoursAgo);
  await call('POST', `/streams/${streamID}/start`);
  const kept = async () =>
    (
      await all<{ hours: number }>(
        service.pool(),
        `select round(extract(epoch from now() - ended_at) / 3600)::int as hours from past_runs
       where stream_id = $1 order by ended_at`,
        [streamID],
      )
    ).map(({ hours }) => hours);
  expect(await kept()).toEqual([72, 48, 24]);
  await data().runs.forget(400, 1_000_000, 100);
  expect(await kept()).toEqual([72, 48, 24]);
  await data().runs.forget(400, 1, 100);
  expect(await kept()).toEqual([24]);
  expect(
    await all(service.pool(), 'select distinct anchored_at from past_entries where stream_id = $1', [streamID]),
  ).toHaveLength(1);
});

describe('the runs of all streams of a user', () => {
  const row = 'select stream_id, anchored_at from past_runs order by anchored_at';
  const pastRuns = async () => (await service.pool().query(row)).rows.length;
  const entriesOf = async (id: string) => (await data().timelines.ofStream(id)).video.length;
  /** A run of several megabytes of a further stream, which compression does not shrink. */
  const largeRun = async () => {
    streamID = await readyStream();
    await run(24);
    await service.pool().query('update streams set stopped_at = now() where id = $1', [streamID]);
    const [first] = (await data().timelines.ofStream(streamID)).video;
    const name = randomBytes(1024 ** 2).toString('base64');
    const items = first!.snapshot.items.map((item) => ({ ...item, name }));
    const entry = { ...first!, snapshot: { ...first!.snapshot, items } };
    for (const offsetSeconds of [1, 2, 3])
      await data().timelines.append(streamID, 'video', { ...entry, offsetSeconds });
    return streamID;
  };
  const MB = 1_000_000;

  it('are kept as far as they fit, the latest first, whether or not their streams have begun another one', async () => {
    const first = await largeRun();
    const second = await largeRun();
    await call('POST', `/streams/${second}/start`);
    await call('POST', `/streams/${second}/stop`);
    const third = await largeRun();
    const fits = { funded: 20 * MB, unfunded: 0 };
    await data().runs.forgetOfUsers(fits, 100);
    expect([await entriesOf(first), await pastRuns(), await entriesOf(third)]).toEqual([4, 1, 4]);
    // The test's user has credits from an operator. Each run takes about four megabytes.
    await data().runs.forgetOfUsers({ ...fits, funded: 10 * MB }, 100);
    expect([await entriesOf(first), await pastRuns(), await entriesOf(third)]).toEqual([0, 1, 4]);
    await service.pool().query(`update invoices set type = 'free_credits' where user_id = $1`, [user().id]);
    await data().runs.forgetOfUsers(fits, 100);
    expect([await pastRuns(), await entriesOf(third)]).toEqual([0, 4]);
    expect((await call('GET', `/streams/${first}/timeline`)).status).toBe(200);
    expect((await call('POST', `/streams/${first}/start`)).status).toBe(200);
  });

  it('are deleted a day later if none of their media was taken', async () => {
    await run(0);
    await call('POST', `/streams/${streamID}/start`);
    const [replica] = await claim('agent');
    await data().streams.anchor(streamID);
    await call('POST', `/streams/${streamID}/stop`);
    await report(replica!, 'ended');
    await call('POST', `/streams/${streamID}/start`);
    const later = (hours: number) =>
      service.pool().query(
        `with moved as (update past_runs set kept_at = kept_at - make_interval(hours => $1),
           anchored_at = anchored_at - make_interval(hours => $1))
         update live_intervals set started_at = started_at - make_interval(hours => $1),
           ended_at = ended_at - make_interval(hours => $1)`,
        [hours],
      );
    await service.pool().query('delete from past_entries');
    await later(23);
    await data().runs.forgetOfUsers({ funded: MB, unfunded: MB }, 100);
    expect(await pastRuns()).toBe(2);
    await later(2);
    await data().runs.forgetOfUsers({ funded: MB, unfunded: MB }, 100);
    expect(await pastRuns()).toBe(1);
  });
});

it('of a run only what is in force at a time of it is read, while it goes on and when it is over', async () => {
  await run(24);
  await publish(40);
  const { anchored_at: anchoredAt } = (await data().streams.find(user().id, streamID))!;
  const time = { fromSeconds: 20.5, toSeconds: 22.5 };
  const present = await data().timelines.ofStream(streamID, time);
  // The entry behind the time cuts off the last item in it.
  expect(numbersOf(present.video)).toEqual([19, 20, 21, 22, 23, 24]);
  expect((await data().timelines.ofStream(streamID)).video).toHaveLength(41);
  await call('POST', `/streams/${streamID}/start`);
  expect(await data().runs.partOf(streamID, anchoredAt!, time)).toEqual({ timelines: present, untilSeconds: Infinity });
});

it('a run of many long lists is read in parts, without a gap, while it goes on and when it is over', async () => {
  await run(24);
  await publish(40, undefined, 1024 ** 2);
  const { anchored_at: anchoredAt } = (await data().streams.find(user().id, streamID))!;
  const partsOf = async (read: (fromSeconds: number) => Promise<RunPart>) => {
    const parts = [await read(5.5)];
    while (parts.at(-1)!.untilSeconds < Infinity) parts.push(await read(parts.at(-1)!.untilSeconds));
    return parts;
  };
  const present = await partsOf((fromSeconds) =>
    data().timelines.partOf(streamID, { fromSeconds, toSeconds: Infinity }),
  );
  const numbers = present.map(({ timelines }) => numbersOf(timelines.video));
  // Each part begins with the entry in force a second before, and ends with the one that cuts off its last item.
  expect(numbers).toEqual(
    [
      [4, 11],
      [10, 17],
      [16, 23],
      [22, 29],
      [28, 35],
      [34, 40],
    ].map(([from, to]) => range(from!, to!)),
  );
  expect(present.map(({ untilSeconds }) => untilSeconds)).toEqual([11, 17, 23, 29, 35, Infinity]);
  await call('POST', `/streams/${streamID}/start`);
  const past = await partsOf((fromSeconds) =>
    data().runs.partOf(streamID, anchoredAt!, { fromSeconds, toSeconds: Infinity }),
  );
  expect(past).toEqual(present);
});

it('the timeline of such a run has each row once, on pages that read a bounded part of it', async () => {
  await run(24);
  await publish(60, undefined, 1024 ** 2);
  const { anchored_at: anchoredAt } = (await data().streams.find(user().id, streamID))!;
  const to = new Date(anchoredAt!.getTime() + 61_000).toISOString();
  const path = `/streams/${streamID}/timeline?from=${anchoredAt!.toISOString()}&to=${to}&limit=1000`;
  const starts: number[] = [];
  const pages: number[] = [];
  for (let cursor = ''; ;) {
    const { data: rows, page } = (await call('GET', `${path}${cursor && `&cursor=${cursor}`}`)).body;
    pages.push(rows.length);
    starts.push(...rows.map(({ startAt }: { startAt: string }) => Date.parse(startAt) - anchoredAt!.getTime()));
    if (!page.hasMore) break;
    cursor = page.nextCursor;
  }
  expect(starts).toEqual(range(0, 60).map((second) => second * 1000));
  // Eight parts of 8 MiB. Each begins with the entries before it.
  expect(pages).toEqual([50, 11]);
});

it('a run that goes on forgets what it played long before, and never what is in reach', async () => {
  await run(24);
  await publish(40, 1);
  const { video } = await data().timelines.ofStream(streamID);
  expect(numbersOf(video)).toEqual(Array.from({ length: 20 }, (_, index) => 21 + index));
});

it('a schedule that is missed leaves the end of the run before as it was', async () => {
  await run(24);
  const find = async () => (await data().streams.find(user().id, streamID))!;
  const { stopped_at: stoppedAt } = await find();
  await service.pool().query(`update streams set state = 'scheduled' where id = $1`, [streamID]);
  await transaction(async (tx) => tx.streamMoves.move((await tx.streams.lockAny(streamID))!, 'schedule_missed'));
  expect(await find()).toMatchObject({ state: 'failed', stopped_at: stoppedAt });
});

it('publishers read an hour of it, and of large entries only those in force from a minute ago on', async () => {
  await call('POST', `/streams/${streamID}/start`);
  await service
    .pool()
    .query(`update streams set anchored_at = now() - interval '300 seconds' where id = $1`, [streamID]);
  const [entry] = (await data().timelines.ofStream(streamID)).video;
  const names = async () => numbersOf((await data().timelines.ofStream(streamID, 'recent')).video);
  const publishAt = async (second: number, item: object) => {
    const snapshot = { ...entry!.snapshot, items: [{ ...entry!.snapshot.items[0]!, ...item }] };
    await data().timelines.append(streamID, 'video', { ...entry!, snapshot, offsetSeconds: second });
  };
  for (const second of [50, 100]) await publishAt(second, {});
  expect(await names()).toEqual([0, 1, 2]);
  // Text that repeats is a hundredth as large when it is compressed.
  const name = 'x'.repeat(3 * 1024 * 1024);
  for (const second of [150, 200, 210, 220, 230, 290, 310]) await publishAt(second, { name });
  // In force a minute ago, and later: the one at 230 s.
  expect(await names()).toEqual([7, 8, 9]);
  expect((await data().timelines.ofStream(streamID)).video).toHaveLength(10);
  await publishAt(150, {});
  expect(await names()).toEqual([0, 1, 2, 3]);
});
