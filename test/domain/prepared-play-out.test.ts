// Prepared pictures and sound stay together and on their grids, for as long as a stream runs.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frameCountOf, occurrenceAt } from '../../lambda/domain/play-out.ts';
import type { TimelineItem } from '../../lambda/domain/play-out.ts';
import {
  firstSoundFrameFrom,
  pictureMs,
  pictureOffsetMs,
  pictureOfSoundFrame,
  playingAt,
  soundFramesOf,
  soundMs,
  soundOffsetMs,
} from '../../lambda/domain/prepared-play-out.ts';
import { framesPerSecond } from '../../lambda/domain/video-format.ts';

const soundFrameMs = 64 / 3;
const anyRate = fc.constantFrom(...Object.values(framesPerSecond));
const anyLength = fc.integer({ min: 1, max: 5000 });

/** Playings of these lengths one after the other, again and again. */
function* laps(
  lengths: readonly number[],
  count: number,
  startFrame = 0,
): Generator<{ startFrame: number; frameCount: number }> {
  for (let lap = 0; lap < count; lap++) {
    for (const frameCount of lengths) {
      yield { startFrame, frameCount };
      startFrame += frameCount;
    }
  }
}

/** How far the first sound of a playing is from where its first picture has it. */
function apartMs(playing: { startFrame: number }, rate: number): number {
  return soundMs(playing, 0, rate, 1) - pictureMs(playing, 0, rate) - 1000 / rate;
}

describe('sound and pictures', () => {
  test.each(Object.values(framesPerSecond))(
    'are never further apart than half an AAC frame over 100,000 laps of odd lengths at %i fps',
    (rate) => {
      const lengths = [1.001, 2.37, 7 / 3].map((durationSeconds) => frameCountOf({ durationSeconds }, rate));
      let worst = 0;
      for (const playing of laps(lengths, 100_000)) worst = Math.max(worst, Math.abs(apartMs(playing, rate)));
      // Each is rounded to a millisecond once.
      expect(worst).toBeLessThanOrEqual(soundFrameMs / 2 + 1);
    },
  );

  test('are never further apart than an AAC frame at either end of an item, whatever its length and however often it has played', () => {
    fc.assert(
      fc.property(
        anyRate,
        fc.array(anyLength, { minLength: 1, maxLength: 8 }),
        fc.nat(100_000),
        (rate, lengths, lap) => {
          const lapFrames = lengths.reduce((sum, length) => sum + length, 0);
          for (const playing of laps(lengths, 1, lap * lapFrames)) {
            expect(Math.abs(apartMs(playing, rate))).toBeLessThanOrEqual(soundFrameMs / 2 + 1);
            const [picturesEndMs, soundEndsMs] = [
              playing.frameCount * (1000 / rate),
              soundFramesOf(playing, rate) * soundFrameMs,
            ];
            expect(Math.abs(picturesEndMs - soundEndsMs)).toBeLessThanOrEqual(soundFrameMs);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('keep to their grids over every join, years into a stream', () => {
    fc.assert(
      fc.property(
        anyRate,
        fc.array(anyLength, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 0, max: 3 * 365 * 86_400 * 60 }),
        (rate, lengths, startFrame) => {
          const steps = (values: readonly number[]) =>
            new Set(values.slice(1).map((value, index) => value - values[index]!));
          const grid = (step: number) => [Math.floor(step), Math.ceil(step)];
          const [pictures, sounds]: [number[], number[]] = [[], []];
          for (const playing of laps(lengths, 2, startFrame)) {
            // The joins are what may go wrong: a few at each end are enough.
            const ends = (count: number) =>
              [0, 1, 2, count - 2, count - 1].filter(
                (index, place, all) => index >= 0 && index < count && all.indexOf(index) === place,
              );
            const soundFrames = soundFramesOf(playing, rate);
            for (const picture of ends(playing.frameCount)) pictures.push(pictureMs(playing, picture, rate));
            for (const frame of ends(soundFrames)) sounds.push(soundMs(playing, frame, rate, 1));
            expect(
              [...steps(pictures.slice(-2))].every(
                (step) => grid(1000 / rate).includes(step) || playing.frameCount < 2,
              ),
            ).toBe(true);
          }
          const atJoins = (values: readonly number[], step: number) =>
            [...steps(values)].filter((each) => each < step * 2 - 1);
          expect(atJoins(pictures, 1000 / rate).every((step) => grid(1000 / rate).includes(step))).toBe(true);
          expect(atJoins(sounds, soundFrameMs).every((step) => grid(soundFrameMs).includes(step))).toBe(true);
        },
      ),
    );
  });

  test('a playing never needs more sound than its rendition has, and leaves out at most one frame', () => {
    fc.assert(
      fc.property(anyRate, anyLength, fc.integer({ min: 0, max: 1e10 }), (rate, frameCount, startFrame) => {
        const left = firstSoundFrameFrom(frameCount, rate) - soundFramesOf({ startFrame, frameCount }, rate);
        expect([0, 1]).toContain(left);
      }),
    );
  });

  test('each frame of sound belongs to one picture', () => {
    fc.assert(
      fc.property(anyRate, fc.nat(1e6), (rate, soundFrame) => {
        const picture = pictureOfSoundFrame(soundFrame, rate);
        expect(firstSoundFrameFrom(picture, rate)).toBeLessThanOrEqual(soundFrame);
        expect(firstSoundFrameFrom(picture + 1, rate)).toBeGreaterThan(soundFrame);
      }),
    );
  });

  test('times within a rendition do not depend on where it plays, to a millisecond', () => {
    fc.assert(
      fc.property(anyRate, fc.nat(1e9), fc.nat(1e5), (rate, startFrame, index) => {
        expect(
          Math.abs(pictureMs({ startFrame }, index, rate) - ((startFrame + index) * 1000) / rate),
        ).toBeLessThanOrEqual(1);
        expect(pictureMs({ startFrame }, index, rate) - pictureMs({ startFrame }, 0, rate)).toBe(
          pictureOffsetMs(index, rate),
        );
        expect(soundMs({ startFrame }, index, rate, 1) - soundMs({ startFrame }, 0, rate, 1)).toBe(
          soundOffsetMs(index),
        );
      }),
    );
  });
});

test('a short rendition plays again and again within its occurrence, and is cut off at its end', () => {
  const still: TimelineItem = {
    itemID: 'still',
    uploadID: 'still',
    objectKey: 'still',
    kind: 'image',
    durationSeconds: 10,
    hasAudio: false,
  };
  const timeline = [
    {
      number: 0,
      offsetSeconds: 0,
      playlistID: null,
      snapshot: { mode: 'sequential' as const, seed: 1, items: [still] },
    },
  ];
  const spans = [0, 89, 90, 299, 300].map((frame) => {
    const { startFrame, frameCount } = playingAt(occurrenceAt(timeline, frame, 30), frame, 90);
    return [startFrame, frameCount];
  });
  expect(spans).toEqual([
    [0, 90],
    [0, 90],
    [90, 90],
    [270, 30],
    [300, 90],
  ]);
});
