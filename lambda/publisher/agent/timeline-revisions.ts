// Which revision of their timelines the agent's replicas have, so that none is loaded again that has not changed.

export interface TimelineRevisionsOptions {
  /** Revisions by the id of the replica. Those that it lacks have the revision 0. */
  readonly read: () => Promise<ReadonlyMap<string, number>>;
  readonly steadyClock: () => number;
}

/** A playlist that is published takes over 10 s later at the earliest, and items are looked up 2.5 s ahead. */
const readEveryMs = 3000;
const validForMs = 5000;

export class TimelineRevisions {
  readonly #options: TimelineRevisionsOptions;
  #byReplica: ReadonlyMap<string, number> = new Map();
  #readAtMs = -Infinity;

  constructor(options: TimelineRevisionsOptions) {
    this.#options = options;
  }

  get areDue(): boolean {
    return this.#options.steadyClock() - this.#readAtMs >= readEveryMs - 500;
  }

  async read(): Promise<void> {
    const askedAtMs = this.#options.steadyClock();
    this.#byReplica = await this.#options.read();
    this.#readAtMs = askedAtMs;
  }

  /** The revision of a replica's timeline a moment ago; null while nobody knows. */
  of(replicaID: string): number | null {
    if (this.#options.steadyClock() - this.#readAtMs > validForMs) return null;
    return this.#byReplica.get(replicaID) ?? 0;
  }
}
