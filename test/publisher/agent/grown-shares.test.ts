// A replica that costs more than at its claim takes the difference if its agent has room, and else leaves.
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
  const gaveWay: string[] = [];
  const asked: number[] = [];
  let nowMs = 0;
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
      get growth() {
        return now - share;
      },
      setCost: (_cost, value) => void (now = value),
      giveWay: () => void gaveWay.push(id),
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
    steadyClock: () => nowMs,
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
  return { grown, gaveWay, asked, shareOf, pass: (ms: number) => (nowMs += ms) };
}

it('takes the difference while there is room, or nearly', async () => {
  const { grown, gaveWay, shareOf } = holding({ a: { share: 0.3 }, b: { share: 0.4 } });
  await grown.follow([changeTo('a', 0.5)]);
  expect(shareOf('a')).toBeCloseTo(0.5);
  await grown.follow([changeTo('b', 0.52)]);
  expect(shareOf('b')).toBeCloseTo(0.52);
  expect(gaveWay).toEqual([]);
});

it('leaves if it is too much, and the others stay; also if it came little by little', async () => {
  const { grown, gaveWay, shareOf } = holding({ a: { share: 0.3 }, b: { share: 0.4 } });
  await grown.follow([changeTo('a', 0.9)]);
  expect(gaveWay).toEqual(['a']);
  expect(shareOf('a')).toBeCloseTo(0.3);
  const slow = holding({ a: { share: 0.3 }, b: { share: 0.7 } });
  for (const share of [0.33, 0.36]) await slow.grown.follow([changeTo('a', share)]);
  expect(slow.gaveWay).toEqual(['a']);
});

it('stays if the agent sends nothing else, as nothing else suffers', async () => {
  const { grown, gaveWay } = holding({ a: { share: 0.3 }, b: { share: 0.4, isResting: true } });
  await grown.follow([changeTo('a', 1.7)]);
  expect(gaveWay).toEqual([]);
});

it('of a user who is not funded leaves if their part is used up', async () => {
  const { grown, gaveWay, asked } = holding({ a: { share: 0.3, isUnfunded: true }, b: { share: 0.1 } }, false);
  await grown.follow([changeTo('a', 0.2)]);
  expect(asked).toEqual([]);
  await grown.follow([changeTo('a', 0.4)]);
  expect(asked).toEqual([expect.closeTo(0.4)]);
  expect(gaveWay).toEqual(['a']);
});

it('asks for nothing while it rests, or if it encodes in place of an output that ends', async () => {
  const resting = holding({ a: { share: 0.3, isResting: true }, b: { share: 0.9 } });
  await resting.grown.follow([changeTo('a', 0.9)]);
  expect(resting.gaveWay).toEqual([]);
  const { grown, gaveWay, shareOf } = holding({ a: { share: 0.6, stream: 's' }, b: { share: 0.01, stream: 's' } });
  await grown.follow([{ id: 'a', timeline_revision: 1, is_ending: true, cost: null }, changeTo('b', 0.6)]);
  expect(gaveWay).toEqual([]);
  expect(shareOf('b')).toBeCloseTo(0.6);
});

it('leaves with all outputs of its stream while the agent is behind, what has grown most first', async () => {
  const given = { a: { share: 0.1 }, b: { share: 0.1, stream: 's' }, c: { share: 0, stream: 's' }, d: { share: 0.3 } };
  const { grown, gaveWay, pass } = holding(given);
  grown.relieve();
  expect(gaveWay).toEqual([]);
  await grown.follow([changeTo('a', 0.2), changeTo('b', 0.3)]);
  grown.relieve();
  expect(gaveWay).toEqual(['b', 'c']);
  grown.relieve();
  pass(10_000);
  grown.relieve();
  expect(gaveWay.slice(0, 2)).toEqual(['b', 'c']);
});
