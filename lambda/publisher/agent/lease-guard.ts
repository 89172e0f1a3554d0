// Watches an agent's lease, and stops the agent from sending before another agent may hold the same replicas.
import { setTimeout } from 'node:timers/promises';
import { leaseMs, mustStop } from '../../domain/fleet/lease.ts';
import { askPeers } from './peers.ts';

export interface LeaseGuardOptions {
  readonly steadyClock: () => number;
  /** URLs of agents that could renew a moment ago. */
  readonly peerURLs: () => readonly string[];
  /**
   * Called when sending must stop now. It may resume after a renewal that finds that the lease still holds.
   * @param silentSinceMs when the agent sent last, by the steady clock
   */
  readonly onCutOff: (how: 'cut off' | 'asleep', silentSinceMs: number) => void;
}

const lookEveryMs = 250;
/** If the last renewal is older than this, peers are asked whether they can renew. */
const lateAfterMs = 1500;
/**
 * A process that did not read the clock for this long was stopped by the system, and other agents may hold its
 * replicas. They take over only after renewing for a whole lease, so after a shorter stop the replicas are still its
 * own.
 */
const asleepAfterMs = leaseMs - 1500;

export class LeaseGuard {
  readonly #options: LeaseGuardOptions;
  #renewedAtMs: number;
  #renewingForMs = 0;
  #lookedAtMs: number;
  #isCutOff = false;
  #hasOverslept = false;

  constructor(options: LeaseGuardOptions) {
    this.#options = options;
    this.#renewedAtMs = options.steadyClock();
    this.#lookedAtMs = this.#renewedAtMs;
  }

  /** @param askedAtMs when the renewal was sent: the lease is counted from then at the earliest */
  protected renewed(askedAtMs: number, renewingForMs: number): void {
    this.#renewedAtMs = askedAtMs;
    this.#renewingForMs = renewingForMs;
    // The process may have been stopped before it read this answer, which is then outdated.
    if (this.#leaseLeftMs() < 0) return;
    this.#isCutOff = false;
    this.#hasOverslept = false;
  }

  /** Whether the agent may claim replicas: only while renewals are answered in time. */
  get mayClaim(): boolean {
    return !this.#isCutOff && this.#options.steadyClock() - this.#renewedAtMs <= lateAfterMs + lookEveryMs;
  }

  /** How long this agent has renewed without a failure, in milliseconds, for its peers; null if it cannot renew now. */
  renewingForMs(): number | null {
    const sinceMs = this.#options.steadyClock() - this.#renewedAtMs;
    return sinceMs > lateAfterMs + lookEveryMs ? null : this.#renewingForMs + sinceMs;
  }

  /**
   * Whether the agent may send. Senders ask before every write: after the process was stopped for longer than the
   * lease, timers that send may fire before any other code runs. Decision D76.
   */
  maySend(): boolean {
    this.#noticeSleep();
    return !this.#hasOverslept;
  }

  /** Makes the agent stop sending before another agent may hold its replicas. Resolves when the signal aborts. */
  async watch(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#lookUntil(signal), this.#askUntil(signal)]);
  }

  /** Reads the clock in its own loop, so that the time that peers take to answer does not count as a stop. */
  async #lookUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#noticeSleep();
      this.#lookedAtMs = this.#options.steadyClock();
      await setTimeout(lookEveryMs, undefined, { signal }).catch(() => {});
    }
  }

  /** Asks peers repeatedly while the last renewal is late; otherwise sleeps until it would be late. Decision D71. */
  async #askUntil(signal: AbortSignal): Promise<void> {
    const { steadyClock, peerURLs } = this.#options;
    while (!signal.aborted) {
      const lateInMs = this.#renewedAtMs + lateAfterMs - steadyClock();
      if (lateInMs < 0 && !this.#isCutOff) {
        const answers = await askPeers(peerURLs());
        if (!this.#isCutOff && mustStop(this.#leaseLeftMs(), answers))
          this.#cutOff('cut off', this.#options.steadyClock());
      }
      await setTimeout(Math.max(lookEveryMs, lateInMs), undefined, { signal }).catch(() => {});
    }
  }

  #noticeSleep(): void {
    const sinceLookMs = this.#options.steadyClock() - this.#lookedAtMs;
    if (this.#hasOverslept || sinceLookMs < asleepAfterMs || this.#leaseLeftMs() > 0) return;
    this.#hasOverslept = true;
    this.#cutOff('asleep', this.#lookedAtMs);
  }

  #leaseLeftMs(): number {
    return this.#renewedAtMs + leaseMs - this.#options.steadyClock();
  }

  #cutOff(how: 'cut off' | 'asleep', silentSinceMs: number): void {
    this.#isCutOff = true;
    this.#options.onCutOff(how, silentSinceMs);
  }
}
