// Delays for addresses that present wrong keys or break the protocol, which keep strangers from trying again and again.
import type { ListenerLimits } from './listener-limits.ts';

interface Penalty {
  readonly count: number;
  readonly notedAtMs: number;
  readonly delayMs: number;
}

interface DelayLimits extends Pick<
  ListenerLimits,
  'firstDelaySeconds' | 'mostDelaySeconds' | 'faultsForgottenAfterSeconds' | 'mostDelayedAddresses'
> {
  /** The first faults, which cost nothing; absent: none. */
  readonly faultsWithoutDelay?: number;
}

/** Remembers a bounded number of addresses: the one whose last fault is the oldest makes room. */
export class AddressDelays {
  readonly #limits: DelayLimits;
  readonly #penalties = new Map<string, Penalty>();

  constructor(limits: DelayLimits) {
    this.#limits = limits;
  }

  /** @returns the delay that a wrong key, or another fault, costs its address, in milliseconds */
  note(group: string, nowMs: number): number {
    const { firstDelaySeconds, mostDelaySeconds, mostDelayedAddresses, faultsWithoutDelay = 0 } = this.#limits;
    const count = (this.#known(group, nowMs)?.count ?? 0) + 1;
    const delayed = count - faultsWithoutDelay;
    const delayMs = delayed > 0 ? 1000 * Math.min(mostDelaySeconds, firstDelaySeconds * 2 ** (delayed - 1)) : 0;
    this.#penalties.delete(group);
    this.#penalties.set(group, { count, notedAtMs: nowMs, delayMs });
    if (this.#penalties.size > mostDelayedAddresses) this.#penalties.delete(this.#penalties.keys().next().value!);
    return delayMs;
  }

  /** The rest of the delay of an address in milliseconds; 0 without one. */
  delayLeftMs(group: string, nowMs: number): number {
    const known = this.#known(group, nowMs);
    return known ? Math.max(0, known.notedAtMs + known.delayMs - nowMs) : 0;
  }

  #known(group: string, nowMs: number): Penalty | null {
    const penalty = this.#penalties.get(group);
    if (!penalty) return null;
    if (nowMs - penalty.notedAtMs <= 1000 * this.#limits.faultsForgottenAfterSeconds) return penalty;
    this.#penalties.delete(group);
    return null;
  }
}
