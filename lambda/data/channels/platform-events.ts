// SQL of the events of platforms. Each is stored for an hour by its id, as it may be delivered again.
import type { PlatformName } from '../../domain/channels/managed-platforms.ts';
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export function platformEvents(db: Queryable) {
  return {
    /** Stores an event of a platform. @returns false if it is stored already */
    keep: async (platform: PlatformName, id: string) =>
      (await one(db, 'insert into platform_events (platform, id) values ($1, $2) on conflict do nothing returning id', [
        platform,
        id,
      ])) !== null,

    deleteOld: () => db.query(`delete from platform_events where received_at < now() - interval '1 hour'`),

    /** Makes all read-backs of a channel due now, for all users who have connected it. */
    doubtChannel: (platform: PlatformName, accountID: string) =>
      db.query(
        `with doubted as (
           update connections set verify_at = least(verify_at, now())
           where platform = $1 and account_id = $2 and state in ('ok', 'live_not_enabled') and deleted_at is null
           returning id),
         looked as (
           update broadcasts set look_at = now(), viewers_observed_at = null
           where connection_id in (select id from doubted) and phase = 'live')
         insert into outbox (queue, body) select 'platforms', jsonb_build_object('connectionID', id) from doubted`,
        [platform, accountID],
      ),
  };
}
