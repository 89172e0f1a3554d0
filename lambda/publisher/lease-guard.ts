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
/**
 * Who did not even look for this long was stopped by the system, and what it holds may be another's: others take over only after renewing
 * for a whole lease, so it was still its own when less has passed since peers were last asked.
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
    // An answer that waited here while we slept says nothing about now.
    if (this.#leaseLeftMs() < 0) return;
    this.#isCutOff = false;
    this.#hasOverslept = false;
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

  /** Asked before every write to a destination: whoever was stopped until its lease was over has to learn it before the timers that send. */
  maySend(): boolean {
    this.#noticeSleep();
    return !this.#hasOverslept;
  }

  async watch(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#lookUntil(signal), this.#askUntil(signal)]);
  }

  /** By itself: how long peers take to answer is no sleep of ours. */
  async #lookUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#noticeSleep();
      this.#lookedAtMs = this.#options.steadyClock();
      await setTimeout(lookEveryMs, undefined, { signal }).catch(() => {});
    }
  }

  async #askUntil(signal: AbortSignal): Promise<void> {
    const { steadyClock, peerURLs } = this.#options;
    while (!signal.aborted) {
      const isLate = steadyClock() - this.#renewedAtMs > lateAfterMs;
      if (isLate && !this.#isCutOff) {
        const answers = await askPeers(peerURLs());
        if (!this.#isCutOff && mustStop(this.#leaseLeftMs(), answers)) this.#cutOff('cut off');
      }
      await setTimeout(lookEveryMs, undefined, { signal }).catch(() => {});
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
