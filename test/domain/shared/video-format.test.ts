// How many slots of an agent a stream takes: they follow the pixels per second.
import { expect, test } from 'vitest';
import {
  framerates,
  framesPerSecond,
  qualities,
  slotsOfOldRelease,
} from '../../../lambda/domain/shared/video-format.ts';

test.for([
  ['q_720p', 1, 2],
  ['q_1080p', 2, 4],
  ['q_1440p', 4, 8],
  ['q_2160p', 8, 16],
] as const)('an encoder of %s takes %i slots up to 30 frames per second, %i at 60', ([quality, upTo30, at60]) => {
  expect(framerates.map((framerate) => slotsOfOldRelease('ffmpeg', quality, framerate))).toEqual([
    upTo30,
    upTo30,
    upTo30,
    at60,
  ]);
});

test('a publisher of prepared media takes one slot, whatever it sends', () => {
  expect(
    new Set(
      qualities.flatMap((quality) => framerates.map((framerate) => slotsOfOldRelease('manifest', quality, framerate))),
    ),
  ).toEqual(new Set([1]));
});

test('a framerate is what its name says', () => {
  for (const framerate of framerates) expect(`f_${framesPerSecond[framerate]}`).toBe(framerate);
});
