// The Range header of a request: the examples of RFC 9110, and no range outside the object.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { byteRange } from '../../lambda/ports/object-store/byte-range.ts';

test.each([
  ['bytes=0-499', { start: 0, end: 499 }],
  ['bytes=500-999', { start: 500, end: 999 }],
  ['bytes=-500', { start: 9500, end: 9999 }],
  ['bytes=9500-', { start: 9500, end: 9999 }],
  ['bytes=9500-20000', { start: 9500, end: 9999 }],
  ['bytes=-20000', { start: 0, end: 9999 }],
  ['bytes=10000-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=0-0,-1', null],
  ['bytes=5-4', null],
  ['bytes=-', null],
  ['bytes=a-b', null],
  ['lines=0-1', null],
  [undefined, null],
])('of 10000 bytes, %s is %j', (header, range) => {
  expect(byteRange(header, 10_000)).toEqual(range);
});

test('a range lies within the object, whatever the header says', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^bytes=\d{0,20}-\d{0,20}$/), fc.nat({ max: 50 }), (header, sizeBytes) => {
      const range = byteRange(header, sizeBytes);
      if (range === null || range === 'unsatisfiable') return;
      expect(range.start).toBeGreaterThanOrEqual(0);
      expect(range.start).toBeLessThanOrEqual(range.end);
      expect(range.end).toBeLessThan(sizeBytes);
    }),
  );
});
