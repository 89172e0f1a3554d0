// Copies of lists on the air: a user who changes a long list each second makes few of them, and a short list rests not.
import { expect, test } from 'vitest';
import { nextCopySeconds } from '../../../lambda/domain/playout/list-copies.ts';
import { boundaryAfter } from '../../../lambda/domain/playout/play-out.ts';
import type { TimelineEntry } from '../../../lambda/domain/playout/play-out.ts';
import { bounds } from '../../../lambda/domain/shared/bounds.ts';

const rate = 30;

function entryOf(number: number, offsetSeconds: number, nameLength: number, itemCount: number): TimelineEntry {
  const items = Array.from({ length: itemCount }, (_, index) => ({
    itemID: `itm_${index}`,
    uploadID: 'upl_1',
    objectKey: 'key',
    name: 'x'.repeat(nameLength),
    durationSeconds: 1,
    kind: 'video' as const,
    hasAudio: true,
  }));
  return { number, offsetSeconds, playlistID: 'ply_1', snapshot: { mode: 'sequential', seed: 1, items } };
}

/** The copies of a list whose user changes it each second for three minutes, always at the next end of an item. */
function copies(nameLength: number, itemCount: number): TimelineEntry[] {
  let timeline = [entryOf(0, 0, nameLength, itemCount)];
  for (let second = 0; second < 180; second++) {
    const from = nextCopySeconds(timeline, second + 10);
    const offsetSeconds = boundaryAfter(timeline, Math.ceil(from * rate), rate) / rate;
    timeline = timeline.filter((entry) => entry.number === 0 || entry.offsetSeconds < offsetSeconds);
    timeline.push(entryOf(timeline.at(-1)!.number + 1, offsetSeconds, nameLength, itemCount));
  }
  return timeline;
}

test('a list of 1,000 items with long names is copied a few times a minute', () => {
  const timeline = copies(2000, 1000);
  const bytes = JSON.stringify(timeline[0]!.snapshot).length;
  for (let second = 0; second < 180; second++) {
    const within = timeline.filter(({ offsetSeconds }) => offsetSeconds >= second && offsetSeconds < second + 60);
    expect(within.length * bytes).toBeLessThanOrEqual(bounds.copiedListBytesPerMinute + 2 * bytes);
  }
  expect(timeline.length).toBeGreaterThan(180 / 60);
});

test('a list of forty items is changed at the end of each item', () => {
  expect(copies(40, 40)).toHaveLength(181);
});
