// Plans of takeovers: changes at keyframes, never before agents know of them, with the wanted delay, and no hole.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { intervalAt, nextIntervalStart, sessionStartFrame } from '../../../lambda/domain/live/takeover-intervals.ts';
import {
  handBackFrame,
  keyframeFrom,
  keyframeUntil,
  returnFrame,
  takeoverAheadSeconds,
  takeoverStart,
} from '../../../lambda/domain/live/takeover-plan.ts';
import type { PlannedRun } from '../../../lambda/domain/live/takeover-plan.ts';
import { effectiveAheadSeconds, fromOrigin, occurrenceAt } from '../../../lambda/domain/playout/play-out.ts';
import type { TimelineEntry } from '../../../lambda/domain/playout/play-out.ts';
import { gopSeconds } from '../../../lambda/domain/playout/rendition.ts';
import { framerates, framesPerSecond } from '../../../lambda/domain/shared/video-format.ts';

const anchoredAt = new Date('2030-01-31T18:00:00.000Z');
const after = (seconds: number) => new Date(anchoredAt.getTime() + Math.round(seconds * 1000));
const secondsOf = (at: Date) => (at.getTime() - anchoredAt.getTime()) / 1000;
/** Times have whole milliseconds. */
const rounding = 0.001;

function entryOf(number: number, offsetSeconds: number, durations: readonly number[]): TimelineEntry {
  const items = durations.map((durationSeconds, place) => ({
    itemID: `${number}.${place}`,
    uploadID: `upl_${place}`,
    name: 'clip',
    objectKey: 'uploads/clip',
    kind: 'video' as const,
    durationSeconds,
    hasAudio: true,
  }));
  return { number, offsetSeconds, playlistID: 'ply', snapshot: { mode: 'sequential', seed: number, items } };
}

const anyItems = fc.array(fc.double({ min: 0.5, max: 40, noNaN: true }), { minLength: 1, maxLength: 5 });
/** Runs of up to three entries, and each may cut an item off. */
const anyRun = fc
  .record({
    rate: fc.constantFrom(...framerates),
    lists: fc.array(fc.record({ items: anyItems, frames: fc.integer({ min: 1, max: 9000 }) }), {
      minLength: 1,
      maxLength: 3,
    }),
  })
  .map(({ rate, lists }): PlannedRun => {
    const fps = framesPerSecond[rate];
    let frame = 0;
    const timeline = lists.map(({ items, frames }, number) => {
      if (number > 0) frame += frames;
      return entryOf(number, frame / fps, items);
    });
    return { anchoredAt, framesPerSecond: fps, timeline };
  });
const anySecond = fc.double({ min: 0, max: 3600, noNaN: true });
const anyDelay = fc.integer({ min: 8, max: 30 });
/** A session whose first picture came up to an hour ago, or just now. */
const anyWait = fc.double({ min: 0, max: 60, noNaN: true });
const anyAge = fc.oneof(fc.double({ min: 0, max: 20, noNaN: true }), anySecond);

function isKeyframe({ timeline, framesPerSecond: fps }: PlannedRun, frame: number): boolean {
  const { startFrame } = fromOrigin(occurrenceAt(timeline, frame, fps));
  return (frame - startFrame) % (gopSeconds * fps) === 0;
}

const begun = (run: PlannedRun, second: number, age: number, delaySeconds: number) =>
  takeoverStart(run, { id: 'liv', firstPictureAt: after(second - age) }, { now: after(second), delaySeconds });

describe('the beginning of a takeover', () => {
  it('is a keyframe, as soon as agents know of it and the first picture is old enough', () => {
    fc.assert(
      fc.property(anyRun, anySecond, anyAge, anyDelay, (run, second, age, delaySeconds) => {
        const { fromFrame, toFrame, firstSegment } = begun(run, second, age, delaySeconds);
        const beginsAt = fromFrame / run.framesPerSecond;
        const earliest = Math.max(second + takeoverAheadSeconds, second - age + delaySeconds);
        expect(isKeyframe(run, fromFrame)).toBe(true);
        expect(toFrame).toBeNull();
        expect(firstSegment).toBeGreaterThanOrEqual(0);
        expect(beginsAt).toBeGreaterThanOrEqual(earliest - rounding);
        expect(beginsAt).toBeLessThan(earliest + gopSeconds + 1 / run.framesPerSecond + rounding);
      }),
    );
  });

  it('has the wanted delay, or less than a segment more', () => {
    fc.assert(
      fc.property(anyRun, anySecond, anyAge, anyDelay, (run, second, age, delaySeconds) => {
        const { fromFrame, firstSegment } = begun(run, second, age, delaySeconds);
        const arrivedAt = secondsOf(after(second - age)) + firstSegment * gopSeconds;
        const delay = fromFrame / run.framesPerSecond - arrivedAt;
        expect(delay).toBeGreaterThanOrEqual(delaySeconds - rounding);
        // A session that is younger than its delay begins with its first picture, at the next keyframe.
        expect(delay).toBeLessThan(delaySeconds + gopSeconds + 1 / run.framesPerSecond + rounding);
        if (firstSegment > 0) expect(delay).toBeLessThan(delaySeconds + gopSeconds + rounding);
      }),
    );
  });
});

