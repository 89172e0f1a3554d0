// SQL of the events that platforms send: each is kept for a while by its id, as it may come again.
import type { PlatformName } from '../../domain/channels/managed-platforms.ts';
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export function platformEvents(db: Queryable) {
  return {
    /** Keeps an event of a platform. @returns false if it came before */
    keep: async (platform: PlatformName, id: string) =>
      (await one(db, 'insert into platform_events (platform, id) values ($1, $2) on conflict do nothing returning id', [
        platform,
        id,
      ])) !== null,

    deleteOld: () => db.query(`delete from platform_events where received_at < now() - interval '1 hour'`),

    /** Has everything of a channel asked for again, soon: for all users who have connected it. */
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
