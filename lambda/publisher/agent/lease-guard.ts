// Watches an agent's lease, and has the agent stop sending before another agent may hold the same replicas.
import { setTimeout } from 'node:timers/promises';
import { leaseMs, mustStop } from '../../domain/fleet/lease.ts';
import { askPeers } from './peers.ts';

export interface LeaseGuardOptions {
  readonly steadyClock: () => number;
  /** Agents that could renew a moment ago. */
  readonly peerURLs: () => readonly string[];
  /** Called when sending has to end now. It may go on once a renewal succeeds and finds that the lease still holds. */
  readonly onCutOff: (how: 'cut off' | 'asleep') => void;
}

const lookEveryMs = 250;
/** When the last renewal is older than this, peers are asked whether they can renew. */
const lateAfterMs = 1500;
/**
 * A process that did not look at the clock for this long was stopped by the system, and others may hold its replicas.
 * Others take over only after renewing for a whole lease, so while less time has passed since the last look, the
 * replicas are still its own.
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
  renewed(askedAtMs: number, renewingForMs: number): void {
    this.#renewedAtMs = askedAtMs;
    this.#renewingForMs = renewingForMs;
    // An answer that lay here while the process was stopped says nothing about the present.
    if (this.#leaseLeftMs() < 0) return;
    this.#isCutOff = false;
    this.#hasOverslept = false;
  }

  /** Whether the agent may claim replicas: only while renewals are answered in time. */
  get isSure(): boolean {
    return !this.#isCutOff && this.#options.steadyClock() - this.#renewedAtMs <= lateAfterMs + lookEveryMs;
  }

  /** For peers: since when this agent renews, in milliseconds; null when it cannot at the moment. */
  renewingForMs(): number | null {
    const sinceMs = this.#options.steadyClock() - this.#renewedAtMs;
    return sinceMs > lateAfterMs + lookEveryMs ? null : this.#renewingForMs + sinceMs;
  }

  /**
   * Asked before every write to a destination: after a stop of the process that outlasted the lease, the timers that
   * send may fire before any other code runs.
   */
  maySend(): boolean {
    this.#noticeSleep();
    return !this.#hasOverslept;
  }

  async watch(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#lookUntil(signal), this.#askUntil(signal)]);
  }

  /** Looks at the clock in a loop of its own: the time that peers take to answer is no sleep of this process. */
  async #lookUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#noticeSleep();
      this.#lookedAtMs = this.#options.steadyClock();
      await setTimeout(lookEveryMs, undefined, { signal }).catch(() => {});
    }
  }

  /** Asks peers again and again while the last renewal is late, and sleeps until it would be. */
  async #askUntil(signal: AbortSignal): Promise<void> {
    const { steadyClock, peerURLs } = this.#options;
    while (!signal.aborted) {
      const lateInMs = this.#renewedAtMs + lateAfterMs - steadyClock();
      if (lateInMs < 0 && !this.#isCutOff) {
        const answers = await askPeers(peerURLs());
        if (!this.#isCutOff && mustStop(this.#leaseLeftMs(), answers)) this.#cutOff('cut off');
      }
      await setTimeout(Math.max(lookEveryMs, lateInMs), undefined, { signal }).catch(() => {});
    }
  }

  #noticeSleep(): void {
    const sinceLookMs = this.#options.steadyClock() - this.#lookedAtMs;
    if (this.#hasOverslept || sinceLookMs < asleepAfterMs || this.#leaseLeftMs() > 0) return;
    this.#hasOverslept = true;
    this.#cutOff('asleep');
  }

  #leaseLeftMs(): number {
    return this.#renewedAtMs + leaseMs - this.#options.steadyClock();
  }

  #cutOff(how: 'cut off' | 'asleep'): void {
    this.#isCutOff = true;
    this.#options.onCutOff(how);
  }
}
