// Whether an agent keeps up with what it sends: one that does not takes nothing more, and says why.
import { performance } from 'node:perf_hooks';

/** The agent sends on one thread. Above the first fraction it is about to be late; below the second it has room. */
const threadIsFullAt = 0.85;
const threadHasRoomAt = 0.7;
/** Below the first, encoders are about to fall behind; they keep up again above the second. They work 1.5 s ahead. */
const littleInHandSeconds = 0.6;
const enoughInHandSeconds = 1.2;
/** Shorter than this, the start of a few streams looks like too many streams. */
const samplesKept = 5;
/** A stream that begins has little in hand for a moment. */
const samplesToBeSure = 3;

const threadIsFull = 'The thread that it sends on is busy all the time.';
const encodersBehind = 'An encoder gives media hardly faster than it is sent.';

/** The part of some time for which the agent's thread was busy. */
export type ThreadUse = () => number;

/** Tells with each call how busy this thread was since the last one. */
export function threadUse(): ThreadUse {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}

export class Pressure {
  readonly #threadUse: ThreadUse;
  readonly #onChange: (behindReason: string | null) => void;
  readonly #uses: number[] = [];
  readonly #inHand: (number | null)[] = [];
  #behindReason: string | null = null;

  /** @param onChange told when the agent falls behind, and when it keeps up again */
  constructor(onChange: (behindReason: string | null) => void, use: ThreadUse = threadUse()) {
    this.#onChange = onChange;
    this.#threadUse = use;
  }

  /** Why the agent takes nothing more; null while it keeps up. */
  get behindReason(): string | null {
    return this.#behindReason;
  }

  /** Whether a stream has had too little media in hand for seconds. */
  get areEncodersBehind(): boolean {
    return this.#behindReason === encodersBehind;
  }

  /** To be called with each renewal. @param leastInHand seconds of media; null while nothing is encoded */
  sample(leastInHand: number | null): void {
    this.#inHand.push(leastInHand);
    if (this.#inHand.length > samplesKept) this.#inHand.shift();
    this.#uses.push(this.#threadUse());
    if (this.#uses.length > samplesKept) this.#uses.shift();
    const use = this.#uses.reduce((sum, each) => sum + each, 0) / samplesKept;
    const reason = this.#areShortOfMedia()
      ? encodersBehind
      : use > (this.#behindReason === threadIsFull ? threadHasRoomAt : threadIsFullAt)
        ? threadIsFull
        : null;
    if (reason === this.#behindReason) return;
    this.#behindReason = reason;
    this.#onChange(reason);
  }

  #areShortOfMedia(): boolean {
    const enough = this.areEncodersBehind ? enoughInHandSeconds : littleInHandSeconds;
    const isShort = (inHand: number | null) => inHand !== null && inHand < enough;
    return this.areEncodersBehind
      ? this.#inHand.some(isShort)
      : this.#inHand.length >= samplesToBeSure && this.#inHand.slice(-samplesToBeSure).every(isShort);
  }
}
