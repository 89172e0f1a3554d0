// The timelines of an agent: replicas of one run share one in memory, as the timeline of a long list is large.
import type { KnownTimeline } from './known-timeline.ts';
import type { TimelineRevisions } from './timeline-revisions.ts';

/** The current revision of a timeline; null if unknown. */
export type Revision = () => number | null;

export class SharedTimelines {
  readonly #revisions: Pick<TimelineRevisions, 'of'>;
  /** By the run. A replica that ends does not give its timeline back, so nothing here keeps one. */
  readonly #byRun = new Map<string, WeakRef<object>>();
  /** The latest revisions of the replicas of a timeline, by their ids. */
  readonly #revisionsOf = new WeakMap<object, Map<string, number>>();
  readonly #gone = new FinalizationRegistry<string>((run) => {
    if (this.#byRun.get(run)?.deref() === undefined) this.#byRun.delete(run);
  });

  constructor(revisions: Pick<TimelineRevisions, 'of'>) {
    this.#revisions = revisions;
  }

  /** The number of timelines in memory. */
  get size(): number {
    return [...this.#byRun.values()].filter((timeline) => timeline.deref()).length;
  }

  /**
   * The timeline of a run for one of its replicas.
   * @param run names the run, and the kind of `Value`
   * @param make makes it for the first replica
   */
  of<Value>(run: string, replicaID: string, make: (revision: Revision) => KnownTimeline<Value>): KnownTimeline<Value> {
    const known = this.#byRun.get(run)?.deref() as KnownTimeline<Value> | undefined;
    if (known) {
      const revisions = this.#revisionsOf.get(known)!;
      revisions.set(replicaID, revisions.get(replicaID) ?? 0);
      return known;
    }
    const revisions = new Map([[replicaID, 0]]);
    const timeline = make(() => this.#sumOf(revisions));
    this.#byRun.set(run, new WeakRef(timeline));
    this.#revisionsOf.set(timeline, revisions);
    this.#gone.register(timeline, run);
    return timeline;
  }

  /** The sum of the revisions, which grows with each change that any replica sees, and never falls when one ends. */
  #sumOf(revisions: Map<string, number>): number | null {
    let sum = 0;
    for (const [id, latest] of revisions) {
      const revision = this.#revisions.of(id);
      if (revision === null) return null;
      revisions.set(id, Math.max(latest, revision));
      sum += revisions.get(id)!;
    }
    return sum;
  }
}
