// The number of waiting replicas that an agent claims at a time.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { claimShare } from '../../../lambda/domain/fleet/claim-share.ts';

it.each([
  [1, 1, 2],
  [1, 3, 1],
  [12, 3, 8],
  [300, 2, 300],
  [10_000, 400, 50],
  [1000, 450, 50],
  [999, 450, 16],
  [100, 450, 16],
  [1000, 20, 100],
])('of %i that wait for %i agents it is %i', (waiting, takers, share) => {
  expect(claimShare(waiting, takers)).toBe(share);
});

it('is at least an equal share, so that what waits is taken even if each agent comes once', () => {
  const numbers = fc.integer({ min: 1, max: 100_000 });
  fc.assert(
    fc.property(numbers, fc.integer({ min: 1, max: 5000 }), (waiting, takers) => {
      expect(claimShare(waiting, takers) * takers).toBeGreaterThanOrEqual(waiting);
    }),
  );
});
