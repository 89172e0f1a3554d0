// Ends a connection whose destination has long taken less than the stream has, which keeps others from its slots.
import { keepsSlotsWhileSlowMs } from '../../domain/off-air.ts';
import type { HeldSlots } from './held-slots.ts';

export class SlowDestination {
  readonly #slots: HeldSlots;
  readonly #unbearable = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(slots: HeldSlots) {
    this.#slots = slots;
  }

  /** Aborted once the connection has to end. */
  get isUnbearable(): AbortSignal {
    return this.#unbearable.signal;
  }

  /** The destination has become too slow, or is not any more. */
  note(isSlow: boolean): void {
    this.#slots.noteOnAir(!isSlow);
    clearTimeout(this.#timer);
    if (!isSlow) return;
    const leftMs = Math.max(0, keepsSlotsWhileSlowMs - this.#slots.offAirMs);
    this.#timer = setTimeout(() => this.#unbearable.abort(), leftMs);
  }

  /** The connection has ended. */
  end(): void {
    clearTimeout(this.#timer);
  }
}
