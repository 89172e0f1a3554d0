// When an agent that cannot renew goes on sending, and when it stops.
import { expect, it } from 'vitest';
import { leaseMs, mustStop, stopAheadMs } from '../../lambda/domain/lease.ts';

const [cannot, canForLong, canAgain] = [
  { renewingForMs: null },
  { renewingForMs: 60_000 },
  { renewingForMs: 1000 },
] as const;

it.each([
  ['has time left', leaseMs, [canForLong], false],
  ['has time left, and is alone', stopAheadMs + 1, ['no answer'], false],
  ['has a peer that renews', stopAheadMs, [cannot, canForLong], true],
  ['has peers that cannot renew either', -90_000, [cannot, cannot], false],
  ['has peers that cannot, and some that are gone', -90_000, [cannot, 'no answer'], false],
  ['reaches none of its peers', stopAheadMs, ['no answer', 'no answer'], true],
  ['has no peers', -90_000, [], false],
  ['has a peer that came back a second ago: nobody takes over yet', -90_000, [canAgain, cannot], false],
] as const)('an agent that %s', (_, leaseLeftMs, answers, stops) => {
  expect(mustStop(leaseLeftMs, answers)).toBe(stops);
});
