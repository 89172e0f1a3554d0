// The timers port: a wake-up on the queue 'timers' at a time. What is due and whether it still matters is read from rows, not from the wake-up.

export interface Timers {
  /**
   * Puts `body` on the queue 'timers' at `at`, or at once if that has passed; never before. Arming an armed id again replaces its time and body.
   * @param id at most one timer is armed per id
   * @param body JSON, at most 256 KiB, without secrets
   */
  arm(id: string, at: Date, body: unknown): Promise<void>;
  /** Succeeds as well when nothing is armed. A wake-up already on its way still arrives. */
  disarm(id: string): Promise<void>;
}
