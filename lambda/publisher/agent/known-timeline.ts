// What a stream plays, loaded when it has changed, and remembered for as long as the database does not answer.
import { setTimeout } from 'node:timers/promises';

export interface KnownTimelineOptions<Value> {
  readonly load: () => Promise<Value>;
  /** The revision of the timeline; null while nobody knows. Then it is loaded each time. */
  readonly revision: () => number | null;
  /** Whether all that can be known of the value is known, so that it stays good while its revision does. */
  readonly isWhole: (value: Value) => boolean;
  readonly onFailure: (error: unknown) => void;
  readonly steadyClock: () => number;
}

interface Known<Value> {
  readonly value: Value;
  readonly revision: number | null;
  readonly loadedAtMs: number;
}

/** A timeline that takes longer to load comes too late: what plays next is read two seconds ahead. */
const withinMs = 500;
/** What a revision does not count, such as where the content of an upload lies, is seen within this time. */
const goodForMs = 5 * 60_000;

export class KnownTimeline<Value> {
  readonly #options: KnownTimelineOptions<Value>;
  #known: Known<Value> | null = null;
  // One load at a time: many that wait for an answer would take all connections of the pool.
  #loading: Promise<Value> | null = null;

  constructor(options: KnownTimelineOptions<Value>) {
    this.#options = options;
  }

  /** The timeline; as it was last, where loading it fails or takes long. @throws as `load`, the first time */
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

  /** Has it loaded anew the next time, as something of it turned out to be wrong. */
  forget(): void {
    if (this.#known) this.#known = { ...this.#known, revision: null };
  }

  async #load(): Promise<Value> {
    const { load, revision, steadyClock } = this.#options;
    // The revision from before: what changes while it is loaded has another.
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
