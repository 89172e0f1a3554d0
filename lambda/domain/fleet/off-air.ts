// Off the air: shares that a replica may hold while its destination takes no media, delays of retries, and the end.

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Time off the air after which a replica returns its share of the agent; retries then hold none. */
export const keepsShareMs = 2 * minuteMs;
/** Time after which a replica returns its share if the destination takes media, but less than the stream has. */
export const keepsShareWhileSlowMs = 10 * minuteMs;
/** Time off the air after which a stream fails for good, if its destination is at fault. */
export const failsAfterMs = 6 * hourMs;

/** Share of the time off the air between two retries: the end of an outage is noticed that much later. */
const delayShare = 1 / 20;
const longestDelayMs = 5 * minuteMs;

/**
 * Least delay before the next retry without a share, in milliseconds.
 * @param random uniform in [0, 1)
 */
export function restingDelayMs(offAirMs: number, random: () => number): number {
  return Math.min(longestDelayMs, offAirMs * delayShare) * (0.5 + random() / 2);
}

/**
 * Time that a replica has been off the air, less the time on the air since: an occasional picture does not pay for a
 * held share. Times are those of a steady clock.
 */
export class OffAirTime {
  #ms: number;
  #countedAtMs: number;
  #isOnAir = false;

  /** @param beforeMs time off the air before */
  constructor(beforeMs: number, nowMs: number) {
    this.#ms = beforeMs;
    this.#countedAtMs = nowMs;
  }

  /** Records whether the destination takes media from now on. */
  record(isOnAir: boolean, nowMs: number): void {
    this.#ms = this.atMs(nowMs);
    this.#countedAtMs = nowMs;
    this.#isOnAir = isOnAir;
  }

  /** @returns milliseconds off the air until now */
  atMs(nowMs: number): number {
    const passedMs = nowMs - this.#countedAtMs;
    return Math.max(0, this.#ms + (this.#isOnAir ? -passedMs : passedMs));
  }
}