describe('the return to the timeline', () => {
  it('after a loss is the last keyframe within the whole segments, so that no picture is missing', () => {
    fc.assert(
      fc.property(anyRun, anySecond, anyAge, anyDelay, fc.nat(2000), (run, second, age, delaySeconds, more) => {
        const interval = begun(run, second, age, delaySeconds);
        const segmentCount = Math.floor(age / gopSeconds) + more;
        const gopFrames = gopSeconds * run.framesPerSecond;
        const end = sessionStartFrame(interval, gopFrames) + segmentCount * gopFrames;
        const toFrame = returnFrame(run, interval, segmentCount);
        expect(toFrame).toBeGreaterThanOrEqual(interval.fromFrame);
        expect(toFrame).toBeLessThanOrEqual(Math.max(interval.fromFrame, end));
        expect(isKeyframe(run, toFrame)).toBe(true);
        // No later keyframe lies within the segments.
        if (end > interval.fromFrame)
          expect(keyframeFrom(run.timeline, toFrame + 1, run.framesPerSecond)).toBeGreaterThan(end);
      }),
    );
  });

  it('shows nothing of a session whose segments end before its beginning', () => {
    const run = { anchoredAt, framesPerSecond: 30, timeline: [entryOf(0, 0, [20])] };
    expect(returnFrame(run, { fromFrame: 1200, firstSegment: 10 }, 10)).toBe(1200);
    expect(returnFrame(run, { fromFrame: 1200, firstSegment: 10 }, 9)).toBe(1200);
    expect(returnFrame(run, { fromFrame: 1200, firstSegment: 10 }, 11)).toBe(1260);
  });

  it('by request is a keyframe that agents know of, and never before the beginning', () => {
    fc.assert(
      fc.property(anyRun, anySecond, anyAge, anyWait, anyWait, (run, second, age, wait, later) => {
        const interval = begun(run, second, age, 10);
        const now = after(second + wait);
        const frame = handBackFrame(run, interval, { now, notBefore: after(second + wait + later) });
        const known = second + wait + Math.max(later, effectiveAheadSeconds);
        const earliest = Math.max(interval.fromFrame / run.framesPerSecond, known);
        expect(isKeyframe(run, frame)).toBe(true);
        expect(frame / run.framesPerSecond).toBeGreaterThanOrEqual(earliest - rounding);
        expect(frame / run.framesPerSecond).toBeLessThan(earliest + gopSeconds + 1 / run.framesPerSecond + rounding);
      }),
    );
  });
});

describe('keyframes of a timeline', () => {
  it('are those at or after a frame, and at or before it', () => {
    fc.assert(
      fc.property(anyRun, fc.nat(100_000), (run, frame) => {
        const next = keyframeFrom(run.timeline, frame, run.framesPerSecond);
        const last = keyframeUntil(run.timeline, frame, run.framesPerSecond);
        expect([last <= frame, frame <= next]).toEqual([true, true]);
        expect([isKeyframe(run, last), isKeyframe(run, next)]).toEqual([true, true]);
        if (isKeyframe(run, frame)) expect([last, next]).toEqual([frame, frame]);
      }),
    );
  });
});

describe('intervals', () => {
  const shown = (fromFrame: number, toFrame: number | null) => ({
    sessionID: 'liv',
    fromFrame,
    toFrame,
    firstSegment: 0,
  });
  const intervals = [shown(100, 200), shown(300, 300), shown(400, null)];

  it.each([
    [99, null],
    [100, 100],
    [199, 100],
    [200, null],
    [300, null],
    [400, 400],
    [1_000_000, 400],
  ])('at frame %i: %j', (frame, fromFrame) => {
    expect(intervalAt(intervals, frame)?.fromFrame ?? null).toBe(fromFrame);
  });

  it.each([
    [0, 100],
    [100, 400],
    [250, 400],
    [400, Infinity],
  ])('after frame %i the next one begins at %j, without those that show nothing', (frame, expected) => {
    expect(nextIntervalStart(intervals, frame)).toBe(expected);
  });
});
