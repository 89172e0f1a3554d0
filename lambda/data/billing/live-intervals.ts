// SQL of live intervals: the times and prices of live replicas.
import type { Price } from '../../domain/billing/credits.ts';
import { declaredDead } from '../fleet/agents.ts';
import { all } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { Claim, ReplicaRole } from '../fleet/replicas.ts';

/** The intervals of a user that one statement ended or began. */
export interface ChangedIntervals {
  readonly user_id: string;
  /** The id of the first one that ended, which the others have as `spent_as`; null: these were begun. */
  readonly spent_as: number | null;
  /** The end of the last one; null: these were begun. */
  readonly ended_at: Date | null;
  /** The cost of those that ended, whole; 0: these were begun. */
  readonly credits: number;
}

/** A locked stream whose replicas may have changed. */
export interface MeteredStream {
  readonly streamID: string;
  /** The prices of intervals that begin now: of the first output, and of each further one. */
  readonly prices: Readonly<Record<ReplicaRole, { readonly first: Price; readonly further: Price }>>;
  /** When the change was observed, by the database's clock. */
  readonly at: Date;
}

/** SQL condition: a replica sends what its destination takes, so that it is paid for. @param replica its alias */
export const isPaid = (replica: string) => `(${replica}.wanted <> 'ended'
  and (${replica}.state = 'live' or ${replica}.state = 'failing' and ${replica}.takes_media))`;

export function liveIntervals(db: Queryable) {
  return {
    /** Records whether destinations of failing replicas take pictures. Reports of former holders are ignored. */
    recordTaking: (reports: readonly { readonly claim: Claim; readonly takesMedia?: boolean }[]) =>
      db.query(
        {
          name: 'record_taking',
          text: `update replicas r set takes_media = o.takes_media
           from unnest($1::text[], $2::text[], $3::integer[], $4::boolean[]) as o (id, agent_id, epoch, takes_media)
           where r.id = o.id and r.agent_id = o.agent_id and r.epoch = o.epoch and r.takes_media <> o.takes_media`,
        },
        [
          reports.map(({ claim }) => claim.id),
          reports.map(({ claim }) => claim.agent_id),
          reports.map(({ claim }) => claim.epoch),
          reports.map(({ takesMedia = false }) => takesMedia),
        ],
      ),

    /**
     * Ends and begins intervals of streams, so that each paid replica has one open interval, of the claim that sends
     * it. An interval ends at `at` or, if its agent was declared dead, when the agent last renewed its lease. A new
     * interval never begins before the end of the last one of its replica. One of the paid outputs of a stream has the
     * full price: the one that had it, else the first paid one. It is one statement, so that all parts see the same
     * rows, and any number of changed streams costs one round trip.
     * @param areFiguresKept whether the rows of the streams have the last figures of agents, so that they are not read
     */
    updateFromReplicas: (metered: readonly MeteredStream[], areFiguresKept: boolean) =>
      all<ChangedIntervals>(
        db,
        {
          name: 'meter',
          text: `with metered as (
           select * from unnest($1::text[], $2::jsonb[], $3::timestamptz[]) as m (stream_id, prices, at)),
         -- The replicas that send.
         live as (
           select r.*, m.prices, m.at, row_number() over (
             partition by r.stream_id, r.role order by paid.id is null, r.output_id nulls first) > 1 as is_further
           from metered m join replicas r on r.stream_id = m.stream_id
             left join live_intervals paid
               on paid.stream_id = r.stream_id and paid.replica_id = r.id and paid.ended_at is null
                 and paid.agent_id = r.agent_id and paid.epoch = r.epoch and not paid.is_further
           where r.stream_id = any ($1) and ${isPaid('r')}),
         sending as (
           select *, prices -> role -> case when is_further then 'further' else 'first' end as price from live),
         -- Open intervals that stay open: their claim still sends.
         going_on as (
           select i.id, i.replica_id
           from live_intervals i
             join sending r on r.id = i.replica_id and r.agent_id = i.agent_id and r.epoch = i.epoch
               and r.is_further = i.is_further
           where i.stream_id = any ($1) and i.ended_at is null),
         -- The other open intervals. A lateral join reads those of each stream: else Postgres would compare all with
         -- all.
         closing as materialized (
           select open.id, m.stream_id, m.at, min(open.id) over (partition by open.user_id) as spent_as
           from metered m cross join lateral (
             select id, user_id from live_intervals
             where stream_id = m.stream_id and ended_at is null and id not in (select id from going_on) offset 0) open),
         -- Ends them. If the agent was not declared dead, the inner select is null,
         -- which least() ignores. The bytes are from the claim's latest figures, if these were sampled within the
         -- interval.
         ended as (
           update live_intervals i set
             spent_as = closing.spent_as,
             ended_at = greatest(i.started_at, least(closing.at, (
               select renewed_at from agents where id = i.agent_id and lease_expires_at = ${declaredDead}))),
             bytes_after = greatest(i.bytes_before, (
               select (latest.stats ->> 'bytesSent')::bigint
               from (
                   select (sent.id is null and $4) as is_kept, case when sent.id is not null then sent.stats
                     when i.role = 'primary' then s.stats else s.backup_stats end as stats
                   from (select) one left join replicas sent on sent.id = i.replica_id and sent.output_id is not null
                 ) kept,
                 lateral (select case when kept.is_kept then kept.stats
                   else latest_stats(kept.stats, i.agent_id, i.replica_id, i.epoch) end as stats) latest
               where (latest.stats ->> 'sampledAt')::timestamptz >= i.started_at))
           from closing join streams s on s.id = closing.stream_id and s.id = any ($1)
           where i.id = closing.id
           returning i.user_id, i.spent_as, i.replica_id, i.epoch, i.ended_at, i.bytes_after,
             live_cost(i.credits_per_hour, i.started_at, i.ended_at) as credits),
         -- Begins an interval for each replica that sends and has none. Bytes are counted by claim: the count continues
         -- from the last interval of the replica if that has the same claim, else begins at 0.
         begun as (
           insert into live_intervals (user_id, stream_id, replica_id, role, agent_id, epoch,
             is_further, price_version, credits_per_hour, started_at, bytes_before)
           select s.user_id, r.stream_id, r.id, r.role, r.agent_id, r.epoch,
             r.is_further, r.price ->> 'version', (r.price ->> 'creditsPerHour')::numeric,
             greatest(r.at, before.ended_at), case when before.epoch = r.epoch then before.bytes_after else 0 end
           from sending r join streams s on s.id = r.stream_id
           -- The replica's last interval. Intervals that this statement ends still look open in the table.
           left join lateral (
             select ended_at, epoch, bytes_after from ended where replica_id = r.id
             union all (
               select ended_at, epoch, bytes_after from live_intervals
               where replica_id = r.id and ended_at is not null
               order by ended_at desc limit 1)
             order by ended_at desc limit 1) before on true
           where r.id not in (select replica_id from going_on)
           returning user_id)
         select user_id, spent_as, max(ended_at) as ended_at, sum(credits) as credits from ended
         group by user_id, spent_as
         union all select distinct user_id, null::bigint, null::timestamptz, 0 from begun`,
        },
        [
          metered.map(({ streamID }) => streamID),
          metered.map(({ prices }) => prices),
          metered.map(({ at }) => at),
          areFiguresKept,
        ],
      ),
  };
}
