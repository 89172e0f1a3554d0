// Whether an agent keeps up with what it sends: one that does not takes nothing more, and says why.
import { performance } from 'node:perf_hooks';

/** The agent sends on one thread. Above the first fraction it is about to be late; below the second it has room. */
const threadIsFullAt = 0.85;
const threadHasRoomAt = 0.7;
/** Shorter than this, the start of a few streams looks like too many streams. */
const samplesKept = 5;

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
  readonly #shortages: boolean[] = [];
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

  /** Whether a stream has had too little media in hand, now or seconds ago. */
  get areEncodersBehind(): boolean {
    return this.#behindReason === encodersBehind;
  }

  /** To be called with each renewal. @param isShortOfMedia whether any stream's encoder falls behind */
  sample(isShortOfMedia: boolean): void {
    this.#shortages.push(isShortOfMedia);
    if (this.#shortages.length > samplesKept) this.#shortages.shift();
    this.#uses.push(this.#threadUse());
    if (this.#uses.length > samplesKept) this.#uses.shift();
    const use = this.#uses.reduce((sum, each) => sum + each, 0) / samplesKept;
    // Of a connection that was cut because it was late, the next one does not know yet.
    const reason = this.#shortages.includes(true)
      ? encodersBehind
      : use > (this.#behindReason === threadIsFull ? threadHasRoomAt : threadIsFullAt)
        ? threadIsFull
        : null;
    if (reason === this.#behindReason) return;
    this.#behindReason = reason;
    this.#onChange(reason);
  }
}
