// A replica that costs more than at its claim takes the difference if its agent has room, and stays in any case.
import { expect, it } from 'vitest';
import { capacityOf, costNames } from '../../../lambda/domain/fleet/capacity.ts';
import { costColumns } from '../../../lambda/data/fleet/replica-costs.ts';
import type { StoredCost } from '../../../lambda/data/fleet/replica-costs.ts';
import type { ChangedReplica } from '../../../lambda/data/fleet/replicas.ts';
import { GrownShares } from '../../../lambda/publisher/agent/grown-shares.ts';
import type { Growing } from '../../../lambda/publisher/agent/grown-shares.ts';
import { replicaRow } from '../replica/replica-row.ts';

const machine = { cores: 10, speed: 1, memoryMiB: 1e6, networkMbps: null, gpuMegapixels: 0 };
const capacity = capacityOf(machine);

/** The change of a replica that now has this share of the agent, by its cores. */
const changeTo = (id: string, share: number): ChangedReplica => {
  const none = Object.fromEntries(costNames.map((name) => [costColumns[name], 0])) as unknown as StoredCost;
  const cost = { ...none, cores: share * capacity.cores };
  return { id, timeline_revision: 1, is_ending: false, cost };
};

interface Given {
  readonly share: number;
  readonly stream?: string;
  readonly isUnfunded?: boolean;
  readonly isResting?: boolean;
}

/** An agent that holds replicas with these shares. */
function holding(given: Readonly<Record<string, Given>>, isPartLeft = true) {
  const asked: number[] = [];
  const held = Object.entries(given).map(([id, { share, stream = id, isUnfunded = false, isResting = false }]) => {
    let now = share;
    const replica: Growing = {
      claim: { id, agent_id: 'agent', epoch: 1 },
      claimed: { ...replicaRow('ffmpeg'), is_unfunded: isUnfunded },
      streamID: stream,
      backend: 'ffmpeg',
      get share() {
        return isResting ? 0 : now;
      },
      setCost: (_cost, value) => void (now = value),
    };
    return [id, replica] as const;
  });
  const byID = new Map(held);
  const replicas = {
    byID,
    get usedShare() {
      return [...byID.values()].reduce((sum, { share }) => sum + share, 0);
    },
  };
  const grown = new GrownShares({
    capacity,
    replicas,
    makeRoom: async (share, take, options) => {
      const { permission, beyond = 0 } = options ?? {};
      if (replicas.usedShare + share > 1 + beyond || (permission && !(await permission()))) return false;
      take();
      return true;
    },
    takePart: async (_claim, share) => {
      asked.push(share);
      return isPartLeft;
    },
  });
  const shareOf = (id: string) => byID.get(id)!.share;
  return { grown, asked, shareOf };
}

it('takes the difference while there is room, or nearly', async () => {
  const { grown, shareOf } = holding({ a: { share: 0.3 }, b: { share: 0.4 } });
  await grown.follow([changeTo('a', 0.5)]);
  expect(shareOf('a')).toBeCloseTo(0.5);
  await grown.follow([changeTo('b', 0.52)]);
  expect(shareOf('b')).toBeCloseTo(0.52);
});

it('keeps what it has if that is too much, until there is room', async () => {
  const { grown, shareOf } = holding({ a: { share: 0.3 }, b: { share: 0.7 } });
  for (const share of [0.33, 0.36]) await grown.follow([changeTo('a', share)]);
  expect(shareOf('a')).toBeCloseTo(0.33);
  await grown.follow([changeTo('b', 0.1), changeTo('a', 0.36)]);
  await grown.follow([changeTo('a', 0.36)]);
  expect(shareOf('a')).toBeCloseTo(0.36);
});

it('takes all of it if the agent sends nothing else, as nothing else suffers', async () => {
  const { grown, shareOf } = holding({ a: { share: 0.3 }, b: { share: 0.4, isResting: true } });
  await grown.follow([changeTo('a', 1.7)]);
  expect(shareOf('a')).toBeCloseTo(1.7);
});

it('of a user who is not funded asks their part for more than a little', async () => {
  const { grown, asked, shareOf } = holding({ a: { share: 0.3, isUnfunded: true }, b: { share: 0.1 } }, false);
  await grown.follow([changeTo('a', 0.34)]);
  expect([asked, shareOf('a')]).toEqual([[], expect.closeTo(0.34)]);
  await grown.follow([changeTo('a', 0.5)]);
  expect([asked, shareOf('a')]).toEqual([[expect.closeTo(0.5)], expect.closeTo(0.34)]);
});

it('takes nothing while it rests, and the share of an output that ends for one that encodes in its place', async () => {
  const resting = holding({ a: { share: 0.3, isResting: true }, b: { share: 0.9 } });
  await resting.grown.follow([changeTo('a', 0.9)]);
  expect(resting.shareOf('a')).toBe(0);
  const { grown, shareOf } = holding({ a: { share: 0.6, stream: 's' }, b: { share: 0.01, stream: 's' } });
  await grown.follow([{ id: 'a', timeline_revision: 1, is_ending: true, cost: null }, changeTo('b', 0.6)]);
  expect(shareOf('b')).toBeCloseTo(0.6);
});
