// Lanes: no user's backlog occupies all of them.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { importLanes, isAskedJustNow, mediaLanes, restMs, usersAtBound } from '../../../lambda/domain/fleet/lanes.ts';

const user = fc.option(fc.constantFrom('usr_1', 'usr_2', 'usr_3'));

it.each([
  ['media commands', mediaLanes],
  ['imports', importLanes],
])('of %s a user alone leaves a lane', (_, lanes) => {
  expect(lanes.ofUser).toBeGreaterThanOrEqual(1);
  expect(lanes.ofUser).toBeLessThan(lanes.count);
});

it('a user who has fewer than they may is never left', () => {
  fc.assert(
    fc.property(fc.array(user), fc.integer({ min: 1, max: 4 }), (underWay, ofUser) => {
      const left = usersAtBound(underWay, { count: 5, ofUser });
      const countOf = (userID: string) => underWay.filter((each) => each === userID).length;
      for (const userID of ['usr_1', 'usr_2', 'usr_3']) expect(left.includes(userID)).toBe(countOf(userID) >= ofUser);
    }),
  );
});

it.each([
  ['of a backlog, while others ask', 60_000, 100, 50, 300],
  ['that took long', 60_000, 90_000, 50, 3000],
  ['that was just asked for', 100, 100, 50, 0],
  ['of a backlog, after which nobody asks', 60_000, 100, 5001, 0],
])(
  'after a piece %s, its user rests in proportion, and for three seconds at most',
  (_, waited, took, sinceOthers, rest) => {
    expect(restMs(waited, took, sinceOthers)).toBe(rest);
  },
);

it('whoever asks for one thing after the other never rests', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.nat(), (waitedMs, tookMs, sinceOthersMs) => {
      fc.pre(isAskedJustNow(waitedMs));
      expect(restMs(waitedMs, tookMs, sinceOthersMs)).toBe(0);
    }),
  );
});
