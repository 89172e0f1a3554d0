// What a replica publishes, as last read: a plan outlives the database.
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
  /** By the steady clock. */
  #anchoredAtMs: number | null = null;

  constructor(options: LastingPlanOptions) {
    this.#options = options;
  }

  /** A destination that is lost while the database is away too is connected to as before. @throws what loading throws, until it has once succeeded */
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

  /** By our own clock, from when it was last asked for; null if it never was. */
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
