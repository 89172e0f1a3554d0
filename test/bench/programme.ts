// The cost of planning: 60 days of a programme over 10,000 files, against a plain shuffle of the same files.
import { blockTimesOf } from '../../lambda/domain/programme/block-times.ts';
import { collectionOrders } from '../../lambda/domain/media/collections.ts';
import type { CollectionOrder } from '../../lambda/domain/media/collections.ts';
import type { PlannableCollection } from '../../lambda/domain/programme/plannable.ts';
import { stateOfBeginning } from '../../lambda/domain/programme/planned-row.ts';
import { planInParts } from '../../lambda/domain/programme/planner.ts';
import { Heard } from '../../lambda/domain/programme/separation.ts';
import { occurrencesFrom } from '../../lambda/domain/playout/play-out.ts';
import type { TimelineItem } from '../../lambda/domain/playout/play-out.ts';
import {
  at,
  block,
  collection,
  days,
  grid,
  insert,
  items,
  midnight,
  rules,
  step,
} from '../domain/programme/programmes.ts';

const dayCount = 60;
const fileCount = 10_000;
const untilFrame = dayCount * 86_400 * grid.framesPerSecond;

const drawing = (collectionID: string, weight = 1) => step(collectionID, { weight, from: { collectionID } });
const apart = { tagPrefix: null, items: 0 };

/** A music channel: three weights, news each day, a show thrice a week, jingles, sponsors by the clock, distances. */
const programme = rules({
  blocks: [
    block('day', { steps: [drawing('music', 60), drawing('old', 30), drawing('new', 10)] }),
    block('news', { hours: at('06:00', 60), starts: 'hard', ends: 'fill', steps: [drawing('new')] }),
    block('show', { hours: at('20:00', 120, 'FREQ=WEEKLY;BYDAY=MO,WE,FR'), starts: 'hard', steps: [drawing('old')] }),
  ],
  inserts: [
    insert('jingle', { when: { everyItems: 3 }, mostPerHour: 12 }),
    insert('sponsor', { when: { atMinutes: [0, 20, 40] }, from: { collectionID: 'jingle' }, perBreak: 2 }),
  ],
  separation: [
    { ...apart, by: 'upload', minutes: 240, strength: 'must' },
    { ...apart, by: 'artist', items: 3, minutes: 60, strength: 'must' },
    { ...apart, by: 'title', minutes: 120, strength: 'should' },
  ],
  filler: { from: { collectionID: 'filler' } },
});

const music = items('song', fileCount - 1000, (index) => 150 + ((index * 37) % 180)).map((song, index) => ({
  ...song,
  titles: { artist: `Artist ${index % 700}`, title: `Title ${index % 5000}` },
  folder: `Folder ${index % 900}`,
  createdAtMs: midnight - index * 1000,
}));

function collectionsIn(order: CollectionOrder): ReadonlyMap<string, PlannableCollection> {
  const all = {
    music: collection(music, order),
    old: collection(items('old', 900, (index) => 200 + (index % 60))),
    new: collection(
      items('new', 100, (index) => 90 + index),
      'newest',
    ),
    jingle: collection(
      items('jingle', 10, () => 8),
      'sequential',
    ),
    filler: collection(items('filler', 60, (index) => 5 + index * 2)),
  };
  return new Map(Object.entries(all).map(([id, each]) => [`collection/${id}`, each]));
}

/** @returns seconds of a core, the least of three */
function leastSeconds(work: () => void): number {
  const times = Array.from({ length: 3 }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  });
  return Math.min(...times);
}

export async function programmeBench(): Promise<void> {
  const plain = plainSeconds();
  console.log(`a plain shuffle of ${fileCount} files for ${dayCount} days: ${plain.toFixed(2)} s of a core`);
  const blockTimes = await blockTimesOf(programme, { fromMs: midnight, untilMs: midnight + days(dayCount + 2) });
  for (const order of collectionOrders) {
    const collections = collectionsIn(order);
    const beginning = {
      queue: [],
      heard: new Heard(programme.separation),
      state: stateOfBeginning(),
      grid,
      fromFrame: 0,
      untilFrame,
    };
    let [rowCount, longestMs, stateBytes] = [0, 0, 0];
    const seconds = leastSeconds(() => {
      [rowCount, longestMs] = [0, 0];
      let begunMs = performance.now();
      for (const { rows, state } of planInParts(
        { rules: programme, blockTimes, collections, ...beginning },
        (count) => count >= 300,
      )) {
        longestMs = Math.max(longestMs, performance.now() - begunMs);
        rowCount += rows.length;
        stateBytes = JSON.stringify(state).length;
        begunMs = performance.now();
      }
    });
    console.log(
      `${order.padEnd(10)} ${seconds.toFixed(2)} s, ${(seconds / plain).toFixed(1)} times the plain shuffle; ` +
        `${rowCount} rows, 300 rows in at most ${longestMs.toFixed(0)} ms, ${stateBytes} bytes of state`,
    );
  }
}

/** The play-out of a shuffled playlist over the same time. */
function plainSeconds(): number {
  const listed = music.map(({ uploadID, name, durationSeconds }): TimelineItem => {
    return { itemID: uploadID, uploadID, name, durationSeconds, objectKey: uploadID, kind: 'video', hasAudio: true };
  });
  const snapshot = { mode: 'shuffle', seed: 1, isSpread: true, items: listed } as const;
  const timeline = [{ number: 0, offsetSeconds: 0, playlistID: null, snapshot }];
  return leastSeconds(() => {
    for (const { startFrame } of occurrencesFrom(timeline, 0, grid.framesPerSecond))
      if (startFrame >= untilFrame) break;
  });
}
