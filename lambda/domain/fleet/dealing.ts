// Deals replicas of lost agents out to living ones.
// After the loss of thousands of streams, claims of hundreds of agents would take most of the database's time.
import { shareOf } from './capacity.ts';
import type { Capacity, StreamCost, StreamToSend } from './capacity.ts';

type Backend = StreamToSend['backend'];

/** Least numbers of lost replicas and of agents for dealing. Below, agents claim them, which begins at once. */
export const dealtFrom = { lost: 200, agents: 32 } as const;
/** Number of replicas that an agent gets at a time: it reports them together and connects them at the same time. */
const handful = 50;
/** Share of an agent that dealing fills. It may have claimed replicas that are not counted yet. */
const filledShare = 0.95;
/** Tolerance, so that rounding does not exclude the last replica. */
const rounding = 1e-6;

/** An agent that may receive replicas. */
export interface Dealee {
  readonly id: string;
  readonly backends: readonly Backend[];
  readonly capacity: Capacity;
  /** Share of the agent that is in use. */
  readonly usedShare: number;
}

export interface LostReplica {
  readonly id: string;
  readonly backend: Backend;
  readonly cost: StreamCost;
}

export interface Hand {
  readonly agentID: string;
  readonly replicaIDs: readonly string[];
  /** Share of the agent that they occupy. */
  readonly share: number;
}

export class Dealer {
  readonly #dealees: { readonly dealee: Dealee; usedShare: number }[];

  constructor(dealees: readonly Dealee[]) {
    this.#dealees = dealees.map((dealee) => ({ dealee, usedShare: dealee.usedShare }));
  }

  /** Deals to the least used agents first. Replicas that fit nowhere, and all after them, are not dealt. */
  deal(lost: readonly LostReplica[]): Hand[] {
    const backends = new Set(lost.map(({ backend }) => backend));
    return [...backends].flatMap((backend) => this.#dealOf(backend, lost));
  }

  #dealOf(backend: Backend, lost: readonly LostReplica[]): Hand[] {
    const hands: Hand[] = [];
    const left = lost.filter((replica) => replica.backend === backend);
    const able = this.#dealees.filter(({ dealee }) => dealee.backends.includes(backend));
    while (left.length > 0 && able.length > 0) {
      const least = able.reduce((a, b) => (b.usedShare < a.usedShare ? b : a));
      const { id: agentID, capacity } = least.dealee;
      const replicaIDs: string[] = [];
      const before = least.usedShare;
      for (const { id, cost } of left.slice(0, handful)) {
        const share = shareOf(cost, capacity);
        if (least.usedShare + share > filledShare + rounding) break;
        least.usedShare += share;
        replicaIDs.push(id);
      }
      left.splice(0, replicaIDs.length);
      if (replicaIDs.length > 0) hands.push({ agentID, replicaIDs, share: least.usedShare - before });
      if (replicaIDs.length < handful) able.splice(able.indexOf(least), 1);
    }
    return hands;
  }
}
