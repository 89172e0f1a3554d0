// A bell for one waiter, who misses no ring: one that comes while nobody waits ends the next wait at once.

export interface WakeUp {
  readonly ring: () => void;
  /**
   * Resolves when it rings, or has rung since the last wait; after `timeoutMs` at the latest.
   * @returns whether it has rung
   */
  readonly wait: (timeoutMs: number) => Promise<boolean>;
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
      const hasRung = rung;
      rung = false;
      return hasRung;
    },
  };
}
