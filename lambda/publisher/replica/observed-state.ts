// What a connection shows of its replica: whether media arrives, is about to be late, or is late and through whom.
import type { ReplicaState } from '../../data/fleet/replicas.ts';
import type { StateReason } from '../../domain/streams/stream-words.ts';
import { DestinationError } from '../destination/destination-error.ts';
import { FallsBehind, TooSlow } from './faults.ts';
import type { Slowness } from './stream-media.ts';
import { reasonOf } from './whose-fault.ts';

export class ObservedState {
  readonly #say: (state: ReplicaState, reason: StateReason | null) => void;
  #isOnAir = false;
  #isShortOfMedia = false;

  /** @param say told each state, with why it is so, or what is about to end it */
  constructor(say: (state: ReplicaState, reason: StateReason | null) => void) {
    this.#say = say;
  }

  /** Whether so little media is in hand that pictures are late soon, or are already. */
  get isShortOfMedia(): boolean {
    return this.#isShortOfMedia;
  }

  tookMedia(): void {
    this.#isOnAir = true;
    this.#sayLive();
  }

  short(isShort: boolean): void {
    this.#isShortOfMedia = isShort;
    if (this.#isOnAir) this.#sayLive();
  }

  slow(through: Slowness | null): void {
    this.#isOnAir = through === null;
    if (through === null) return this.#sayLive();
    this.#say('failing', reasonOf(through === 'publisher' ? new TooSlow() : new DestinationError('too_slow')));
  }

  /** What a connection has shown does not hold for the next one. */
  connectionEnded(): void {
    this.#isOnAir = false;
    this.#isShortOfMedia = false;
  }

  #sayLive(): void {
    this.#say('live', this.#isShortOfMedia ? reasonOf(new FallsBehind()) : null);
  }
}
