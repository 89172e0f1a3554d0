// Prepared pictures and sound stay in sync and on their grids, for as long as a stream runs.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frameCountOf, occurrenceAt } from '../../../lambda/domain/playout/play-out.ts';
import type { TimelineItem } from '../../../lambda/domain/playout/play-out.ts';
import {
  firstSoundFrameFrom,
  pictureMs,
  pictureOffsetMs,
  pictureOfSoundFrame,
  playingAt,
  soundFramesOf,
  soundMs,
  soundOffsetMs,
} from '../../../lambda/domain/playout/prepared-play-out.ts';
import { framesPerSecond } from '../../../lambda/domain/shared/video-format.ts';

const soundFrameMs = 64 / 3;
const anyRate = fc.constantFrom(...Object.values(framesPerSecond));
const anyLength = fc.integer({ min: 1, max: 5000 });

/** A number of laps of playings with these lengths in frames, in sequence. */
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

/** The places of the first three and the last two frames: faults may occur at the joins. */
function endsOf(count: number): number[] {
  return [...new Set([0, 1, 2, count - 2, count - 1])].filter((place) => place >= 0 && place < count);
}

/** Steps between times in milliseconds that are no frame of this length, rounded up or down. */
function stepsOffGrid(times: readonly number[], frameMs: number): number[] {
  const steps = times.slice(1).map((time, index) => time - times[index]!);
  return steps.filter((step) => step !== Math.floor(frameMs) && step !== Math.ceil(frameMs));
}

/** Delay of a playing's first sound behind its first picture, shown one frame late, in milliseconds. */
function apartMs(playing: { startFrame: number }, rate: number): number {
  return soundMs(playing, 0, rate, 1) - pictureMs(playing, 0, rate) - 1000 / rate;
}

describe('sound and pictures', () => {
  test.each(Object.values(framesPerSecond))(
    'begin within half an AAC frame of each other over 100,000 laps of odd lengths at %i fps',
    (rate) => {
      const lengths = [1.001, 2.37, 7 / 3].map((durationSeconds) => frameCountOf({ durationSeconds }, rate));
      let worst = 0;
      for (const playing of laps(lengths, 100_000)) worst = Math.max(worst, Math.abs(apartMs(playing, rate)));
      // The time of the picture and that of the sound are each rounded to a millisecond.
      expect(worst).toBeLessThanOrEqual(soundFrameMs / 2 + 1);
    },
  );

  test('are within an AAC frame of each other at both ends of an item, whatever its length and lap', () => {
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

  test('keep to their grids at every join, years into a stream', () => {
    fc.assert(
      fc.property(
        anyRate,
        fc.array(anyLength, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 0, max: 3 * 365 * 86_400 * 60 }),
        (rate, lengths, startFrame) => {
          const frameMs = 1000 / rate;
          const pictures: number[] = [];
          const sounds: number[] = [];
          for (const playing of laps(lengths, 2, startFrame)) {
            for (const picture of endsOf(playing.frameCount)) pictures.push(pictureMs(playing, picture, rate));
            for (const frame of endsOf(soundFramesOf(playing, rate))) sounds.push(soundMs(playing, frame, rate, 1));
            if (playing.frameCount >= 2) expect(stepsOffGrid(pictures.slice(-2), frameMs)).toEqual([]);
          }
          expect(stepsOffGrid(pictures, frameMs).filter((step) => step < frameMs * 2 - 1)).toEqual([]);
          expect(stepsOffGrid(sounds, soundFrameMs).filter((step) => step < soundFrameMs * 2 - 1)).toEqual([]);
        },
      ),
    );
  });

  test('need for a playing no more sound than its rendition has, and leave out at most one frame', () => {
    fc.assert(
      fc.property(anyRate, anyLength, fc.integer({ min: 0, max: 1e10 }), (rate, frameCount, startFrame) => {
        const left = firstSoundFrameFrom(frameCount, rate) - soundFramesOf({ startFrame, frameCount }, rate);
        expect([0, 1]).toContain(left);
      }),
    );
  });

  test('belong together: each frame of sound to one picture', () => {
    fc.assert(
      fc.property(anyRate, fc.nat(1e6), (rate, soundFrame) => {
        const picture = pictureOfSoundFrame(soundFrame, rate);
        expect(firstSoundFrameFrom(picture, rate)).toBeLessThanOrEqual(soundFrame);
        expect(firstSoundFrameFrom(picture + 1, rate)).toBeGreaterThan(soundFrame);
      }),
    );
  });

  test('have times within a rendition that do not depend on where it plays, to a millisecond', () => {
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
    name: 'still',
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
