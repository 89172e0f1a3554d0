// A timeline is loaded again only when it has changed, and the last one stays valid while no other can be loaded.
import { expect, it } from 'vitest';
import { KnownTimeline } from '../../../lambda/publisher/agent/known-timeline.ts';

function timeline() {
  const state = { loads: 0, revision: 0 as number | null, nowMs: 0, isWhole: true, fails: false };
  const known = new KnownTimeline({
    load: async () => {
      if (state.fails) throw new Error('no database');
      return ++state.loads;
    },
    revision: () => state.revision,
    isWhole: () => state.isWhole,
    onFailure: () => {},
    steadyClock: () => state.nowMs,
  });
  return { state, known };
}

it('is loaded once for as long as its revision stays, and again when that changes', async () => {
  const { state, known } = timeline();
  expect([await known.get(), await known.get()]).toEqual([1, 1]);
  state.revision = 1;
  expect([await known.get(), await known.get()]).toEqual([2, 2]);
});

it.each([
  ['its revision is not known', { revision: null }],
  ['something of it is not there yet', { isWhole: false }],
  ['it was loaded long ago', { nowMs: 6 * 60_000 }],
])('is loaded anew where %s', async (_what, change) => {
  const { state, known } = timeline();
  await known.get();
  Object.assign(state, change);
  expect(await known.get()).toBe(2);
});

it('is loaded anew once something of it was wrong', async () => {
  const { known } = timeline();
  await known.get();
  known.forget();
  expect(await known.get()).toBe(2);
});

it('stays what it was while the database is away', async () => {
  const { state, known } = timeline();
  await known.get();
  Object.assign(state, { revision: 1, fails: true });
  expect(await known.get()).toBe(1);
});
