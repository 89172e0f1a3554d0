// SQL of live intervals: what of a stream is live, since when, and at which price.
import type { Price } from '../domain/credits.ts';
import { declaredDead } from './agents.ts';
import { all } from './queryable.ts';
import type { Queryable } from './queryable.ts';
import type { ReplicaRole } from './replicas.ts';

/** An interval that was begun or ended. */
export interface ChangedInterval {
  readonly id: number;
  /** Null for one that was begun. */
  readonly ended_at: Date | null;
  /** What the whole interval costs; 0 for one that was begun. */
  readonly credits: number;
}

export function liveIntervals(db: Queryable) {
  return {
    /**
     * Ends and begins intervals of a stream, which the caller has locked, until its open intervals are those of its
     * replicas that are live and wanted so, one for each, of the claim that sends it. An interval ends at `at`; if its
     * agent was declared dead, it ends when that agent last renewed its lease. A new interval never begins before the
     * last one of its replica ended. It is one statement, so that every part sees the same rows, and that a change of a
     * stream costs one round trip more.
     * @param prices what intervals cost that begin now
     */
    updateFromReplicas: (streamID: string, prices: Readonly<Record<ReplicaRole, Price>>, at: Date) =>
      all<ChangedInterval>(
        db,
        // The replicas that send.
        `with sending as (select * from replicas where stream_id = $1 and state = 'live' and wanted = 'live'),
         -- Open intervals that stay open: the claim that they belong to still sends.
         going_on as (
           select i.id, i.replica_id
           from live_intervals i
             join sending r on r.id = i.replica_id and r.agent_id = i.agent_id and r.epoch = i.epoch
           where i.ended_at is null),
         -- The figures in the stream's row, by role.
         kept as (
           select jsonb_build_object('primary', stats, 'backup', backup_stats) as of_role from streams where id = $1),
         -- Ends all other open intervals of the stream. Where the agent was not declared dead, the inner select is
         -- null, which least() passes over. The bytes are those of the claim's latest figures, if these were sampled
         -- within the interval.
         ended as (
           update live_intervals i set
             ended_at = greatest(i.started_at, least($2, (
               select renewed_at from agents where id = i.agent_id and lease_expires_at = ${declaredDead}))),
             bytes_after = greatest(i.bytes_before, (
               select (stats ->> 'bytesSent')::bigint
               from kept, latest_stats(of_role -> i.role, i.agent_id, i.replica_id, i.epoch) as stats
               where (stats ->> 'sampledAt')::timestamptz >= i.started_at))
           where stream_id = $1 and ended_at is null and id not in (select id from going_on)
           returning id, replica_id, epoch, ended_at, bytes_after,
             live_cost(credits_per_hour, started_at, ended_at) as credits),
         -- Begins an interval for each replica that sends and has none. Bytes are counted by claim: where the replica's
         -- last interval was of the same claim, the count goes on from there, else from 0.
         begun as (
           insert into live_intervals (user_id, stream_id, replica_id, role, agent_id, epoch,
             price_version, credits_per_hour, started_at, bytes_before)
           select s.user_id, r.stream_id, r.id, r.role, r.agent_id, r.epoch,
             $3::jsonb -> r.role ->> 'version', ($3::jsonb -> r.role ->> 'creditsPerHour')::numeric,
             greatest($2, before.ended_at), case when before.epoch = r.epoch then before.bytes_after else 0 end
           from sending r join streams s on s.id = r.stream_id
           -- The replica's last interval. Those that this statement ends still look open to it in the table.
           left join lateral (
             select ended_at, epoch, bytes_after from ended where replica_id = r.id
             union all (
               select ended_at, epoch, bytes_after from live_intervals
               where replica_id = r.id and ended_at is not null
               order by ended_at desc limit 1)
             order by ended_at desc limit 1) before on true
           where r.id not in (select replica_id from going_on)
           returning id)
         select id, ended_at, credits from ended union all select id, null, 0 from begun`,
        [streamID, at, JSON.stringify(prices)],
      ),
  };
}
