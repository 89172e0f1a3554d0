// Deals what was lost with agents out to others.
// After the loss of thousands of streams, hundreds of agents that claim a few at a time would spend most of the
// database's time on claims.
import { shareOf } from './capacity.ts';
import type { Capacity, StreamCost, StreamToSend } from './capacity.ts';

type Backend = StreamToSend['backend'];

/** Where fewer were lost, or fewer agents live, these claim what was lost: that begins at once. */
export const dealtFrom = { lost: 200, agents: 32 } as const;
/** An agent gets so many at a time: it reports them together, and connects them at the same time. */
const handful = 50;
/** The part of an agent that is filled. Meanwhile it may have claimed what nobody has counted yet. */
const filledShare = 0.95;
/** Rounding must not keep the last one out. */
const rounding = 1e-6;

/** An agent that may be dealt something. */
export interface Dealee {
  readonly id: string;
  readonly backends: readonly Backend[];
  readonly capacity: Capacity;
  /** The part of it that is taken. */
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
  /** The part of the agent that they take. */
  readonly share: number;
}

export class Dealer {
  readonly #dealees: { readonly dealee: Dealee; usedShare: number }[];

  constructor(dealees: readonly Dealee[]) {
    this.#dealees = dealees.map((dealee) => ({ dealee, usedShare: dealee.usedShare }));
  }

  /** Deals to those first that are used the least. What fits nowhere, and what comes after it, is not dealt. */
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
