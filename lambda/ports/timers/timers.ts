// The timers port: commands on the queue 'timers' at a given time. They only wake up; what is due stands in the rows.

export interface Timers {
  /**
   * Puts `body` on the queue 'timers' at the time `at`, never before it; at once if it has passed. If the id is
   * armed already, its time and body are replaced.
   * @param id at most one timer is armed per id
   * @param body JSON, at most 256 KiB, without secrets
   */
  arm(id: string, at: Date, body: unknown): Promise<void>;
  /** Takes a timer back, if it is armed. A command that is already on its way still arrives. */
  disarm(id: string): Promise<void>;
}
