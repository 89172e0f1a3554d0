// Claims replicas for an agent: its share of those that wait, as far as it has room.
import type { Database } from '../../data/database.ts';
import type { Replica } from '../../data/fleet/replicas.ts';
import { roomOf } from '../../domain/fleet/capacity.ts';
import type { Room } from '../../domain/fleet/capacity.ts';
import { claimShare, noPartForMs } from '../../domain/fleet/claim-share.ts';
import type { AgentReplicas } from './agent-replicas.ts';
import type { AgentOptions } from './agent-options.ts';

export interface ReplicaClaimsOptions extends Pick<AgentOptions, 'agentID' | 'capacity' | 'backends' | 'steadyClock'> {
  readonly data: Database;
  readonly replicas: Pick<AgentReplicas, 'usedShare' | 'begin'> & {
    readonly byID: Pick<AgentReplicas['byID'], 'has'>;
  };
  /** Whether the agent may send replicas that the database counts as its own. */
  readonly mayBegin: () => boolean;
  /** Whether the agent may claim further replicas now. */
  readonly mayClaim: () => boolean;
}

export interface RoomOptions {
  /** Asked only if there is room; absent: no permission is needed. */
  readonly permission?: (() => Promise<boolean>) | undefined;
  /** The share that the agent may take beyond its room. */
  readonly beyond?: number;
}

/** Time that an agent gives the others, after claiming its share, before it claims from the rest. */
const othersFirstMs = 250;

export class ReplicaClaims {
  readonly #options: ReplicaClaimsOptions;
  #heldIDs: readonly string[] = [];
  #last: Promise<void> = Promise.resolve();
  #noPartUntilMs = -Infinity;

  constructor(options: ReplicaClaimsOptions) {
    this.#options = options;
  }

  /** @param replicaIDs the replicas that the agent holds by the database, as of the last renewal */
  setHeld(replicaIDs: readonly string[]): void {
    this.#heldIDs = replicaIDs;
  }

  /** Whether waiting replicas of users who are not funded may be claimed, as far as the agent knows. */
  get countsUnfunded(): boolean {
    return this.#options.steadyClock() >= this.#noPartUntilMs;
  }

  /** Whether the agent holds replicas by the database that it does not publish. */
  get areAnyUnknown(): boolean {
    return this.#unknownIDs().length > 0;
  }

  /**
   * Claims replicas that fit, after all earlier claims: two at once would count the same room, and claim too much.
   */
  claim(): Promise<void> {
    const claimed = this.#last.then(() => this.#claimWhatFits());
    this.#last = claimed.catch(() => {});
    return claimed;
  }

  /**
   * Reserves room for a replica that is held without this share of the agent, after all earlier claims.
   * @param take called if there is room, to take the share
   * @returns whether there is room
   */
  makeRoom(share: number, take: () => void, { permission, beyond = 0 }: RoomOptions = {}): Promise<boolean> {
    const made = this.#last.then(async () => {
      const isTooMuch = this.#options.replicas.usedShare + share > 1 + beyond;
      if (isTooMuch || (permission && !(await permission()))) return false;
      take();
      return true;
    });
    this.#last = made.then(
      () => {},
      () => {},
    );
    return made;
  }

  /** Resolves when no claim is under way. */
  idle(): Promise<void> {
    return this.#last;
  }

  async #claimWhatFits(): Promise<void> {
    const { agentID, backends, data, replicas, mayBegin, mayClaim } = this.#options;
    if (mayBegin()) for (const replica of await this.#claimedUnawares()) replicas.begin(replica, { isResumed: true });
    if (!mayClaim()) return;
    const areAnyOffered = await this.#claimShare();
    const room = this.#room;
    if (!areAnyOffered || !mayClaim() || room.streams <= 0) return;
    for (const replica of await data.replicaClaims.succeed(agentID, backends, room)) replicas.begin(replica);
  }

  get #room(): Room {
    const { capacity, backends, replicas } = this.#options;
    return roomOf(capacity, replicas.usedShare, backends);
  }

  /**
   * Claims this agent's share. The rest is for other agents; it is shared out again if they have not claimed it soon.
   * @returns whether other agents offer replicas to successors
   */
  async #claimShare(): Promise<boolean> {
    const { agentID, backends, data, replicas, mayClaim, steadyClock } = this.#options;
    if (this.#room.streams <= 0) return false;
    const { waiting, offered, takers, isPartLeft } = await data.replicaClaims.demand(agentID, backends);
    this.#noPartUntilMs = isPartLeft ? -Infinity : steadyClock() + noPartForMs(takers);
    if (waiting === 0 || !mayClaim()) return offered;
    const share = claimShare(waiting, takers);
    const room = this.#room;
    const claimed = await data.replicaClaims.claim(agentID, backends, {
      ...room,
      streams: Math.min(room.streams, share),
    });
    for (const replica of claimed) replicas.begin(replica);
    if (claimed.length > 0 && waiting > share) {
      // A failure is retried with the next renewal.
      setTimeout(() => void this.claim().catch(() => {}), othersFirstMs).unref();
    }
    return offered;
  }

  /**
   * Replicas that the agent holds by the database, but does not publish: those dealt to it after another agent died,
   * and those of a claim whose answer was lost with its connection. No other agent can claim them.
   */
  async #claimedUnawares(): Promise<Replica[]> {
    const { agentID, data } = this.#options;
    const unknownIDs = this.#unknownIDs();
    return unknownIDs.length === 0 ? [] : await data.replicas.heldOf(agentID, unknownIDs);
  }

  #unknownIDs(): string[] {
    return this.#heldIDs.filter((id) => !this.#options.replicas.byID.has(id));
  }
}
