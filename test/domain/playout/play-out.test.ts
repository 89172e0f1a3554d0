// Play-out: output follows from timeline and time alone, without gap, overlap or drift, wherever it is computed.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { orderOfLap } from '../../../lambda/domain/playout/lap-order.ts';
import {
  boundaryAfter,
  cutsItems,
  frameCountOf,
  isCutOff,
  occurrenceAt,
  occurrencesFrom as everyOccurrence,
} from '../../../lambda/domain/playout/play-out.ts';
import type {
  ItemOccurrence,
  TimelineEntry,
  TimelineItem,
  TimelineSnapshot,
} from '../../../lambda/domain/playout/play-out.ts';
import { framesPerSecond } from '../../../lambda/domain/shared/video-format.ts';

function item(itemID: string, durationSeconds: number): TimelineItem {
  return {
    itemID,
    uploadID: `upload-${itemID}`,
    name: itemID,
    objectKey: `uploads/${itemID}`,
    kind: 'video',
    durationSeconds,
    hasAudio: true,
  };
}

function snapshotOf(mode: TimelineSnapshot['mode'], seed: number, ...durations: number[]): TimelineSnapshot {
  return {
    mode,
    seed,
    items: durations.map((durationSeconds, place) => item(String.fromCodePoint(97 + place), durationSeconds)),
  };
}

function begin(snapshot: TimelineSnapshot): TimelineEntry[] {
  return [{ number: 0, offsetSeconds: 0, playlistID: 'ply_0', snapshot }];
}

/**
 * The timeline after a draft was published at `frame`: its entry begins at the next boundary of items, and replaces all
 * entries that have not begun by then.
 */
function publish(
  timeline: readonly TimelineEntry[],
  frame: number,
  snapshot: TimelineSnapshot,
  fps: number,
): TimelineEntry[] {
  const offsetSeconds = boundaryAfter(timeline, frame, fps) / fps;
  const kept = timeline.filter((entry) => entry.number === 0 || entry.offsetSeconds < offsetSeconds);
  const number = kept.at(-1)!.number + 1;
  return [...kept, { number, offsetSeconds, playlistID: `ply_${number}`, snapshot }];
}

/** Occurrences from `frame` on, each requested at the end of the previous one. */
function* occurrencesFrom(
  timeline: readonly TimelineEntry[],
  frame: number,
  fps: number,
): Generator<ItemOccurrence, never> {
  for (let at = frame; ;) {
    const occurrence = occurrenceAt(timeline, at, fps);
    yield occurrence;
    at = occurrence.startFrame + occurrence.frameCount;
  }
}

const anyFps = fc.constantFrom(...Object.values(framesPerSecond));
const anyDuration = fc.oneof(
  fc.double({ min: 0.001, max: 90, noNaN: true }),
  fc.constantFrom(0.04, 1, 1 / 3, 10, 29.97),
);
const anySnapshot = fc
  .record({
    mode: fc.constantFrom('sequential' as const, 'shuffle' as const),
    seed: fc.nat(2 ** 31 - 1),
    durations: fc.array(anyDuration, { minLength: 1, maxLength: 8 }),
  })
  .map(({ mode, seed, durations }) => snapshotOf(mode, seed, ...durations));
const anyShuffle = fc
  .record({ seed: fc.nat(2 ** 31 - 1), durations: fc.array(fc.constant(1), { minLength: 1, maxLength: 12 }) })
  .map(({ seed, durations }) => snapshotOf('shuffle', seed, ...durations));

/** Runs with up to four published drafts, each known some frames later than the previous one. */
const anyRun = fc
  .record({
    fps: anyFps,
    first: anySnapshot,
    publishes: fc.array(fc.record({ snapshot: anySnapshot, framesLater: fc.nat(20_000) }), { maxLength: 4 }),
  })
  .map(({ fps, first, publishes }) => {
    let timeline = begin(first);
    let frame = 0;
    for (const { snapshot, framesLater } of publishes) {
      frame += framesLater;
      timeline = publish(timeline, frame, snapshot, fps);
    }
    return { fps, timeline, lastPublishFrame: frame };
  });

