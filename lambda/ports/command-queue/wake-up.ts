// A bell for one waiter that misses no ring: a ring without a waiter ends the next wait at once.

export interface WakeUp {
  readonly ring: () => void;
  /**
   * Resolves at the next ring, at once if it rang since the last wait, or after `timeoutMs`.
   * @returns whether it rang
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
