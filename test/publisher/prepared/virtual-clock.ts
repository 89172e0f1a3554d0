// A clock that stands still while anything happens and then jumps to the next timer: months pass as fast as they can be computed.
import { onTestFinished, vi } from 'vitest';

interface Timer {
  readonly atMs: number;
  readonly wake: () => void;
}

/** By then what was woken up has gone as far as it can: reading what is in memory takes a few steps only, and is done seconds ahead. */
const microtasksPerTimer = 3;
const microtask = Promise.resolve();

export class VirtualClock {
  nowMs = 0;
  readonly #timers = new Set<Timer>();

  /** Until the end of the test all timers of this process are its. */
  constructor() {
    vi.stubGlobal('setTimeout', (wake: () => void, ms: number) => {
      const timer = { atMs: this.nowMs + ms, wake };
      this.#timers.add(timer);
      return timer;
    });
    vi.stubGlobal('clearTimeout', (timer: Timer) => void this.#timers.delete(timer));
    onTestFinished(() => void vi.unstubAllGlobals());
  }

  readonly steadyClock = (): number => this.nowMs;

  /** @param eachTimer called after each; with false it goes no further */
  async runUntil(endMs: number, eachTimer: () => boolean | void): Promise<void> {
    while (this.nowMs < endMs && this.#timers.size > 0) {
      let next: Timer | null = null;
      for (const timer of this.#timers) if (next === null || timer.atMs < next.atMs) next = timer;
      this.#timers.delete(next!);
      this.nowMs = Math.max(this.nowMs, next!.atMs);
      next!.wake();
      for (let step = 0; step < microtasksPerTimer; step++) await microtask;
      if (eachTimer() === false) return;
    }
  }
}
