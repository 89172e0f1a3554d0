// The time for which an agent that cannot renew keeps sending, and the time at which it stops.
import { expect, it } from 'vitest';
import { leaseMs, mustStop, stopAheadMs } from '../../../lambda/domain/fleet/lease.ts';

const [cannot, canForLong, canAgain] = [
  { renewingForMs: null },
  { renewingForMs: 60_000 },
  { renewingForMs: 1000 },
] as const;

it.each([
  ['goes on while its lease has time left', leaseMs, [canForLong], false],
  ['goes on without peers while its lease has time left', stopAheadMs + 1, ['no answer'], false],
  ['stops where a peer renews', stopAheadMs, [cannot, canForLong], true],
  ['goes on where its peers cannot renew either', -90_000, [cannot, cannot], false],
  ['goes on where some peers cannot renew and the others are gone', -90_000, [cannot, 'no answer'], false],
  ['stops where it reaches none of its peers', stopAheadMs, ['no answer', 'no answer'], true],
  ['goes on where it has no peers', -90_000, [], false],
  ['goes on where a peer renews for a second only: nobody takes over yet', -90_000, [canAgain, cannot], false],
] as const)('an agent that cannot renew %s', (_, leaseLeftMs, answers, stops) => {
  expect(mustStop(leaseLeftMs, answers)).toBe(stops);
});
