// Claims replicas for an agent: its share of what waits, as far as it has room.
import type { Database } from '../../data/database.ts';
import type { Replica } from '../../data/fleet/replicas.ts';
import type { StreamBackend } from '../../domain/streams/stream-words.ts';
import { roomOf } from '../../domain/fleet/capacity.ts';
import type { Capacity, Room } from '../../domain/fleet/capacity.ts';
import { claimShare } from '../../domain/fleet/claim-share.ts';
import type { AgentReplicas } from './agent-replicas.ts';

export interface ReplicaClaimsOptions {
  readonly agentID: string;
  readonly capacity: Capacity;
  readonly backends: readonly StreamBackend[];
  readonly data: Database;
  readonly replicas: Pick<AgentReplicas, 'usedShare' | 'begin'> & {
    readonly byID: Pick<AgentReplicas['byID'], 'has'>;
  };
  /** Whether the agent may send what the database counts as its own. */
  readonly mayBegin: () => boolean;
  /** Whether the agent may take anything besides at the moment. */
  readonly mayClaim: () => boolean;
}

/** How long an agent leaves to the others what is left after it has taken its share. */
const othersFirstMs = 250;

export class ReplicaClaims {
  readonly #options: ReplicaClaimsOptions;
  #heldIDs: readonly string[] = [];
  #last: Promise<void> = Promise.resolve();

  constructor(options: ReplicaClaimsOptions) {
    this.#options = options;
  }

  /** @param replicaIDs what the agent holds, as the database said with the last renewal */
  noteHeld(replicaIDs: readonly string[]): void {
    this.#heldIDs = replicaIDs;
  }

  /** Whether the database counts replicas as this agent's that the agent does not publish. */
  get areAnyUnknown(): boolean {
    return this.#unknownIDs().length > 0;
  }

  /**
   * Claims what fits, after the claims that were begun before: two at once would count the same room, and claim
   * too much.
   */
  claim(): Promise<void> {
    const claimed = this.#last.then(() => this.#claimWhatFits());
    this.#last = claimed.catch(() => {});
    return claimed;
  }

  /**
   * Has a replica that is held without a share of the agent take it, after the claims that were begun before.
   * @param take called at once when there is room, so that the share is taken
   * @returns whether there is room
   */
  makeRoom(share: number, take: () => void): Promise<boolean> {
    const { capacity, backends, replicas } = this.#options;
    const made = this.#last.then(() => {
      const isThere = share <= roomOf(capacity, replicas.usedShare, backends).share;
      if (isThere) take();
      return isThere;
    });
    this.#last = made.then(() => {});
    return made;
  }

  /** Resolves when no claim is under way. */
  settled(): Promise<void> {
    return this.#last;
  }

  async #claimWhatFits(): Promise<void> {
    const { agentID, backends, data, replicas, mayBegin, mayClaim } = this.#options;
    if (mayBegin()) for (const replica of await this.#claimedUnawares()) replicas.begin(replica);
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
   * What is left, others may take; what they have not taken soon is shared out again.
   * @returns whether others offer any to successors
   */
  async #claimShare(): Promise<boolean> {
    const { agentID, backends, data, replicas, mayClaim } = this.#options;
    if (this.#room.streams <= 0) return false;
    const { waiting, offered, takers } = await data.replicaClaims.demand(agentID, backends);
    if (waiting === 0 || !mayClaim()) return offered;
    const share = claimShare(waiting, takers);
    const room = this.#room;
    const claimed = await data.replicaClaims.claim(agentID, backends, {
      ...room,
      streams: Math.min(room.streams, share),
    });
    for (const replica of claimed) replicas.begin(replica);
    if (claimed.length > 0 && waiting > share) {
      // What fails is done again with the next renewal.
      setTimeout(() => void this.claim().catch(() => {}), othersFirstMs).unref();
    }
    return offered;
  }

  /**
   * Replicas that the database counts as this agent's, so that no other agent would ever get them: those that it was
   * dealt of what another agent held, and those of an answer that was lost together with its connection.
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
