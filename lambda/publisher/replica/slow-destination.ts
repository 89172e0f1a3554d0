// Ends a connection whose destination has long taken less than the stream has, and so keeps others from its share.
import { keepsShareWhileSlowMs } from '../../domain/fleet/off-air.ts';
import type { HeldShare } from './held-share.ts';

export class SlowDestination {
  readonly #share: HeldShare;
  readonly #unbearable = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(share: HeldShare) {
    this.#share = share;
  }

  /** Aborted once the connection has to end. */
  get isUnbearable(): AbortSignal {
    return this.#unbearable.signal;
  }

  /** The destination has become too slow, or is not any more. */
  note(isSlow: boolean): void {
    this.#share.noteOnAir(!isSlow);
    clearTimeout(this.#timer);
    if (!isSlow) return;
    const leftMs = Math.max(0, keepsShareWhileSlowMs - this.#share.offAirMs);
    this.#timer = setTimeout(() => this.#unbearable.abort(), leftMs);
  }

  /** The connection has ended. */
  end(): void {
    clearTimeout(this.#timer);
  }
}
