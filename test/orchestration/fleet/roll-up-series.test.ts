// Charts of a stream: agents' points are readable at each resolution, before and after the roll-up.
import { expect, it } from 'vitest';
import { tiers } from '../../../lambda/domain/streams/series.ts';
import type { Point } from '../../../lambda/domain/streams/series.ts';
import { rollUpSeries } from '../../../lambda/orchestration/fleet/roll-up-series.ts';
import { actorsOn } from '../../support/actors.ts';
import { countRows } from '../../support/rows.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const { call, create, data } = actorsOn(service);
const hour = 3_600_000;
const never = new AbortController().signal;
const thisHour = () => Math.floor(Date.now() / hour) * hour;

/** Points between two times, one for each 10 s. */
const points = (from: number, to: number, more: Partial<Point> = {}): Point[] =>
  Array.from({ length: (to - from) / 10_000 }, (_, index) => ({
    at: new Date(from + index * 10_000),
    bitrateKbps: 1000 + index,
    framesPerSecond: 30,
    droppedFrames: 1,
    reconnects: 0,
    state: 'live',
    ...more,
  }));
const history = async (id: string, query = '') => (await call('GET', `/streams/${id}/stats/history${query}`)).body;

it('what was written in parts, and twice, is answered once as columns', async () => {
  const id = await create('/streams', {});
  const from = thisHour() - 600_000;
  const written = points(from, from + 1_200_000);
  for (const part of [written.slice(0, 7), written.slice(3, 90), written.slice(95)])
    await data().series.write(tiers['10s'], [{ streamID: id, outputID: '', points: part }]);
  const to = new Date(from + 1_200_000).toISOString();
  const found = await history(id, `?from=${new Date(from).toISOString()}&to=${to}`);
  const expected = [...written.slice(0, 90), ...written.slice(95)];
  expect(found).toEqual({
    times: expected.map(({ at }) => at.toISOString()),
    bitrateKbps: expected.map(({ bitrateKbps }) => bitrateKbps),
    framesPerSecond: expected.map(() => 30),
    droppedFrames: expected.map(() => 1),
    reconnects: expected.map(() => 0),
    state: expected.map(() => 'live'),
  });
  expect(await history(id, `?from=${new Date(from).toISOString()}&to=${to}&outputID=another`)).toMatchObject({
    times: [],
  });
});

it('coarse points are the same before and after they are stored, and the fine ones go after a day', async () => {
  const ids = [await create('/streams', {}), await create('/streams', {})];
  const from = thisHour() - 3 * hour;
  const outputs = ids.map((streamID) => ({ streamID, outputID: '', points: points(from, from + 2 * hour) }));
  await data().series.write(tiers['10s'], outputs);
  const coarse = () => Promise.all(['5m', '1h'].map((resolution) => history(ids[1]!, `?resolution=${resolution}`)));
  const before = await coarse();
  expect(before.map(({ times }) => times.length)).toEqual([24, 2]);
  expect(before[1].droppedFrames).toEqual([360, 360]);
  await rollUpSeries(service.pool(), new Date(), never);
  expect(await data().series.readUnrolled(ids[1]!, '')).toEqual([]);
  expect(await coarse()).toEqual(before);
  const rows = await countRows(service, 'stream_series');
  await data().series.forget(new Date(Date.now() + 30 * hour), 1000);
  expect(await countRows(service, 'stream_series')).toBe(rows - 4);
  expect(await coarse()).toEqual(before);
});

it('a range that is no range, or longer than is kept, is refused; a stream that is gone keeps nothing', async () => {
  const id = await create('/streams', {});
  const day = 24 * hour;
  const at = (ms: number) => new Date(Date.now() - ms).toISOString();
  for (const query of [`?from=${at(0)}&to=${at(0)}`, `?from=${at(2 * day)}`, `?from=${at(15 * day)}&resolution=5m`])
    expect(await history(id, query)).toMatchObject({ code: 'validation_failed', errors: [{ path: '/query/from' }] });
  await data().series.write(tiers['10s'], [
    { streamID: id, outputID: '', points: points(thisHour(), thisHour() + 50_000) },
  ]);
  await call('DELETE', `/streams/${id}`);
  await data().series.write(tiers['10s'], [
    { streamID: id, outputID: '', points: points(thisHour(), thisHour() + 50_000) },
  ]);
  expect(await data().series.readUnrolled(id, '')).toEqual([]);
});
