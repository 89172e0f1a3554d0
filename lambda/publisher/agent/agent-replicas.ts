// The replicas that an agent holds and publishes, by id.
import type { Replica } from '../../data/fleet/replicas.ts';
import type { ReplicaFigures, SaidFigures } from '../../data/fleet/figures.ts';
import type { HeldReplica } from '../replica/held-replica.ts';

/** Begins to publish a replica once `predecessor`, which may still send on the same key, has ended. */
export type BeginReplica = (replica: Replica, predecessor: Promise<void> | undefined) => HeldReplica;

export class AgentReplicas {
  readonly #begin: BeginReplica;
  readonly #byID = new Map<string, HeldReplica>();
  /** Those that have ended, and of which nobody has noted what was aired last. */
  readonly #ended = new Set<HeldReplica>();

  constructor(begin: BeginReplica) {
    this.#begin = begin;
  }

  /** As they are at any later time. Those that end leave it. */
  get byID(): ReadonlyMap<string, HeldReplica> {
    return this.#byID;
  }

  /** Whether what encodes any of them falls behind. */
  get areAnyShortOfMedia(): boolean {
    return this.#byID.values().some((held) => held.isShortOfMedia);
  }

  /** The part of the agent that they take together. */
  get usedShare(): number {
    let used = 0;
    for (const replica of this.#byID.values()) used += replica.share;
    return used;
  }

  /**
   * Publishes a claimed replica. The agent may have held the same replica before: as the holder of an earlier claim, or
   * as its successor.
   */
  begin(replica: Replica): void {
    const predecessor = this.#byID.get(replica.id)?.end();
    const held = this.#begin(replica, predecessor);
    this.#byID.set(replica.id, held);
    void held.finished.then(() => {
      this.#ended.add(held);
      // By now the replica may have been claimed again, and begun anew.
      if (this.#byID.get(replica.id) === held) this.#byID.delete(replica.id);
    });
  }

  /** Ends those that are wanted no more. */
  endForGood(replicaIDs: readonly string[]): void {
    for (const id of replicaIDs) this.#byID.get(id)?.endForGood();
  }

  /** Lets go of all, for other agents to claim. Resolves when no connection and no process is left. */
  async end(): Promise<void> {
    await Promise.all([...this.#byID.values()].map((held) => held.end()));
  }

  /** Whether any has ended of which nobody has noted what was aired, or has sent much since somebody did. */
  get haveAnyToNote(): boolean {
    return this.#ended.size > 0 || this.#byID.values().some(({ figures }) => figures.aired.areToBeNoted);
  }

  /** Has what was aired of those noted. */
  async noteAired(note: (aired: readonly SaidFigures[]) => Promise<void>): Promise<void> {
    const ended = [...this.#ended];
    const sending = [...this.#byID.values()].filter(({ figures }) => figures.aired.areToBeNoted);
    const unnoted = [...ended, ...sending].map((held) => ({ held, aired: held.figures.aired.unnoted }));
    await note(
      unnoted.map(({ held: { claim }, aired }) => ({ replicaID: claim.id, epoch: claim.epoch, stats: { aired } })),
    );
    for (const { held, aired } of unnoted) held.figures.aired.noted(aired);
    for (const held of ended) this.#ended.delete(held);
  }

  /** What is measured of each. @param sampledAt now, by the database's clock */
  sampleFigures(sampledAt: Date): ReplicaFigures[] {
    return [...this.#byID.values()].map((held) => held.sampleFigures(sampledAt));
  }
}
