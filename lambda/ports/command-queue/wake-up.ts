// A bell for one waiter, who misses no ring: one that comes while nobody waits ends the next wait at once.

export interface WakeUp {
  readonly ring: () => void;
  /** Resolves when it rings, or has rung since the last wait; after `timeoutMs` at the latest. */
  readonly wait: (timeoutMs: number) => Promise<void>;
}

export function createWakeUp(): WakeUp {
  let rung = false;
  let wake: (() => void) | undefined;
  return {
    ring() {
      rung = true;
      wake?.();
    },
    async wait(timeoutMs) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      rung = false;
    },
  };
}
