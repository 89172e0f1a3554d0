// Stretches of time that are found in pieces equal those that are found at once.
import { expect, it } from 'vitest';
import { joined, without } from '../../../lambda/domain/shared/stretches.ts';

const stretch = (start: number, end: number) => ({ start, end });

it('what overlaps or touches is one stretch', () => {
  expect(joined([stretch(5, 9), stretch(0, 2), stretch(8, 12), stretch(12.01, 13)])).toEqual([
    stretch(0, 2),
    stretch(5, 13),
  ]);
});

it('what is taken out leaves what is before, between and after it', () => {
  expect(without([stretch(0, 10), stretch(20, 30)], [stretch(2, 3), stretch(5, 22), stretch(29, 40)])).toEqual([
    stretch(0, 2),
    stretch(3, 5),
    stretch(22, 29),
  ]);
  expect(without([stretch(0, 10)], [stretch(0, 10)])).toEqual([]);
});

it('of too many only the longest are kept, in order', () => {
  const many = Array.from({ length: 2000 }, (_, index) => stretch(index * 10, index * 10 + (index % 100) / 20));
  const kept = joined(many);
  expect(kept).toHaveLength(500);
  expect(Math.min(...kept.map(({ start, end }) => end - start))).toBeGreaterThan(3.5);
  expect(kept).toEqual(kept.toSorted((a, b) => a.start - b.start));
});
