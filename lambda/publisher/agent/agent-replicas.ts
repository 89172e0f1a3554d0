// The replicas that an agent holds and publishes, by id.
import type { StoredCost } from '../../data/fleet/replica-costs.ts';
import type { Replica } from '../../data/fleet/replicas.ts';
import type { ReplicaFigures, SaidFigures } from '../../data/fleet/figures.ts';
import type { HeldReplica } from '../replica/held-replica.ts';
import type { Resumed } from '../replica/held-share.ts';

/**
 * Begins to publish a replica after `predecessor` has ended, which may still send with the same stream key. `resumed`
 * is null if it was claimed now.
 */
export type BeginReplica = (
  replica: Replica,
  predecessor: Promise<void> | undefined,
  resumed: Resumed | null,
) => HeldReplica;

export class AgentReplicas {
  readonly #begin: BeginReplica;
  readonly #byID = new Map<string, HeldReplica>();
  /** Replicas that have ended, and whose last aired stretches are not recorded yet. */
  readonly #ended = new Set<HeldReplica>();

  constructor(begin: BeginReplica) {
    this.#begin = begin;
  }

  /** A live view: replicas that end leave it. */
  get byID(): ReadonlyMap<string, HeldReplica> {
    return this.#byID;
  }

  /** Whether the encoder of any replica falls behind. */
  get areAnyShortOfMedia(): boolean {
    return this.#byID.values().some((held) => held.isShortOfMedia);
  }

  /** The costs on the air of the replicas of a stream in one role. */
  costsOf(streamID: string, role: Replica['role']): StoredCost[] {
    const ofStream = [...this.#byID.values()].filter((held) => held.streamID === streamID);
    return ofStream.filter(({ claimed }) => claimed.role === role).map(({ cost }) => cost);
  }

  /** The share of the agent that all replicas occupy together. */
  get usedShare(): number {
    let used = 0;
    for (const replica of this.#byID.values()) used += replica.share;
    return used;
  }

  /**
   * Publishes a claimed replica. The agent may still publish the same replica for an earlier claim, which then ends
   * first.
   * @param options.isResumed whether this agent has held it all the time
   */
  begin(replica: Replica, { isResumed = false }: { readonly isResumed?: boolean } = {}): void {
    const predecessor = this.#byID.get(replica.id);
    const resumed = isResumed ? { heldShare: predecessor?.share ?? null } : null;
    const held = this.#begin(replica, predecessor?.end(), resumed);
    this.#byID.set(replica.id, held);
    void held.finished.then(() => {
      this.#ended.add(held);
      // The replica may have been claimed and begun again meanwhile.
      if (this.#byID.get(replica.id) === held) this.#byID.delete(replica.id);
    });
  }

  /** Ends replicas whose streams or outputs have ended. */
  endForGood(replicaIDs: readonly string[]): void {
    for (const id of replicaIDs) this.#byID.get(id)?.endForGood();
  }

  /** Ends all, so that other agents can claim them. Resolves when no connection and no process is left. */
  async end(): Promise<void> {
    await Promise.all([...this.#byID.values()].map((held) => held.end()));
  }

  /** Whether any replica has aired stretches to record: it has ended, or has sent much since the last record. */
  get haveAnyToRecord(): boolean {
    return this.#ended.size > 0 || this.#byID.values().some(({ figures }) => figures.aired.isRecordDue);
  }

  /** Writes the aired stretches of those replicas by `write`. A failure leaves them to the next call. */
  async recordAired(write: (aired: readonly SaidFigures[]) => Promise<void>): Promise<void> {
    const ended = [...this.#ended];
    const sending = [...this.#byID.values()].filter(({ figures }) => figures.aired.isRecordDue);
    const unrecorded = [...ended, ...sending].map((held) => ({ held, aired: held.figures.aired.unrecorded }));
    await write(
      unrecorded.map(({ held: { claim }, aired }) => ({ replicaID: claim.id, epoch: claim.epoch, stats: { aired } })),
    );
    for (const { held, aired } of unrecorded) held.figures.aired.markRecorded(aired);
    for (const held of ended) this.#ended.delete(held);
  }

  /** The figures of each replica. @param sampledAt now, by the database's clock */
  sampleFigures(sampledAt: Date): ReplicaFigures[] {
    return [...this.#byID.values()].map((held) => held.sampleFigures(sampledAt));
  }
}
