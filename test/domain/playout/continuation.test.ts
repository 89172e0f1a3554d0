// Lists that change on air: they continue after the present item, and every item is heard in its lap.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { following, seedAfter } from '../../../lambda/domain/playout/continuation.ts';
import type { Continuation } from '../../../lambda/domain/playout/continuation.ts';
import { lateItems, orderOfLap } from '../../../lambda/domain/playout/lap-order.ts';
import { boundaryAfter, occurrencesFrom } from '../../../lambda/domain/playout/play-out.ts';
import type { PlaylistMode, TimelineEntry, TimelineItem } from '../../../lambda/domain/playout/play-out.ts';

const fps = 30;
const aheadFrames = 10 * fps;

function itemsOf(...ids: string[]): TimelineItem[] {
  return ids.map((itemID, place) => ({
    itemID,
    uploadID: `upload-${itemID}`,
    name: itemID,
    objectKey: `uploads/${itemID}`,
    kind: 'video',
    durationSeconds: 60 + ((place * 7) % 40),
    hasAudio: true,
  }));
}

const snapshotOf = (mode: PlaylistMode, items: readonly TimelineItem[], seed = 7) => {
  return { mode, seed, items, ...(mode === 'shuffle' && { isSpread: true as const }) };
};

const begun = (mode: PlaylistMode, items: readonly TimelineItem[], seed = 7): TimelineEntry[] => [
  { number: 0, offsetSeconds: 0, playlistID: 'ply', snapshot: snapshotOf(mode, items, seed) },
];

interface Change {
  readonly mode?: PlaylistMode;
  readonly from?: Continuation;
}

/** The timeline after these items were published at a frame. */
function published(
  timeline: readonly TimelineEntry[],
  atFrame: number,
  items: readonly TimelineItem[],
  { mode = timeline.at(-1)!.snapshot.mode, from = 'continue' }: Change = {},
): TimelineEntry[] {
  const frame = boundaryAfter(timeline, atFrame + aheadFrames, fps);
  const next = snapshotOf(mode, items, seedAfter(timeline.at(-1)!.snapshot.seed));
  const snapshot = following(timeline, frame, fps, next, from);
  const kept = timeline.filter(({ number, offsetSeconds }) => number === 0 || offsetSeconds * fps < frame);
  const number = kept.at(-1)!.number + 1;
  return [...kept, { number, offsetSeconds: frame / fps, playlistID: 'ply', snapshot }];
}

const heard = (timeline: readonly TimelineEntry[], frame: number, count: number) =>
  [...occurrencesFrom(timeline, frame, fps).take(count)].map(({ item }) => item.itemID);
const ids = (count: number) => Array.from({ length: count }, (_, index) => `i${index}`);
const atSeconds = (seconds: number) => seconds * fps;

