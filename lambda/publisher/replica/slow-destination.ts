// Ends a connection whose destination has been too slow for minutes, so that other streams get its share of the agent.
import { keepsShareWhileSlowMs } from '../../domain/fleet/off-air.ts';
import type { HeldShare } from './held-share.ts';

export class SlowDestination {
  readonly #share: HeldShare;
  readonly #unbearable = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(share: HeldShare) {
    this.#share = share;
  }

  /** Aborted when the connection must end. */
  get isUnbearable(): AbortSignal {
    return this.#unbearable.signal;
  }

  /** The destination has become too slow, or no longer is. */
  setSlow(isSlow: boolean): void {
    this.#share.setOnAir(!isSlow);
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
