// SQL of read-backs: regular requests to platforms for the health of live broadcasts, viewers and grants.
import type { PlatformName } from '../../domain/channels/managed-platforms.ts';
import type { StreamState } from '../../domain/streams/stream-lifecycle.ts';
import { isOpen } from './broadcasts.ts';
import type { BroadcastHealth } from './broadcasts.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** A live broadcast whose health is due to be read. */
export interface LiveBroadcast {
  readonly id: string;
  readonly stream_id: string;
  readonly user_id: string;
  /** Null: the platform has no broadcasts. */
  readonly external_id: string | null;
  readonly disagrees_since: Date | null;
  readonly state: StreamState;
}

/** A broadcast whose viewers are due to be counted. */
export interface Counted {
  readonly id: string;
  /** The external id of the broadcast; if the platform has no broadcasts, of the account. */
  readonly asked_id: string;
}

/** SQL condition: the health of a broadcast is due. A stream that begins to fail makes it due once more. */
const isDue = `b.phase = 'live' and (b.look_at is null or b.look_at <= now()
  or s.state = 'failing'
    and b.health_observed_at < (
      select at from stream_transitions where stream_id = s.id and id = s.last_transition_id))`;

export function readBacks(db: Queryable) {
  return {
    /** Sends commands for connections with a due read-back. @param most the most of each kind */
    wakeDue: (viewersEverySeconds: number, perCount: number, most: number) =>
      db.query(
        `with counting as (
           select connection_id, platform,
             row_number() over (partition by platform order by min(coalesce(viewers_observed_at, '-infinity'))) as turn,
             sum(count(*)) over (partition by platform) as waiting
           from broadcasts join connections c on c.id = connection_id
           where phase = 'live' and c.state = 'ok' and c.deleted_at is null
             and coalesce(viewers_observed_at, '-infinity') < now() - make_interval(secs => $1)
           group by connection_id, platform)
         insert into outbox (queue, body)
         select 'platforms', jsonb_build_object('connectionID', id) from (
           (select id from connections where state <> 'pending' and verify_at <= now() order by verify_at limit $3)
           union
           (select id from connections c where deleted_at is not null and not exists (
              select from broadcasts where connection_id = c.id and ${isOpen}) limit $3)
           union
           (select b.connection_id from broadcasts b join streams s on s.id = b.stream_id
              join connections c on c.id = b.connection_id and c.state = 'ok' and c.deleted_at is null
            where ${isDue} order by coalesce(b.look_at, '-infinity') limit $3)
           union
           select connection_id from counting where turn <= ceil(waiting / $2::numeric) and turn <= $3) due`,
        [viewersEverySeconds, perCount, most],
      ),

    /** Whether the verification of the connection is due. */
    isToVerify: async (connectionID: string) =>
      (await one(db, `select id from connections where id = $1 and state <> 'pending' and verify_at <= now()`, [
        connectionID,
      ])) !== null,

    dueBroadcasts: (connectionID: string) =>
      all<LiveBroadcast>(
        db,
        `select b.id, b.stream_id, s.user_id, b.external_id, b.disagrees_since, s.state
         from broadcasts b join streams s on s.id = b.stream_id
         where b.connection_id = $1 and ${isDue}`,
        [connectionID],
      ),

    isAnyToCount: async (platform: PlatformName, everySeconds: number) =>
      (await one(
        db,
        `select b.id from broadcasts b join connections c on c.id = b.connection_id
         where c.platform = $1 and b.phase = 'live'
           and coalesce(b.viewers_observed_at, '-infinity') < now() - make_interval(secs => $2) limit 1`,
        [platform, everySeconds],
      )) !== null,

    /**
     * Takes live broadcasts of a platform whose viewers are due, of any connection: one call counts many. They are due
     * again after `everySeconds`.
     */
    takeToCount: (platform: PlatformName, everySeconds: number, most: number) =>
      all<Counted>(
        db,
        `with due as (
           select b.id, coalesce(b.external_id, c.account_id) as asked_id
           from broadcasts b join connections c on c.id = b.connection_id
           where c.platform = $1 and b.phase = 'live'
             and coalesce(b.viewers_observed_at, '-infinity') < now() - make_interval(secs => $2)
           order by coalesce(b.viewers_observed_at, '-infinity') limit $3
           for update of b skip locked)
         update broadcasts b set viewers_observed_at = now() from due where b.id = due.id
         returning b.id, due.asked_id`,
        [platform, everySeconds, most],
      ),

    /** Records numbers of viewers; null: the platform does not report them. */
    saveViewers: (counts: readonly { readonly id: string; readonly viewers: number | null }[]) =>
      db.query(
        `update broadcasts b set viewers = c.viewers
         from unnest($1::text[], $2::integer[]) as c (id, viewers) where b.id = c.id`,
        [counts.map(({ id }) => id), counts.map(({ viewers }) => viewers)],
      ),

    saveChecked: (
      id: string,
      look: { now: Date; nextAt: Date; disagreesSince: Date | null; health: BroadcastHealth | null },
    ) =>
      db.query(
        `update broadcasts set health_observed_at = $2, look_at = $3, disagrees_since = $4,
           health = coalesce($5, health)
         where id = $1`,
        [id, look.now, look.nextAt, look.disagreesSince, look.health && JSON.stringify(look.health)],
      ),

    /** Postpones all read-backs of a connection whose platform did not answer or must not be called now. */
    postpone: async (connectionID: string, until: Date) => {
      await db.query(`update broadcasts set look_at = $2 where connection_id = $1 and phase = 'live'`, [
        connectionID,
        until,
      ]);
      await db.query('update connections set verify_at = greatest(verify_at, $2) where id = $1', [connectionID, until]);
    },

    /** Records what the platform reports of a channel with a valid grant. */
    saveVerified: (
      connectionID: string,
      { title, liveURL, verifyAt }: { title: string; liveURL: string; verifyAt: Date },
    ) =>
      db.query(
        `update connections set title_cached = $2, live_url = $3, verified_at = now(), verify_at = $4,
           state = 'ok', problem = null
         where id = $1 and state in ('ok', 'live_not_enabled')`,
        [connectionID, title, liveURL, verifyAt],
      ),

    /** Deletes all data that a platform reported of a channel whose grant has ended; the settings of its user stay. */
    forgetChannel: async (connectionID: string) => {
      await db.query('delete from platform_ingests where connection_id = $1', [connectionID]);
      await db.query('delete from broadcasts where connection_id = $1', [connectionID]);
      await db.query('delete from destinations where connection_id = $1', [connectionID]);
      await db.query(
        `update connections set state = 'pending', account_id = null, title_cached = null, live_url = null,
           sealed_grant = null, scopes = '{}', verified_at = null, verify_at = null, problem = null
         where id = $1`,
        [connectionID],
      );
    },
  };
}
