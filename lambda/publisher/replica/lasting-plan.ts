// The last publish plan of a replica, which it uses while the database does not answer.
import type { PublishPlan } from './publish-plan.ts';

export interface LastingPlanOptions {
  /** Reads the plan; called before each connection. */
  readonly loadPlan: () => Promise<PublishPlan>;
  /** Sets the anchor of the run if it has none. @returns the milliseconds since it */
  readonly anchor: () => Promise<number>;
  readonly steadyClock: () => number;
}

export class LastingPlan {
  readonly #options: LastingPlanOptions;
  #last: PublishPlan | null = null;
  /** The time of the run's anchor, by the steady clock; null until it was read. */
  #anchoredAtMs: number | null = null;

  constructor(options: LastingPlanOptions) {
    this.#options = options;
  }

  /**
   * Reads the plan. If that fails, returns the last one, moved to the present: a replica that lost its connection can
   * then connect to the same destination without the database.
   * @throws the error of `loadPlan`, until it has once succeeded
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

  /** Milliseconds since the run's anchor by our own clock; null if the anchor was never read. */
  sinceAnchorMs(): number | null {
    return this.#anchoredAtMs === null ? null : this.#options.steadyClock() - this.#anchoredAtMs;
  }

  /** Milliseconds since the run's anchor. @throws the error of the database, until the anchor was once read */
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
