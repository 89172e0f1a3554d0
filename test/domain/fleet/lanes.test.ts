// Lanes: neither a user's backlog nor all users who are not funded occupy all of them.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { importLanes, isAskedJustNow, leftOut, mediaLanes, restMs } from '../../../lambda/domain/fleet/lanes.ts';

const user = fc.option(fc.constantFrom('usr_1', 'usr_2', 'usr_3'));

it.each([
  ['media commands', mediaLanes],
  ['imports', importLanes],
])('of %s a user alone leaves a lane', (_, lanes) => {
  expect(lanes.ofUser).toBeGreaterThanOrEqual(1);
  expect(lanes.ofUser).toBeLessThan(lanes.count);
});

it.each([
  ['media commands', mediaLanes],
  ['imports', importLanes],
])('of %s all users together who are not funded leave a lane, and have one', (_, lanes) => {
  expect(lanes.ofUnfunded).toBeGreaterThanOrEqual(1);
  expect(lanes.ofUnfunded).toBeLessThan(lanes.count);
});

it('users who are not funded are left once they have their part, whatever others do', () => {
  const owner = fc.record({ userID: user, isUnfunded: fc.boolean() });
  fc.assert(
    fc.property(fc.array(owner), fc.integer({ min: 1, max: 4 }), (underWay, ofUnfunded) => {
      const { unfunded } = leftOut(underWay, { count: 5, ofUser: 5, ofUnfunded });
      expect(unfunded).toBe(underWay.filter(({ isUnfunded }) => isUnfunded).length >= ofUnfunded);
    }),
  );
});

it('a user who has fewer than they may is never left', () => {
  fc.assert(
    fc.property(fc.array(user), fc.integer({ min: 1, max: 4 }), (underWay, ofUser) => {
      const owners = underWay.map((userID) => ({ userID, isUnfunded: false }));
      const left = leftOut(owners, { count: 5, ofUser, ofUnfunded: 1 }).userIDs;
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
