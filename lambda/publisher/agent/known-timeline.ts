// A cache of a stream's timeline: loaded when its revision changes, and kept while the database does not answer.
import { setTimeout } from 'node:timers/promises';

export interface KnownTimelineOptions<Value> {
  readonly load: () => Promise<Value>;
  /** The current revision of the timeline; null if unknown. Then the timeline is loaded each time. */
  readonly revision: () => number | null;
  /** Whether the value is complete, so that it stays valid until the revision changes. */
  readonly isWhole: (value: Value) => boolean;
  readonly onFailure: (error: unknown) => void;
  readonly steadyClock: () => number;
}

interface Known<Value> {
  readonly value: Value;
  readonly revision: number | null;
  readonly loadedAtMs: number;
}

/** Time to wait for a load before the last known value is used: the next item is read only two seconds ahead. */
const withinMs = 500;
/** Age at which a value is loaded again, for changes that no revision counts, such as an upload's content address. */
const goodForMs = 5 * 60_000;

export class KnownTimeline<Value> {
  readonly #options: KnownTimelineOptions<Value>;
  #known: Known<Value> | null = null;
  // One load at a time: several that wait for an answer would take all connections of the pool.
  #loading: Promise<Value> | null = null;

  constructor(options: KnownTimelineOptions<Value>) {
    this.#options = options;
  }

  /** The timeline; the last known one if loading fails or takes long. @throws the error of `load`, the first time */
  async get(): Promise<Value> {
    const known = this.#known;
    if (known && this.#isFresh(known)) return known.value;
    this.#loading ??= this.#load().finally(() => (this.#loading = null));
    if (!known) return this.#loading;
    const late = setTimeout(withinMs, known.value, { ref: false });
    return Promise.race([this.#loading, late]).catch((error: unknown) => {
      this.#options.onFailure(error);
      return known.value;
    });
  }

  /**
   * The timeline of the current revision, also if it is not complete. Cheap, so it may be called for every span.
   * @throws the error of `load`, the first time
   */
  async current(): Promise<Value> {
    const revisionNow = this.#options.revision();
    const known = this.#known;
    return known && (revisionNow === null || known.revision === revisionNow) ? known.value : this.get();
  }

  /** Makes the next `get` load the timeline again, because something in it turned out to be wrong. */
  forget(): void {
    if (this.#known) this.#known = { ...this.#known, revision: null };
  }

  async #load(): Promise<Value> {
    const { load, revision, steadyClock } = this.#options;
    // The revision from before the load: a change during the load has a later one.
    const before = { revision: revision(), loadedAtMs: steadyClock() };
    const value = await load();
    this.#known = { value, ...before };
    return value;
  }

  #isFresh({ value, revision, loadedAtMs }: Known<Value>): boolean {
    const { revision: revisionNow, isWhole, steadyClock } = this.#options;
    return revision !== null && revision === revisionNow() && steadyClock() - loadedAtMs < goodForMs && isWhole(value);
  }
}
