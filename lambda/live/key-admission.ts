// The admission of contributors by their keys: a wrong key or passphrase delays its address, over all protocols.
import type { Log } from '../log.ts';
import type { AddressDelays } from './address-delays.ts';
import type { ContributionClaim, ContributionDoor, ContributionRefusal } from './contribution.ts';
import { addressGroup } from './contributor-address.ts';
import type { Admission } from './contributor-host.ts';
import type { ListenerLimits } from './listener-limits.ts';

export interface KeyAdmissionOptions {
  readonly door: ContributionDoor;
  readonly limits: Pick<ListenerLimits, 'firstDelaySeconds' | 'mostKeyCharacters'>;
  readonly delays: AddressDelays;
  readonly log: Log;
  readonly steadyClock: () => number;
}

const guesses: ReadonlySet<ContributionRefusal> = new Set(['unknown_key', 'wrong_passphrase']);

export class KeyAdmission {
  readonly #options: KeyAdmissionOptions;

  constructor(options: KeyAdmissionOptions) {
    this.#options = options;
  }

  /** Asks the door, unless the address is under a delay. Never rejects. */
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
    const isKey = key !== '' && key.length <= limits.mostKeyCharacters;
    const claim = { protocol, key, address, ...(encryption && { encryption }) };
    try {
      const answer = isKey ? await door.admit(claim, disconnect) : 'unknown_key';
      if (typeof answer !== 'string') return { receiver: answer };
      if (guesses.has(answer)) return { refusal: answer, delayMs: delays.note(group, steadyClock()) };
      // An encoder that waits for its turn with the right key is not delayed more and more.
      return { refusal: answer, delayMs: firstDelayMs };
    } catch (error) {
      log('contributor_door_failed', { error });
      return { refusal: 'door_failed', delayMs: firstDelayMs };
    }
  }
}
