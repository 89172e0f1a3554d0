// Port of timers: commands on the queue 'timers' at a given time. They only wake a consumer; rows hold the due work.

export interface Timers {
  /**
   * Puts `body` on the queue 'timers' at the time `at`, never before it; at once if it has passed. Arming an id again
   * replaces its time and body.
   * @param id at most one timer is armed for an id
   * @param body JSON, at most 256 KiB, without secrets
   */
  arm(id: string, at: Date, body: unknown): Promise<void>;
  /** Cancels a timer, if it is armed. A command that is already under way still arrives. */
  disarm(id: string): Promise<void>;
}
