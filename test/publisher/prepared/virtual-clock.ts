// A clock that stands still during work and then jumps to the next timer, so that months pass in a minute.
import { onTestFinished, vi } from 'vitest';

interface Timer {
  readonly atMs: number;
  readonly wake: () => void;
}

/** Number of microtasks after which a timer's work waits for the next timer: it reads only from memory. */
const microtasksPerTimer = 3;
const microtask = Promise.resolve();

export class VirtualClock {
  nowMs = 0;
  readonly #timers = new Set<Timer>();

  /** Replaces all timers of this process until the end of the test. */
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

  /** Runs timers until a time. @param eachTimer called after each timer; the clock stops when it returns false */
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
