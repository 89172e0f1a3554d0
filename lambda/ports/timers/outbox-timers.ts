// The timers of one machine: outbox rows that become visible at the time.
import type { Pool } from 'pg';
import type { Timers } from './timers.ts';

/** Fires to the second as long as something consumes the queue 'timers'. */
export function createOutboxTimers(pool: Pool): Timers {
  return {
    async arm(id, at, body) {
      // A delivery on its way loses its receipt here, so settling it does not take the new timer away.
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
