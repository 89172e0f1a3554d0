// Addresses of contributors whose keys were accepted: strangers do not push their next connections out.
import type { ListenerLimits } from './listener-limits.ts';

type KnownLimits = Pick<ListenerLimits, 'addressKnownForSeconds' | 'mostKnownAddresses'>;

/** Remembers a bounded number of addresses: the one whose last key is the oldest makes room. */
export class KnownAddresses {
  readonly #limits: KnownLimits;
  /** Milliseconds of the last accepted key, by group. */
  readonly #keyAtMs = new Map<string, number>();

  constructor(limits: KnownLimits) {
    this.#limits = limits;
  }

  /** Notes an accepted key. @param group from `addressGroup` */
  note(group: string, nowMs: number): void {
    this.#keyAtMs.delete(group);
    this.#keyAtMs.set(group, nowMs);
    if (this.#keyAtMs.size > this.#limits.mostKnownAddresses) this.#keyAtMs.delete(this.#keyAtMs.keys().next().value!);
  }

  /** Whether an address had a key accepted lately. */
  has(group: string, nowMs: number): boolean {
    return nowMs - (this.#keyAtMs.get(group) ?? -Infinity) <= 1000 * this.#limits.addressKnownForSeconds;
  }
}
