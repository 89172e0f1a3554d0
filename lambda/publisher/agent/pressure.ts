// Detects whether an agent keeps up with sending. An agent that does not claims nothing more, and reports why.
import { performance } from 'node:perf_hooks';

/** Use of the sending thread, 0 to 1: above the first value it is about to be late, below the second it has room. */
const threadIsFullAt = 0.85;
const threadHasRoomAt = 0.7;
/** Samples to average. With fewer, the start of a few streams would look like an overload. */
const samplesKept = 5;

const threadIsFull = 'The sending thread is busy all the time.';
const encodersBehind = 'An encoder is hardly faster than real time.';

/** Share of the time since the previous call in which the agent's thread was busy, 0 to 1. */
export type ThreadUse = () => number;

/** Measures this thread. */
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

  /** @param onChange called when the agent falls behind, and with null when it keeps up again */
  constructor(onChange: (behindReason: string | null) => void, use: ThreadUse = threadUse()) {
    this.#onChange = onChange;
    this.#threadUse = use;
  }

  /** The reason why the agent claims nothing more; null while it keeps up. */
  get behindReason(): string | null {
    return this.#behindReason;
  }

  /** Whether a stream has had too little encoded media ahead in the last samples. */
  get areEncodersBehind(): boolean {
    return this.#behindReason === encodersBehind;
  }

  /** Takes a sample; call it with each renewal. @param isShortOfMedia whether any stream's encoder falls behind */
  sample(isShortOfMedia: boolean): void {
    this.#shortages.push(isShortOfMedia);
    if (this.#shortages.length > samplesKept) this.#shortages.shift();
    this.#uses.push(this.#threadUse());
    if (this.#uses.length > samplesKept) this.#uses.shift();
    const use = this.#uses.reduce((sum, each) => sum + each, 0) / samplesKept;
    // Earlier samples count too: after a late connection was cut, the next one does not know yet that it is late.
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
