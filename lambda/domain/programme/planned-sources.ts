// The sources of a plan: walks through their collections, and the members that may begin at the time it has reached.
import type { ZoneOffsets } from './breaks.ts';
import { CollectionWalk, fewOf } from './cursors.ts';
import type { Available, Candidate, Cursor } from './cursors.ts';
import type { PlanRequest } from './plan-request.ts';
import type { PlannableCollection, PlannableItem } from './plannable.ts';
import { sourceKey } from './programme-rules.ts';
import type { ItemSource } from './programme-rules.ts';
import type { SourceOpenings } from './source-openings.ts';
import { UploadTimes } from './upload-times.ts';

/** Members of a collection that are used as filler: all are compared each time. */
const mostFillers = 1000;

/** Members with the times at which one of them may begin. */
interface Timed {
  readonly members: readonly PlannableItem[];
  readonly openings: SourceOpenings;
}

/** A source with the members that may begin at a Unix time in ms, if they are few. */
interface Source extends Timed {
  readonly walk: CollectionWalk;
  few: { readonly atMs: number; readonly items: Available['few'] } | null;
}

export class PlannedSources {
  readonly #request: Pick<PlanRequest, 'rules' | 'collections'>;
  readonly #nowMs: () => number;
  readonly #zone: ZoneOffsets;
  readonly #times = new UploadTimes();
  readonly #known = new Map<string, Source>();
  #filler: Timed | null = null;

  /** @param nowMs the time that the plan has reached, as Unix time in ms; it never decreases */
  constructor(request: Pick<PlanRequest, 'rules' | 'collections'>, zone: ZoneOffsets, nowMs: () => number) {
    this.#request = request;
    this.#zone = zone;
    this.#nowMs = nowMs;
  }

  /** Whether a source has a member that may begin now. */
  canPlay(from: ItemSource): boolean {
    return this.#isOpen(this.#sourceOf(from).openings);
  }

  /** The members of a source that may begin now, the due one first, as `CollectionWalk` gives them. */
  candidates(from: ItemSource, cursor: Cursor): Generator<Candidate> {
    const source = this.#sourceOf(from);
    return source.walk.candidates(cursor, { isAvailable: this.#mayBegin, few: this.#fewIn(source) });
  }

  hasFiller(): boolean {
    return this.#isOpen(this.#fillers().openings);
  }

  /** The filler that may begin now. */
  fillers(): readonly PlannableItem[] {
    return this.#fillers().members.filter(this.#mayBegin);
  }

  #fillers(): Timed {
    const { filler } = this.#request.rules;
    this.#filler ??= this.#timed(filler === null ? [] : this.#sourceOf(filler.from).members.slice(0, mostFillers));
    return this.#filler;
  }

  #sourceOf(from: ItemSource): Source {
    const key = sourceKey(from);
    const known = this.#known.get(key);
    if (known) return known;
    const { collections, rules } = this.#request;
    const empty: PlannableCollection = { order: 'sequential', members: [], groupOf: () => null };
    const walk = new CollectionWalk(collections.get(key) ?? empty, `${rules.seed}/${key}`);
    const source = { walk, ...this.#timed(walk.members), few: null };
    this.#known.set(key, source);
    return source;
  }

  #timed(members: readonly PlannableItem[]): Timed {
    return { members, openings: this.#times.openingsOf(members) };
  }

  #fewIn(source: Source): Available['few'] {
    if (!source.openings.isLimited) return null;
    const atMs = this.#nowMs();
    if (source.few?.atMs !== atMs) source.few = { atMs, items: fewOf(source.members, this.#mayBegin) };
    return source.few.items;
  }

  readonly #mayBegin = (item: PlannableItem): boolean => {
    const times = this.#times.of(item);
    return times === null || this.#isOpen(times);
  };

  #isOpen(times: Pick<SourceOpenings, 'isOpen'>): boolean {
    const nowMs = this.#nowMs();
    return times.isOpen(nowMs, this.#zone.offsetMsAt(nowMs));
  }
}
