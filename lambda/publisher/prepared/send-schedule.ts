// The one timer of an agent's prepared streams: each gets its turn four times a second, and they take turns in groups.

/** A stream's turn. @param nowMs of the schedule's steady clock */
export type Turn = (nowMs: number) => void;

/** Every stream has a turn this often. Shorter ones cost more and win nothing: an IDR alone is a burst as large as 250 ms of media. */
export const turnEveryMs = 250;
export const slotCount = 5;
const slotMs = turnEveryMs / slotCount;
/** Waking up costs more than sending: another slot is used only when those before it have as many as this. */
const worthAWakeUp = 10;

export class SendSchedule {
  readonly #steadyClock: () => number;
  readonly #slots = Array.from({ length: slotCount }, () => new Set<Turn>());
  #timer: NodeJS.Timeout | undefined;
  /** The slot that the timer waits for, counted from the clock's zero. */
  #awaited = 0;

  constructor(steadyClock: () => number) {
    this.#steadyClock = steadyClock;
  }

  /** Gives a stream its first turn at once, then regularly. @returns ends that */
  add(turn: Turn): () => void {
    const smallest = Math.min(...this.#slots.map(({ size }) => size));
    const slot =
      this.#slots.find(({ size }) => size < worthAWakeUp) ?? this.#slots.find(({ size }) => size === smallest)!;
    slot.add(turn);
    this.#wait(Math.floor(this.#steadyClock() / slotMs));
    turn(this.#steadyClock());
    return () => {
      slot.delete(turn);
      if (this.#slots.every(({ size }) => size === 0)) clearTimeout(this.#timer);
    };
  }

  /** Waits for the first slot after `done` that has streams. Deadlines are the clock's, so that delays do not add up. */
  #wait(done: number): void {
    clearTimeout(this.#timer);
    for (let number = done + 1; number <= done + slotCount; number++) {
      if (this.#slots[number % slotCount]!.size === 0) continue;
      this.#awaited = number;
      this.#timer = setTimeout(() => this.#wake(), Math.max(0, number * slotMs - this.#steadyClock()));
      return;
    }
  }

  #wake(): void {
    const current = Math.max(this.#awaited, Math.floor(this.#steadyClock() / slotMs));
    // Those that this wake-up is too late for have their turn now.
    const first = Math.max(this.#awaited, current - slotCount + 1);
    for (let number = first; number <= current; number++) {
      for (const turn of this.#slots[number % slotCount]!) turn(this.#steadyClock());
    }
    this.#wait(current);
  }
}
