// The replicas of lost agents are dealt out to others, as far as they fit.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { costOfSlot, shareOf } from '../../../lambda/domain/fleet/capacity.ts';
import { Dealer } from '../../../lambda/domain/fleet/dealing.ts';
import type { Dealee, LostReplica } from '../../../lambda/domain/fleet/dealing.ts';
import { capacityFor } from '../../support/capacities.ts';

const capacity = capacityFor(100);
const dealee = (id: string, usedShare: number, backends: Dealee['backends'] = ['manifest']): Dealee => ({
  id,
  backends,
  capacity,
  usedShare,
});
const lost = (count: number, backend: LostReplica['backend'] = 'manifest'): LostReplica[] =>
  Array.from({ length: count }, (_, index) => ({ id: `${backend}_${index}`, backend, cost: costOfSlot('manifest') }));

it('fills the agents that are used the least, a handful at a time', () => {
  const dealer = new Dealer([dealee('half', 0.5), dealee('empty', 0), dealee('full', 0.95)]);
  const hands = dealer.deal(lost(200));
  expect(hands.map(({ agentID, replicaIDs }) => [agentID, replicaIDs.length])).toEqual([
    ['empty', 50],
    ['half', 45],
    ['empty', 45],
  ]);
  expect(dealer.deal(lost(1))).toEqual([]);
});

it('remembers from one set to the next what it has dealt', () => {
  const dealer = new Dealer([dealee('a', 0), dealee('b', 0.1)]);
  const agents = [1, 2, 3].map(() => dealer.deal(lost(20)).map(({ agentID }) => agentID));
  expect(agents).toEqual([['a'], ['b'], ['a']]);
});

it('deals each replica once, to an agent of its backend, and never fills an agent beyond its room', () => {
  const backends = fc.subarray(['manifest', 'ffmpeg'] as const, { minLength: 1 });
  const agents = fc.array(fc.record({ usedShare: fc.double({ min: 0, max: 1, noNaN: true }), backends }));
  fc.assert(
    fc.property(agents, fc.nat(300), fc.nat(300), (made, prepared, encoded) => {
      const dealees = made.map(({ usedShare, backends: of }, index) => dealee(`${index}`, usedShare, of));
      const all = [...lost(prepared), ...lost(encoded, 'ffmpeg')];
      const hands = new Dealer(dealees).deal(all);
      const dealt = hands.flatMap(({ replicaIDs }) => replicaIDs);
      expect(new Set(dealt).size).toBe(dealt.length);
      const share = shareOf(costOfSlot('manifest'), capacity);
      for (const { id, usedShare, backends: of } of dealees) {
        const got = hands.filter(({ agentID }) => agentID === id).flatMap(({ replicaIDs }) => replicaIDs);
        expect(got.every((replicaID) => of.some((backend) => replicaID.startsWith(backend)))).toBe(true);
        if (got.length > 0) expect(usedShare + got.length * share).toBeLessThanOrEqual(0.95 + 1e-5);
      }
    }),
  );
});
