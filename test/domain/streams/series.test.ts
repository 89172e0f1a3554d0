// Coarse points summarize fine ones for charts: nothing is lost, and nothing is invented.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { beginningOf, coarser, seriesStates, tiers } from '../../../lambda/domain/streams/series.ts';
import type { Point } from '../../../lambda/domain/streams/series.ts';

const points = fc.uniqueArray(fc.integer({ min: 0, max: 3000 }), { maxLength: 60 }).chain((steps) =>
  fc.tuple(
    ...steps
      .toSorted((one, other) => one - other)
      .map((step) =>
        fc.record({
          at: fc.constant(new Date(Date.UTC(2030, 0, 1) + step * 10_000)),
          bitrateKbps: fc.integer({ min: 0, max: 50_000 }),
          framesPerSecond: fc.integer({ min: 0, max: 600 }).map((tenths) => tenths / 10),
          droppedFrames: fc.nat(600),
          reconnects: fc.nat(5),
          state: fc.constantFrom(...seriesStates),
        }),
      ),
  ),
);
const total = (each: readonly Point[], of: (point: Point) => number) => each.reduce((sum, point) => sum + of(point), 0);

it('drops and reconnects add up to the same, and each point is there for points within it', () => {
  fc.assert(
    fc.property(points, fc.constantFrom(300, 3600), (fine, step) => {
      const coarse = coarser(fine, step);
      for (const of of [(p: Point) => p.droppedFrames, (p: Point) => p.reconnects])
        expect(total(coarse, of)).toBe(total(fine, of));
      expect(coarse.map(({ at }) => at.getTime())).toEqual([
        ...new Set(fine.map(({ at }) => beginningOf(at, step).getTime())),
      ]);
    }),
  );
});

it('rates stay between the least and the most, and the state is the worst', () => {
  fc.assert(
    fc.property(points, (fine) => {
      for (const { at, bitrateKbps, state } of coarser(fine, 300)) {
        const within = fine.filter((point) => beginningOf(point.at, 300).getTime() === at.getTime());
        const rates = within.map((point) => point.bitrateKbps);
        expect(bitrateKbps).toBeGreaterThanOrEqual(Math.min(...rates));
        expect(bitrateKbps).toBeLessThanOrEqual(Math.max(...rates));
        expect(within.map((point) => point.state)).toContain(state);
        expect(within.some((point) => point.state === 'failing')).toBe(state === 'failing');
      }
    }),
  );
});

it('rows of each resolution have whole points, and what is kept of an output has few rows', () => {
  const rows = Object.values(tiers).map(({ stepSeconds, rowSeconds, keptSeconds }) => {
    expect(rowSeconds % stepSeconds).toBe(0);
    return keptSeconds / rowSeconds;
  });
  expect(total([], () => 0) + rows.reduce((sum, count) => sum + count, 0)).toBeLessThan(60);
});