describe('occurrences', () => {
  test('tile the frames without gap or overlap, over laps and entries', () => {
    fc.assert(
      fc.property(anyRun, ({ fps, timeline, lastPublishFrame }) => {
        let expectedStart = 0;
        let beyond = 0;
        for (const { startFrame, frameCount, item: played } of occurrencesFrom(timeline, 0, fps)) {
          expect(startFrame).toBe(expectedStart);
          expect(frameCount).toBe(frameCountOf(played, fps));
          expectedStart = startFrame + frameCount;
          if (startFrame > lastPublishFrame && ++beyond > 20) break;
        }
      }),
    );
  });

  test('end where the next entry begins, and without a join if that cuts them off', () => {
    fc.assert(
      fc.property(
        anySnapshot,
        anySnapshot,
        anyFps,
        fc.integer({ min: 1, max: 20_000 }),
        (first, second, fps, frame) => {
          const joined = first.items.map((each) => ({ ...each, join: { kind: 'fade', seconds: 0.5 } as const }));
          const timeline = [
            ...begin({ ...first, items: joined }),
            { number: 1, offsetSeconds: frame / fps, playlistID: 'ply_1', snapshot: second },
          ];
          const last = occurrenceAt(timeline, frame - 1, fps);
          expect(last.startFrame + last.frameCount).toBe(frame);
          expect(last.item.join === undefined).toBe(isCutOff(last, fps));
          expect(isCutOff(last, fps)).toBe(cutsItems(timeline, fps));
          expect(occurrenceAt(timeline, frame, fps)).toMatchObject({ entryNumber: 1, lap: 0, startFrame: frame });
          expect([...everyOccurrence(timeline, 0, fps).take(40)]).toEqual([
            ...occurrencesFrom(timeline, 0, fps).take(40),
          ]);
        },
      ),
    );
  });

  test('are the same, whichever of their frames is asked for', () => {
    fc.assert(
      fc.property(anyRun, fc.nat(200_000), ({ fps, timeline }, frame) => {
        const occurrence = occurrenceAt(timeline, frame, fps);
        const { startFrame, frameCount } = occurrence;
        expect(startFrame).toBeLessThanOrEqual(frame);
        expect(startFrame + frameCount).toBeGreaterThan(frame);
        for (const other of [startFrame, startFrame + frameCount - 1])
          expect(occurrenceAt(timeline, other, fps)).toEqual(occurrence);
      }),
    );
  });

  test('are whole frames, and at least a second', () => {
    expect([0, 0.04, 1, 1.01, 10, 59.94].map((durationSeconds) => frameCountOf({ durationSeconds }, 30))).toEqual([
      30, 30, 30, 30, 300, 1798,
    ]);
  });

  test('cannot be had from a timeline without items', () => {
    expect(() => occurrenceAt([], 0, 30)).toThrow(RangeError);
    expect(() => occurrenceAt(begin(snapshotOf('sequential', 0)), 0, 30)).toThrow(RangeError);
  });
});

describe('a lap', () => {
  test('in sequence plays the items as they are listed', () => {
    const snapshot = snapshotOf('sequential', 7, 1, 2, 3);
    for (const lap of [0, 1, 1_000_000]) expect(orderOfLap(snapshot, lap)).toEqual(snapshot.items);
  });

  test('in shuffle plays each item once', () => {
    fc.assert(
      fc.property(anyShuffle, fc.nat(10_000_000), (snapshot, lap) => {
        expect(
          orderOfLap(snapshot, lap)
            .map(({ itemID }) => itemID)
            .sort(),
        ).toEqual(snapshot.items.map(({ itemID }) => itemID).sort());
      }),
    );
  });

  test('in shuffle does not begin with what ended the lap before, if there are more than two items', () => {
    fc.assert(
      fc.property(anyShuffle, fc.nat(10_000_000), (snapshot, firstLap) => {
        fc.pre(snapshot.items.length > 2);
        for (let lap = firstLap; lap < firstLap + 20; lap++) {
          expect(orderOfLap(snapshot, lap + 1)[0]!.itemID).not.toBe(orderOfLap(snapshot, lap).at(-1)!.itemID);
        }
      }),
    );
  });

  test('in shuffle begins with every item about as often as with any other', () => {
    const snapshot = snapshotOf('shuffle', 2024, 1, 1, 1, 1, 1);
    const laps = Array.from({ length: 5000 }, (_, lap) => orderOfLap(snapshot, lap)[0]!.itemID);
    const counts = Object.values(Object.groupBy(laps, (itemID) => itemID)).map((group) => group!.length);
    expect(counts).toHaveLength(5);
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });

  test('in shuffle has the same order in every release, as agents of two releases carry one stream', () => {
    const idsOf = (items: readonly TimelineItem[]) => items.map(({ itemID }) => itemID).join('');
    const orders = (seed: number) =>
      [0, 1, 2, 3, 86_400].map((lap) => idsOf(orderOfLap(snapshotOf('shuffle', seed, 1, 1, 1, 1, 1, 1), lap)));
    expect(orders(1)).toEqual(['bfcead', 'cefabd', 'bfaedc', 'fceabd', 'cfeabd']);
    expect(orders(2 ** 31 - 1)).toEqual(['cfdaeb', 'ebcdfa', 'cedfab', 'aecbdf', 'abcdef']);
  });
});

