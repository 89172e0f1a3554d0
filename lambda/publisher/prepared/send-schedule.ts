// The single timer of an agent's prepared streams: each has its turn four times a second, in one of five phases.

/** A stream's turn. @param nowMs the time of the schedule's steady clock */
export type Turn = (nowMs: number) => void;

/**
 * The interval between two turns of a stream. A shorter one would cost more without a benefit: one IDR alone is a burst
 * as large as 250 ms of media.
 */
export const turnEveryMs = 250;
/** The streams of one phase have their turns together. */
export const phaseCount = 5;
const phaseMs = turnEveryMs / phaseCount;
/** Waking up costs more than sending, so a phase is used only when each earlier phase has this many streams. */
const streamsWorthAWakeUp = 10;

export class SendSchedule {
  readonly #steadyClock: () => number;
  readonly #phases = Array.from({ length: phaseCount }, () => new Set<Turn>());
  #timer: NodeJS.Timeout | undefined;
  /** The phase that the timer waits for, counted from the clock's zero. */
  #awaited = 0;

  constructor(steadyClock: () => number) {
    this.#steadyClock = steadyClock;
  }

  /** Gives a stream its first turn at once, then regularly. @returns a function that ends its turns */
  add(turn: Turn): () => void {
    const smallest = Math.min(...this.#phases.map(({ size }) => size));
    const phase =
      this.#phases.find(({ size }) => size < streamsWorthAWakeUp) ??
      this.#phases.find(({ size }) => size === smallest)!;
    phase.add(turn);
    this.#wait(Math.floor(this.#steadyClock() / phaseMs));
    turn(this.#steadyClock());
    return () => {
      phase.delete(turn);
      if (this.#phases.every(({ size }) => size === 0)) clearTimeout(this.#timer);
    };
  }

  /** Waits for the first phase after `done` that has streams. Phases are due by the clock, so delays do not add up. */
  #wait(done: number): void {
    clearTimeout(this.#timer);
    for (let number = done + 1; number <= done + phaseCount; number++) {
      if (this.#phases[number % phaseCount]!.size === 0) continue;
      this.#awaited = number;
      const waitMs = number * phaseMs - this.#steadyClock();
      this.#timer = setTimeout(() => this.#wake(), Math.max(0, waitMs));
      return;
    }
  }

  #wake(): void {
    const current = Math.max(this.#awaited, Math.floor(this.#steadyClock() / phaseMs));
    // Phases that were missed because this wake-up is late have their turns now.
    const first = Math.max(this.#awaited, current - phaseCount + 1);
    for (let number = first; number <= current; number++) {
      for (const turn of this.#phases[number % phaseCount]!) turn(this.#steadyClock());
    }
    this.#wait(current);
  }
}
