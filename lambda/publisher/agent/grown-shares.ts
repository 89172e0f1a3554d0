// Follows what the replicas of an agent cost, and releases those that have outgrown its room. Decision D291.
import type { ChangedReplica, Claim } from '../../data/fleet/replicas.ts';
import { costOfReplica } from '../../data/fleet/replica-costs.ts';
import type { StoredCost } from '../../data/fleet/replica-costs.ts';
import { shareOf } from '../../domain/fleet/capacity.ts';
import type { HeldReplica } from '../replica/held-replica.ts';
import type { AgentOptions } from './agent-options.ts';
import type { ReplicaClaims } from './replica-claims.ts';

/** A replica as its agent holds it, as far as its share is concerned. */
export type Growing = Pick<
  HeldReplica,
  'claim' | 'claimed' | 'streamID' | 'backend' | 'share' | 'growth' | 'setCost' | 'giveWay'
>;

export interface GrownSharesOptions extends Pick<AgentOptions, 'capacity' | 'steadyClock'> {
  readonly replicas: { readonly byID: ReadonlyMap<string, Growing>; readonly usedShare: number };
  readonly makeRoom: ReplicaClaims['makeRoom'];
  /** Takes a share for a user who is not funded: see `takePart` of `replicaClaims`. */
  readonly takePart: (claim: Claim, share: number) => Promise<boolean>;
}

interface Wanted {
  readonly held: Growing;
  /** The share that it needs on the air. */
  readonly share: number;
  /** The cost of this share; null: unchanged. */
  readonly cost: StoredCost | null;
}

/** Tolerated share of an agent beyond its room: its machine has more than it counts (`capacityOf`). */
const tolerated = 0.05;
/** The growth that is worth an interruption while the agent is behind. */
const worthwhile = 0.01;
const rounding = 1e-6;
/** Time for a release to take effect before the next one. */
const releaseEveryMs = 10_000;

export class GrownShares {
  readonly #options: GrownSharesOptions;
  #releasedAtMs = -Infinity;
  #isFollowing = false;

  constructor(options: GrownSharesOptions) {
    this.#options = options;
  }

  /** Takes over what replicas cost by now. Those that grow take the difference, or leave if there is no room. */
  async follow(changes: readonly ChangedReplica[]): Promise<void> {
    // Two at once would each count the same growth.
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    await this.#followAll(changes).finally(() => (this.#isFollowing = false));
  }

  async #followAll(changes: readonly ChangedReplica[]): Promise<void> {
    const changed = new Map(changes.map((each) => [each.id, each]));
    for (const group of this.#groups()) {
      if (!group.some(({ claim }) => changed.get(claim.id)?.cost)) continue;
      const wanted = group.map((held) => this.#wanted(held, changed.get(held.claim.id)));
      if (!(await this.#take(wanted))) this.#release(group);
    }
  }

  /** Releases what has grown most since its claim, if there is any: its growth is why the agent is behind. */
  relieve(): void {
    const { steadyClock } = this.#options;
    if (steadyClock() - this.#releasedAtMs < releaseEveryMs) return;
    const grown = this.#groups().map((group) => ({ group, growth: sumOf(group, ({ growth }) => growth) }));
    const [most] = grown.toSorted((a, b) => b.growth - a.growth);
    if (most && most.growth > worthwhile && !this.#isAlone(most.group)) this.#release(most.group);
  }

  /** The replicas that can only leave together: one encoder sends to all outputs of a stream. */
  #groups(): Growing[][] {
    const nameOf = ({ backend, claim, claimed, streamID }: Growing) =>
      backend === 'ffmpeg' ? `${streamID} ${claimed.role}` : claim.id;
    return [...Map.groupBy(this.#options.replicas.byID.values(), nameOf).values()];
  }

  /** The share that a replica needs on the air. One that is to end leaves what it has to the others of its group. */
  #wanted(held: Growing, change: ChangedReplica | undefined): Wanted {
    if (change?.is_ending) return { held, share: 0, cost: null };
    if (!change?.cost) return { held, share: held.share, cost: null };
    return { held, share: shareOf(costOfReplica(change.cost), this.#options.capacity), cost: change.cost };
  }

  /** Takes the difference to the shares that the group holds. @returns false if there is no room for it */
  async #take(wanted: readonly Wanted[]): Promise<boolean> {
    const { makeRoom, takePart } = this.#options;
    const holding = wanted.filter(({ held }) => held.share > 0);
    const set = () => {
      for (const { held, share, cost } of wanted) if (cost) held.setCost(cost, share);
    };
    const growth = sumOf(holding, ({ held, share }) => share - held.share);
    if (growth <= rounding) {
      set();
      return true;
    }
    const ofUnfunded = holding.filter(({ held, share }) => held.claimed.is_unfunded && share > held.share);
    const askForPart = async () => {
      for (const { held, share } of ofUnfunded) if (!(await takePart(held.claim, share))) return false;
      return true;
    };
    const beyond = this.#isAlone(wanted.map(({ held }) => held)) ? Infinity : tolerated;
    return makeRoom(growth, set, { permission: ofUnfunded.length > 0 ? askForPart : undefined, beyond });
  }

  /** Whether nothing else is sent, so that nothing else suffers. */
  #isAlone(group: readonly Growing[]): boolean {
    return this.#options.replicas.usedShare - sumOf(group, ({ share }) => share) <= rounding;
  }

  #release(group: readonly Growing[]): void {
    this.#releasedAtMs = this.#options.steadyClock();
    for (const held of group) held.giveWay();
  }
}

function sumOf<Each>(all: readonly Each[], amount: (each: Each) => number): number {
  return all.reduce((sum, each) => sum + amount(each), 0);
}
