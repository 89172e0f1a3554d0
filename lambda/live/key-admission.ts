// The admission of contributors by their keys: a wrong key or passphrase delays its address, over all protocols.
import type { Log } from '../log.ts';
import type { AddressDelays } from './address-delays.ts';
import type { ContributionClaim, ContributionDoor, ContributionRefusal } from './contribution.ts';
import { addressGroup } from './contributor-address.ts';
import type { Admission } from './contributor-host.ts';
import { KnownAddresses } from './known-addresses.ts';
import type { ListenerLimits } from './listener-limits.ts';

export interface KeyAdmissionOptions {
  readonly door: ContributionDoor;
  readonly limits: ListenerLimits;
  readonly delays: AddressDelays;
  readonly log: Log;
  readonly steadyClock: () => number;
}

const guesses: ReadonlySet<ContributionRefusal> = new Set(['unknown_key', 'wrong_passphrase']);

export class KeyAdmission {
  readonly #options: KeyAdmissionOptions;
  readonly #known: KnownAddresses;
  /** Keys that the door is being asked about, by group: those of connections that have made room included. */
  readonly #asked = new Map<string, number>();
  #askedInAll = 0;

  constructor(options: KeyAdmissionOptions) {
    this.#options = options;
    this.#known = new KnownAddresses(options.limits);
  }

  /** Whether an address had a key accepted lately. @param group from `addressGroup` */
  isKnown(group: string): boolean {
    return this.#known.has(group, this.#options.steadyClock());
  }

  /** Asks the door, unless the address is under a delay or too many are asked about. Never rejects. */
  async admit(
    { protocol, address, encryption }: Omit<ContributionClaim, 'key'>,
    key: string,
    disconnect: () => void,
  ): Promise<Admission> {
    const { door, limits, delays, log, steadyClock } = this.#options;
    const group = addressGroup(address);
    const firstDelayMs = 1000 * limits.firstDelaySeconds;
    const delayMs = delays.delayLeftMs(group, steadyClock());
    if (delayMs > 0) return { refusal: 'delayed', delayMs };
    const { mostConnectionsPerAddress, mostAskedAtOnce } = limits;
    if ((this.#asked.get(group) ?? 0) >= mostConnectionsPerAddress || this.#askedInAll >= mostAskedAtOnce)
      return { refusal: 'door_busy', delayMs: firstDelayMs };
    const isKey = key !== '' && key.length <= limits.mostKeyCharacters;
    const claim = { protocol, key, address, ...(encryption && { encryption }) };
    this.#count(group, 1);
    try {
      const answer = isKey ? await door.admit(claim, disconnect) : 'unknown_key';
      if (typeof answer !== 'string') {
        this.#known.note(group, steadyClock());
        return { receiver: answer };
      }
      if (guesses.has(answer)) return { refusal: answer, delayMs: delays.note(group, steadyClock()) };
      // An encoder that waits for its turn with the right key is not delayed more and more.
      return { refusal: answer, delayMs: firstDelayMs };
    } catch (error) {
      log('contributor_door_failed', { error });
      return { refusal: 'door_failed', delayMs: firstDelayMs };
    } finally {
      this.#count(group, -1);
    }
  }

  #count(group: string, more: number): void {
    this.#askedInAll += more;
    const asked = (this.#asked.get(group) ?? 0) + more;
    if (asked > 0) this.#asked.set(group, asked);
    else this.#asked.delete(group);
  }
}
