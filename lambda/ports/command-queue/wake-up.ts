// A bell for one sleeper, which never misses a ring: one that came while it was busy ends its next sleep at once.

export interface WakeUp {
  readonly ring: () => void;
  /** Resolves after `timeoutMs` at the latest. */
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
