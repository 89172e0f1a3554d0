// Knows how an agent's lease stands, and has the agent stop before somebody else may hold what it holds.
import { setTimeout } from 'node:timers/promises';
import { leaseMs, mustStop } from '../domain/lease.ts';
import { askPeers } from './peers.ts';

export interface LeaseGuardOptions {
  readonly steadyClock: () => number;
  /** Agents that could renew a moment ago. */
  readonly peerURLs: () => readonly string[];
  /** Sending has to end now. It may go on once a renewal succeeds that still finds the lease. */
  readonly onCutOff: (how: 'cut off' | 'asleep') => void;
}

const lookEveryMs = 250;
/** A renewal later than this is worth a question. */
const lateAfterMs = 1500;
/** Who did not even look for this long was stopped by the system, and what it holds may be another's. */
const asleepAfterMs = 2000;

export class LeaseGuard {
  readonly #options: LeaseGuardOptions;
  #renewedAtMs: number;
  #renewingForMs = 0;
  #isCutOff = false;

  constructor(options: LeaseGuardOptions) {
    this.#options = options;
    this.#renewedAtMs = options.steadyClock();
  }

  /** @param askedAtMs when the renewal was sent: the lease is counted from then at the earliest */
  renewed(askedAtMs: number, renewingForMs: number): void {
    this.#renewedAtMs = askedAtMs;
    this.#renewingForMs = renewingForMs;
    this.#isCutOff = false;
  }

  /** Whether anything may be taken: not before a renewal in time has said that the lease still holds. */
  get isSure(): boolean {
    return !this.#isCutOff && this.#options.steadyClock() - this.#renewedAtMs <= lateAfterMs + lookEveryMs;
  }

  /** For peers: since when this agent renews, in milliseconds; null when it cannot at the moment. */
  renewingForMs(): number | null {
    const sinceMs = this.#options.steadyClock() - this.#renewedAtMs;
    return sinceMs > lateAfterMs + lookEveryMs ? null : this.#renewingForMs + sinceMs;
  }

  async watch(signal: AbortSignal): Promise<void> {
    const { steadyClock, peerURLs, onCutOff } = this.#options;
    const leaseLeftMs = () => this.#renewedAtMs + leaseMs - steadyClock();
    let lookedAtMs = steadyClock();
    while (!signal.aborted) {
      const wasAsleep = steadyClock() - lookedAtMs > asleepAfterMs;
      const isLate = steadyClock() - this.#renewedAtMs > lateAfterMs;
      if (isLate && !this.#isCutOff) {
        const isOver = wasAsleep && leaseLeftMs() < 0;
        const answers = isOver ? [] : await askPeers(peerURLs());
        if (isOver || mustStop(leaseLeftMs(), answers)) {
          this.#isCutOff = true;
          onCutOff(isOver ? 'asleep' : 'cut off');
        }
      }
      lookedAtMs = steadyClock();
      await setTimeout(lookEveryMs, undefined, { signal }).catch(() => {});
    }
  }
}
