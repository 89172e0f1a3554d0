// Lanes: nobody's backlog takes all of them.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { importLanes, mediaLanes, usersAtBound } from '../../lambda/domain/lanes.ts';

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
