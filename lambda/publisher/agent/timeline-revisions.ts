// The current revisions of the timelines of an agent's replicas, so that only changed timelines are loaded again.

export interface TimelineRevisionsOptions {
  /** Reads the revisions by replica id. A missing replica has revision 0. */
  readonly read: () => Promise<ReadonlyMap<string, number>>;
  readonly steadyClock: () => number;
}

/** Often enough: a published playlist applies 10 s later at the earliest, and items are looked up 2.5 s ahead. */
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

  /** The revision of a replica's timeline a moment ago; null if unknown. */
  of(replicaID: string): number | null {
    if (this.#options.steadyClock() - this.#readAtMs > validForMs) return null;
    return this.#byReplica.get(replicaID) ?? 0;
  }
}
