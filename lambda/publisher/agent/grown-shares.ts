// Follows what the replicas of an agent cost: those that grow on the air take the difference if there is room.
// Decision D291.
import type { ChangedReplica, Claim } from '../../data/fleet/replicas.ts';
import { costOfReplica } from '../../data/fleet/replica-costs.ts';
import type { StoredCost } from '../../data/fleet/replica-costs.ts';
import { shareOf } from '../../domain/fleet/capacity.ts';
import type { HeldReplica } from '../replica/held-replica.ts';
import type { AgentOptions } from './agent-options.ts';
import type { ReplicaClaims } from './replica-claims.ts';

/** A replica as its agent holds it, as far as its share is concerned. */
export type Growing = Pick<HeldReplica, 'claim' | 'claimed' | 'streamID' | 'backend' | 'share' | 'setCost'>;

export interface GrownSharesOptions extends Pick<AgentOptions, 'capacity'> {
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

/** Tolerated share beyond the room of an agent, or beyond a part: machines have more than is counted. */
const tolerated = 0.05;
const rounding = 1e-6;

export class GrownShares {
  readonly #options: GrownSharesOptions;
  #isFollowing = false;

  constructor(options: GrownSharesOptions) {
    this.#options = options;
  }

  /**
   * Takes over what replicas cost by now. Those that grow take the difference. Without room they stay as they are, and
   * ask again with the next changes: no stream is ended for another one.
   */
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
      await this.#take(group.map((held) => this.#wanted(held, changed.get(held.claim.id))));
    }
  }

  /** The replicas that grow together: one encoder sends to all outputs of a stream. */
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

  /** Takes the difference to the shares that the group holds, if there is room for it. */
  async #take(wanted: readonly Wanted[]): Promise<void> {
    const { makeRoom, takePart } = this.#options;
    const holding = wanted.filter(({ held }) => held.share > 0);
    const set = () => {
      for (const { held, share, cost } of wanted) if (cost) held.setCost(cost, share);
    };
    const growth = sumOf(holding, ({ held, share }) => share - held.share);
    if (growth <= rounding) return set();
    const isMuch = growth > tolerated;
    const ofUnfunded = holding.filter(({ held, share }) => isMuch && held.claimed.is_unfunded && share > held.share);
    const askForPart = async () => {
      for (const { held, share } of ofUnfunded) if (!(await takePart(held.claim, share))) return false;
      return true;
    };
    const beyond = this.#isAlone(wanted.map(({ held }) => held)) ? Infinity : tolerated;
    await makeRoom(growth, set, { permission: ofUnfunded.length > 0 ? askForPart : undefined, beyond });
  }

  /** Whether nothing else is sent, so that nothing else suffers. */
  #isAlone(group: readonly Growing[]): boolean {
    return this.#options.replicas.usedShare - sumOf(group, ({ share }) => share) <= rounding;
  }
}

function sumOf<Each>(all: readonly Each[], amount: (each: Each) => number): number {
  return all.reduce((sum, each) => sum + amount(each), 0);
}
