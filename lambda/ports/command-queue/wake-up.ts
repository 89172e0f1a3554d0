// A bell for one waiter that misses no ring: a ring without a waiter ends the next wait at once.

export function createWakeUp() {
  let rung = false;
  let wake: (() => void) | undefined;
  return {
    ring: (): void => {
      rung = true;
      wake?.();
    },
    /**
     * Resolves at the next ring, at once if it rang since the last wait, or after `timeoutMs`.
     * @returns whether it rang
     */
    async wait(timeoutMs: number): Promise<boolean> {
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