describe('a new entry', () => {
  test('takes over exactly at its offset, with the first item of its first lap', () => {
    fc.assert(
      fc.property(anyRun, anySnapshot, fc.nat(20_000), ({ fps, timeline, lastPublishFrame }, snapshot, framesLater) => {
        const frame = lastPublishFrame + framesLater;
        const boundary = boundaryAfter(timeline, frame, fps);
        const after = publish(timeline, frame, snapshot, fps);
        const { number } = after.at(-1)!;
        expect(occurrenceAt(after, boundary, fps)).toEqual({
          item: orderOfLap(snapshot, 0)[0],
          entryNumber: number,
          playlistID: `ply_${number}`,
          lap: 0,
          startFrame: boundary,
          frameCount: expect.any(Number),
        });
        if (boundary === 0) return;
        const before = occurrenceAt(after, boundary - 1, fps);
        expect(before).toEqual(occurrenceAt(timeline, boundary - 1, fps));
        expect([before.entryNumber < number, before.startFrame + before.frameCount]).toEqual([true, boundary]);
      }),
    );
  });

  test('is replaced by the next one that is published before it has begun', () => {
    const [old, newer, newest] = [
      snapshotOf('sequential', 1, 20),
      snapshotOf('sequential', 2, 5),
      snapshotOf('sequential', 3, 7),
    ];
    const timeline = publish(publish(begin(old), 100, newer, 30), 200, newest, 30);
    expect(timeline.map(({ snapshot }) => snapshot)).toEqual([old, newest]);
    expect(
      [...occurrencesFrom(timeline, 0, 30).take(3)].map(({ startFrame, frameCount }) => [startFrame, frameCount]),
    ).toEqual([
      [0, 600],
      [600, 210],
      [810, 210],
    ]);
  });
});

describe('boundaryAfter', () => {
  test('is the first start of an occurrence at or after the frame', () => {
    fc.assert(
      fc.property(anyRun, fc.nat(200_000), ({ fps, timeline }, frame) => {
        const boundary = boundaryAfter(timeline, frame, fps);
        const { startFrame } = occurrenceAt(timeline, frame, fps);
        expect(boundary).toBeGreaterThanOrEqual(frame);
        expect(occurrenceAt(timeline, boundary, fps).startFrame).toBe(boundary);
        expect(boundaryAfter(timeline, boundary, fps)).toBe(boundary);
        if (boundary > frame)
          expect([startFrame < frame, occurrenceAt(timeline, boundary - 1, fps).startFrame]).toEqual([
            true,
            startFrame,
          ]);
      }),
    );
  });
});

describe('a run of 60 days', () => {
  const days = 60;

  test.for(Object.values(framesPerSecond))('is exact to the frame at %i frames per second', (fps) => {
    const counted = { occurrences: 0, seamsOff: 0, frames: 0 };
    const timeline = begin(snapshotOf('shuffle', 4711, 61.7, 1 / 3, 182.04, 29.97, 240.5));
    const lastFrame = days * 86_400 * fps;
    for (const { startFrame, frameCount } of occurrencesFrom(timeline, 0, fps)) {
      if (startFrame >= lastFrame) break;
      counted.seamsOff += startFrame === counted.frames ? 0 : 1;
      counted.frames += frameCount;
      counted.occurrences++;
    }
    const lapFrames = timeline[0]!.snapshot.items.reduce(
      (sum, { durationSeconds }) => sum + frameCountOf({ durationSeconds }, fps),
      0,
    );
    expect(counted.seamsOff).toBe(0);
    expect(Math.floor(counted.occurrences / 5)).toBe(Math.floor(counted.frames / lapFrames));
  });

  test('with a publish an hour takes over on the frame every time, though offsets are kept in seconds', () => {
    const fps = 30;
    let timeline = begin(snapshotOf('sequential', 0, 61.7, 29.97));
    for (let hour = 1; hour <= days * 24; hour++) {
      const frame = hour * 3600 * fps;
      const boundary = boundaryAfter(timeline, frame, fps);
      timeline = publish(timeline, frame, snapshotOf('shuffle', hour, 61.7, 1 / 3, 29.97), fps);
      expect(occurrenceAt(timeline, boundary, fps)).toMatchObject({ startFrame: boundary, entryNumber: hour, lap: 0 });
    }
  });
});

test('any agent that reads the timeline computes the same occurrences, in whatever order it asks', () => {
  fc.assert(
    fc.property(anyRun, fc.array(fc.nat(10_000_000), { minLength: 1, maxLength: 10 }), ({ fps, timeline }, frames) => {
      const ours = frames.map((frame) => occurrenceAt(timeline, frame, fps));
      const asStored = JSON.parse(JSON.stringify(timeline)) as TimelineEntry[];
      expect(
        frames
          .toReversed()
          .map((frame) => occurrenceAt(asStored, frame, fps))
          .toReversed(),
      ).toEqual(ours);
    }),
  );
});