describe('a list in sequence', () => {
  const thirty = itemsOf(...ids(30));
  const elevenPlays = atSeconds(thirty.slice(0, 11).reduce((sum, { durationSeconds }) => sum + durationSeconds, 0) + 1);

  test('goes on after the item that plays when one is added', () => {
    const timeline = published(begun('sequential', thirty), elevenPlays, itemsOf(...ids(31)));
    expect(heard(timeline, elevenPlays, 4)).toEqual(['i11', 'i12', 'i13', 'i14']);
    expect(heard(timeline, elevenPlays, 22).slice(-3)).toEqual(['i30', 'i0', 'i1']);
  });

  test('goes on with the next item that is still listed when the one that plays is taken out', () => {
    const left = thirty.filter(({ itemID }) => !['i11', 'i12'].includes(itemID));
    expect(heard(published(begun('sequential', thirty), elevenPlays, left), elevenPlays, 3)).toEqual([
      'i11',
      'i13',
      'i14',
    ]);
  });

  test('plays what was put after the item that plays', () => {
    const moved = [...thirty.slice(0, 12), ...itemsOf('new'), ...thirty.slice(12)];
    expect(heard(published(begun('sequential', thirty), elevenPlays, moved), elevenPlays, 3)).toEqual([
      'i11',
      'new',
      'i12',
    ]);
  });

  test('begins with its first item where that is asked for, or where nothing of the list before is left', () => {
    for (const [items, from] of [
      [thirty, 'first'],
      [itemsOf('a', 'b'), 'continue'],
    ] as const) {
      const timeline = published(begun('sequential', thirty), elevenPlays, items, { from });
      expect(heard(timeline, elevenPlays, 2)).toEqual(['i11', items[0]!.itemID]);
    }
  });

  test('plays every item within one lap, whatever is published 50 times in an hour', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3600), { minLength: 50, maxLength: 50 }), fc.nat(39), (times, place) => {
        let items = itemsOf(...ids(40));
        let timeline = begun('sequential', items);
        for (const [index, time] of times.toSorted((a, b) => a - b).entries()) {
          const known = items.map(({ itemID }) => itemID);
          // Every other publish adds an item somewhere, and the others change nothing.
          if (index % 2 === 0) items = itemsOf(...known.toSpliced((place * index) % known.length, 0, `new${index}`));
          timeline = published(timeline, atSeconds(time), items);
        }
        const order = heard(timeline, 0, items.length + 1);
        const firstRepeat = order.findIndex((id, index) => order.indexOf(id) < index);
        expect(order.slice(0, firstRepeat).filter((id) => id.startsWith('i'))).toEqual(ids(40));
      }),
      { numRuns: 30 },
    );
  });

  test('becomes a shuffle of what the lap has left', () => {
    const timeline = published(begun('sequential', thirty), elevenPlays, thirty, { mode: 'shuffle' });
    expect(heard(timeline, elevenPlays, 19).toSorted()).toEqual(ids(30).slice(11).toSorted());
  });
});

describe('a list in shuffle', () => {
  test('plays every item within one lap, whatever is published meanwhile', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 31 - 1), fc.array(fc.nat(3600), { maxLength: 50 }), (seed, times) => {
        let items = itemsOf(...ids(40));
        let timeline = begun('shuffle', items, seed);
        for (const [index, time] of times.toSorted((a, b) => a - b).entries()) {
          // Every other publish adds an item.
          if (index % 2 === 0) items = itemsOf(...items.map(({ itemID }) => itemID), `new${index}`);
          timeline = published(timeline, atSeconds(time), items);
        }
        const order = heard(timeline, 0, 2 * items.length);
        const firstRepeat = order.findIndex((id, index) => order.indexOf(id) < index);
        expect(order.slice(0, firstRepeat)).toEqual(expect.arrayContaining(ids(40)));
      }),
      { numRuns: 30 },
    );
  });

  test('has none of the last third of a lap in the first third of the next one, also over a publish', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 31 - 1), fc.integer({ min: 3, max: 60 }), fc.nat(10_000), (seed, count, at) => {
        const items = itemsOf(...ids(count));
        const timeline = published(begun('shuffle', items, seed), atSeconds(at), items);
        const order = heard(timeline, 0, 3 * count + Math.ceil(at / 60));
        for (let lap = 1; (lap + 1) * count <= order.length; lap++) {
          const [before, next] = [
            order.slice((lap - 1) * count, lap * count),
            order.slice(lap * count, (lap + 1) * count),
          ];
          const late = new Set(before.slice(-lateItems(count)));
          expect(next.slice(0, lateItems(count)).filter((id) => late.has(id))).toEqual([]);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('plays two items in turns', () => {
    const order = heard(begun('shuffle', itemsOf('a', 'b')), 0, 9);
    expect(order.filter((id, index) => id === order[index + 1])).toEqual([]);
  });

  test('that was published before laps were spread keeps its order', () => {
    const before = { mode: 'shuffle', seed: 5, items: itemsOf(...ids(9)) } as const;
    expect(
      [0, 1, 2].map((lap) =>
        orderOfLap(before, lap)
          .map(({ itemID }) => itemID.slice(1))
          .join(''),
      ),
    ).toEqual(['587620314', '283074651', '082173645']);
  });
});
