// What a replica may hold while its destination takes nothing, how rarely it is tried then, and when it is given up.

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** After so long off the air a replica gives its share of the agent back, and is tried without. */
export const keepsShareMs = 2 * minuteMs;
/** The same where the destination takes media, but less than the stream has. */
export const keepsShareWhileSlowMs = 10 * minuteMs;
/** After so long off the air a stream fails for good, where its destination is to blame. */
export const failsAfterMs = 6 * hourMs;

/** So much of the time off the air may pass between two attempts: the end of an outage is noticed so much later. */
const delayShare = 1 / 20;
const longestDelayMs = 5 * minuteMs;

/**
 * How long to wait at least before the next attempt without a share.
 * @param random uniform in [0, 1)
 * @returns milliseconds
 */
export function restingDelayMs(offAirMs: number, random: () => number): number {
  return Math.min(longestDelayMs, offAirMs * delayShare) * (0.5 + random() / 2);
}

/**
 * How long a replica has been off the air, less the time that it was on the air since: a picture now and then does not
 * pay for a share that is held. Times are those of a steady clock.
 */
export class OffAirTime {
  #ms: number;
  #countedAtMs: number;
  #isOnAir = false;

  /** @param beforeMs that the replica was off the air before */
  constructor(beforeMs: number, nowMs: number) {
    this.#ms = beforeMs;
    this.#countedAtMs = nowMs;
  }

  /** The destination takes media from now on, or no more. */
  note(isOnAir: boolean, nowMs: number): void {
    this.#ms = this.atMs(nowMs);
    this.#countedAtMs = nowMs;
    this.#isOnAir = isOnAir;
  }

  /** @returns milliseconds off the air, as of now */
  atMs(nowMs: number): number {
    const passedMs = nowMs - this.#countedAtMs;
    return Math.max(0, this.#ms + (this.#isOnAir ? -passedMs : passedMs));
  }
}
