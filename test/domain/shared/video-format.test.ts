// Framerates: their numbers are those of their names.
import { expect, test } from 'vitest';
import { framerates, framesPerSecond } from '../../../lambda/domain/shared/video-format.ts';

test('a framerate is what its name says', () => {
  for (const framerate of framerates) expect(`f_${framesPerSecond[framerate]}`).toBe(framerate);
});
