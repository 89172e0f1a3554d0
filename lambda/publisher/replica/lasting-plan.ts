// What a replica publishes, as last read: the stream goes on by it while the database is away.
import type { PublishPlan } from './publish-plan.ts';

export interface LastingPlanOptions {
  /** Reads what to play and where to; anew before each connection. */
  readonly loadPlan: () => Promise<PublishPlan>;
  /** Fixes the anchor of the run; answers the milliseconds since it. */
  readonly anchor: () => Promise<number>;
  readonly steadyClock: () => number;
}

export class LastingPlan {
  readonly #options: LastingPlanOptions;
  #last: PublishPlan | null = null;
  /** When the run's anchor was, by the steady clock; null until it was asked for. */
  #anchoredAtMs: number | null = null;

  constructor(options: LastingPlanOptions) {
    this.#options = options;
  }

  /**
   * Reads the plan, or answers the last one with the time that has passed: while the database is away, a replica that
   * lost its destination connects to the same one again.
   * @throws what loading throws, until it has once succeeded
   */
  async load(): Promise<PublishPlan> {
    try {
      this.#last = await this.#options.loadPlan();
      return this.#last;
    } catch (error) {
      const elapsedMs = this.sinceAnchorMs();
      if (!this.#last || elapsedMs === null) throw error;
      return { ...this.#last, elapsedMs };
    }
  }

  /** Milliseconds since the run's anchor by our own clock; null if the database was never asked for the anchor. */
  sinceAnchorMs(): number | null {
    return this.#anchoredAtMs === null ? null : this.#options.steadyClock() - this.#anchoredAtMs;
  }

  /** Milliseconds since the anchor of the run. @throws as `load` does */
  async anchor(): Promise<number> {
    const { anchor, steadyClock } = this.#options;
    try {
      const sinceMs = await anchor();
      this.#anchoredAtMs = steadyClock() - sinceMs;
      return sinceMs;
    } catch (error) {
      const sinceMs = this.sinceAnchorMs();
      if (sinceMs === null) throw error;
      return sinceMs;
    }
  }
}
