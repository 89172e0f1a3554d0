// Timers of one machine: rows of the outbox that become visible at their time.
import type { Pool } from 'pg';
import type { Timers } from './timers.ts';

/** Timers that fire to the second, as long as a consumer receives from the queue 'timers'. */
export function createOutboxTimers(pool: Pool): Timers {
  return {
    async arm(id, at, body) {
      // Without its receipt, a delivery under way cannot remove the row, which is the new timer now.
      await pool.query(
        `insert into outbox (queue, body, visible_at, timer_id) values ('timers', $2, $3, $1)
         on conflict (timer_id) do update
           set body = excluded.body, visible_at = excluded.visible_at, receipt = null, receives = 0, dead_at = null`,
        [id, JSON.stringify(body), at],
      );
    },
    async disarm(id) {
      await pool.query('delete from outbox where timer_id = $1', [id]);
    },
  };
}
