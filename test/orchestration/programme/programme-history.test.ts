// Histories of programmes: a week of short items is read in turns, and needs no memory for its rows.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { Database } from '../../../lambda/data/database.ts';
import type { Stream } from '../../../lambda/data/streams/streams.ts';
import type { TimelineItem, TimelineSnapshot } from '../../../lambda/domain/playout/play-out.ts';
import type { PlannableItem } from '../../../lambda/domain/programme/plannable.ts';
import type { SeparationRule } from '../../../lambda/domain/programme/programme-rules.ts';
import { withPlanningBudget } from '../../../lambda/orchestration/programme/planning-turns.ts';
import { loadHistory } from '../../../lambda/orchestration/programme/programme-history.ts';
import { block, days, item, midnight, rules } from '../../domain/programme/programmes.ts';

const untilMs = midnight + days(7);
const rareSeconds = 60;

const timelineItem = (uploadID: string, durationSeconds: number, artist: string): TimelineItem => ({
  itemID: uploadID,
  uploadID,
  name: uploadID,
  titles: { title: '', artist, album: '' },
  objectKey: uploadID,
  kind: 'video',
  durationSeconds,
  hasAudio: true,
});

const listOf = (items: TimelineItem[]): TimelineSnapshot => ({ mode: 'sequential', seed: 1, items });

/** A week on the air: an item of a minute, and then items of a second from a list of a thousand. */
const entries = [
  { number: 1, offsetSeconds: 0, playlistID: null, snapshot: listOf([timelineItem('rare', rareSeconds, 'Rare')]) },
  {
    number: 2,
    offsetSeconds: rareSeconds,
    playlistID: null,
    snapshot: listOf(Array.from({ length: 1000 }, (_, index) => timelineItem(`short${index}`, 1, `Artist ${index}`))),
  },
];

const data = {
  programmes: { stateAt: async () => null },
  runs: { between: async () => [] },
  timelines: { partOf: async () => ({ timelines: { video: entries, audio: [] }, untilSeconds: Infinity }) },
} as unknown as Database;

const separation: SeparationRule[] = [
  { by: 'artist', tagPrefix: null, items: 0, minutes: 7 * 24 * 60, strength: 'must' },
  { by: 'artist', tagPrefix: null, items: 500, minutes: 0, strength: 'must' },
];

const stream = {
  id: 'stream',
  state: 'active',
  anchored_at: new Date(midnight),
  run_framerate: 'f_25',
  stopped_at: null,
};

const historyOf = (from: Database) =>
  loadHistory(from, {
    stream: stream as unknown as Stream,
    programme: { id: 'programme', kind: 'video', planned_until: null },
    rules: rules({ blocks: [block('music')], separation }),
    untilMs,
    cutMs: untilMs,
    memberOf: () => undefined,
  });

const by = (artist: string): PlannableItem => item('other', 60, { titles: { title: '', artist, album: '' } });

function collectGarbage(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

test('a week of short items keeps the distance to its first one, and is read with little memory', async () => {
  const before = collectGarbage();
  let [turns, mostBytes] = [0, 0];
  const measure = () => {
    if (turns++ % 20 === 0) mostBytes = Math.max(mostBytes, collectGarbage() - before);
  };
  const budget = { use: () => {}, useDatabase: () => {}, assertMayContinue: async () => measure() };
  const { heard, endMs } = await historyOf(withPlanningBudget(data, budget));
  mostBytes = Math.max(mostBytes, collectGarbage() - before);
  expect(endMs).toBe(untilMs);
  expect(heard.brokenBy(by('Rare'), untilMs)).toEqual([0]);
  expect(heard.brokenBy(by('Rare'), untilMs + rareSeconds * 1000)).toEqual([]);
  // The last row is that of artist 739 for the 605th time.
  expect(heard.brokenBy(by('Artist 739'), untilMs + days(7))).toEqual([1]);
  expect(heard.brokenBy(by('Artist 740'), untilMs + days(7))).toEqual([]);
  expect(mostBytes).toBeLessThan(4 * 1024 * 1024);
});

test('other work of the process runs while a long history is read', async () => {
  let [turnsOfOthers, isReading] = [0, true];
  const again = () => {
    turnsOfOthers++;
    if (isReading) setImmediate(again);
  };
  setImmediate(again);
  await historyOf(data);
  isReading = false;
  expect(turnsOfOthers).toBeGreaterThan(100);
});

test('the reading of a history counts for its call, and ends with it', async () => {
  let [turns, usedMs] = [0, 0];
  const use = (ms: number) => void (usedMs += ms);
  const assertMayContinue = async () => {
    if (++turns === 10) throw new Error('over');
  };
  await expect(historyOf(withPlanningBudget(data, { use, useDatabase: use, assertMayContinue }))).rejects.toThrow(
    'over',
  );
  expect(usedMs).toBeGreaterThan(0);
});
