// Replicas of one run share the timeline that an agent holds in memory, and load it once for each change.
import { expect, it } from 'vitest';
import { KnownTimeline } from '../../../lambda/publisher/agent/known-timeline.ts';
import { SharedTimelines } from '../../../lambda/publisher/agent/shared-timelines.ts';

function agent() {
  const revisions = new Map<string, number | null>();
  const timelines = new SharedTimelines({ of: (id) => revisions.get(id) ?? (revisions.has(id) ? null : 0) });
  let loads = 0;
  const of = (run: string, replicaID: string) =>
    timelines.of(run, replicaID, (revision) => {
      const load = () => Promise.resolve(`${run}, load ${++loads}`);
      return new KnownTimeline({ load, revision, isWhole: () => true, onFailure: () => {}, steadyClock: () => 0 });
    });
  return { revisions, timelines, of, loads: () => loads };
}

it('thirty replicas of a run load its timeline once, and once more after a change', async () => {
  const { revisions, timelines, of, loads } = agent();
  const all = Array.from({ length: 30 }, (_, index) => of('run', `replica${index}`));
  const read = () => Promise.all(all.map((timeline) => timeline.get()));
  expect(new Set(await read())).toEqual(new Set(['run, load 1']));
  for (let index = 0; index < 30; index++) revisions.set(`replica${index}`, 1);
  await read();
  expect(new Set(await read())).toEqual(new Set(['run, load 2']));
  expect([loads(), timelines.size]).toEqual([2, 1]);
});

it('a replica that begins later, at revision 0, sees each change after it', async () => {
  const { revisions, of, loads } = agent();
  revisions.set('first', 5);
  const first = of('run', 'first');
  await first.get();
  const later = of('run', 'later');
  await later.get();
  expect(loads()).toBe(1);
  revisions.set('first', 6).set('later', 1);
  await later.get();
  expect(loads()).toBe(2);
  // The first one ends, and a change comes at the same time.
  revisions.delete('first');
  revisions.set('later', 7);
  await later.get();
  expect(loads()).toBe(3);
});

it('another run of a stream has a timeline of its own', async () => {
  const { of } = agent();
  await of('stream 1', 'replica').get();
  expect(await of('stream 2', 'other').get()).toBe('stream 2, load 2');
});
