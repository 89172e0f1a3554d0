// The times of renewals of agents that share one process, beside the delays of that process.
// Agents of a stage have a process each.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { quantile } from './quantile.ts';

const sampledEveryMs = 10;

export class RenewalTimes {
  #tookMs: number[] = [];
  #waitedMs: number[] = [];
  readonly #loop = monitorEventLoopDelay({ resolution: sampledEveryMs });

  constructor() {
    this.#loop.enable();
  }

  /**
   * Records a renewal.
   * @param tookMs all of it
   * @param waitedMs the part in which all connections were in use by other agents
   */
  add(tookMs: number, waitedMs: number): void {
    this.#tookMs.push(tookMs);
    this.#waitedMs.push(waitedMs);
  }

  /** Forgets the renewals so far. */
  reset(): void {
    this.#tookMs = [];
    this.#waitedMs = [];
    this.#loop.reset();
  }

  /** The renewals since the last reset, in words. The samples of the event loop include the time between them. */
  summary(): string {
    const lateMs = (ns: number) => Math.max(0, ns / 1e6 - sampledEveryMs).toFixed(0);
    return (
      `a renewal p50 ${quantile(this.#tookMs, 0.5).toFixed(1)} ms, p99 ${quantile(this.#tookMs, 0.99).toFixed(1)} ms ` +
      `(p99 ${quantile(this.#waitedMs, 0.99).toFixed(1)} ms for a connection; this process, which is all agents, ` +
      `was late by p99 ${lateMs(this.#loop.percentile(99))} ms, at most ${lateMs(this.#loop.max)} ms)`
    );
  }
}
