// Rests of live inputs: a contributor that comes and goes in a loop does not start processes without end.
import { AddressDelays } from './address-delays.ts';
import { listenerLimits } from './listener-limits.ts';

/** A shorter session started its decoders and its encoder for nothing: no takeover has shown it. */
const leastSessionMs = 10_000;
/** Such sessions after which an input may be used at once: an encoder that has lost its network returns so often. */
const sessionsWithoutRest = 3;

/** The beginning of a session by a steady clock, and how it ended. */
export interface EndedSession {
  readonly beganAtMs: number;
  /** Whether this machine was too slow for it. */
  readonly isOverloaded: boolean;
}

/** Inputs rest by their ids: further keys and addresses of a contributor are of no use, and others do not wait. */
export class InputRests {
  readonly #delays = new AddressDelays({ ...listenerLimits, faultsWithoutDelay: sessionsWithoutRest });

  /** Notes the end of a session by its contributor. */
  note(inputID: string, { beganAtMs, isOverloaded }: EndedSession, nowMs: number): void {
    if (isOverloaded || nowMs - beganAtMs < leastSessionMs) this.#delays.note(inputID, nowMs);
  }

  isResting(inputID: string, nowMs: number): boolean {
    return this.#delays.delayLeftMs(inputID, nowMs) > 0;
  }
}
