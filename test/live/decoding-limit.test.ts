// The bound of decoded pixels: usual cameras are within it, however long they send and after pauses of their network.
import { expect, it } from 'vitest';
import { DecodingLimit } from '../../lambda/live/decoding-limit.ts';

/** Seconds after which pictures at a steady rate are too many; null: they never are within a minute. */
function endsAfter(limit: DecodingLimit, width: number, height: number, rate: number): number | null {
  for (let picture = 0; picture < 60 * rate; picture++)
    if (limit.exceededBy(width * height, (1000 * picture) / rate)) return picture / rate;
  return null;
}

it.each([
  [4096, 2304, 60],
  [4096, 2160, 60],
  [3840, 2160, 60],
  [2560, 1440, 120],
  [1920, 1080, 240],
  [1920, 1080, 120],
])('%i × %i at %i pictures a second stay', (width, height, rate) => {
  expect(endsAfter(new DecodingLimit(), width, height, rate)).toBeNull();
});

it.each([
  [4096, 2304, 120, 10],
  [3840, 2160, 120, 14],
  [4096, 2304, 240, 4],
])('%i × %i at %i pictures a second end within %i seconds', (width, height, rate, seconds) => {
  expect(endsAfter(new DecodingLimit(), width, height, rate)).toBeLessThan(seconds);
});

it('pictures that were kept during a pause of the network may come at once', () => {
  const limit = new DecodingLimit();
  expect(endsAfter(limit, 3840, 2160, 60)).toBeNull();
  const burst = Array.from({ length: 600 }, (_, index) => limit.exceededBy(3840 * 2160, 70_000 + index));
  expect(burst).not.toContain(true);
});
