// SQL of usage over time: live seconds, credits and bytes of a user in hours, days or months of a time zone.
import { all } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export type Granularity = 'hour' | 'day' | 'month';

export interface UsageQuery {
  readonly userID: string;
  readonly streamID: string | null;
  readonly from: Date;
  /** The exclusive end of the range. */
  readonly to: Date;
  readonly granularity: Granularity;
  /** The IANA name of a time zone. */
  readonly timeZone: string;
  /** Running intervals count up to this time. */
  readonly now: Date;
}

export interface UsageBucket {
  /** The start of the hour, day or month in the time zone. The first may be before `from`, and counts from `from`. */
  readonly start: Date;
  /** Seconds in which a stream was live on at least one replica, summed over streams. */
  readonly live_seconds: number;
  readonly credits_spent: number;
  readonly bytes_sent: number;
}

export interface StreamUsage {
  readonly stream_id: string;
  /** Null: the stream has no name, or was deleted. */
  readonly name: string | null;
  readonly live_seconds: number;
  readonly credits_spent: number;
  readonly bytes_sent: number;
}

/**
 * SQL: the intervals of user $1 that touch a range, whole. The bytes of a running one are in the latest figures of its
 * claim.
 * @param from @param to @param now the placeholders of the range, and of the end of running intervals
 */
const intervals = (from: string, to: string, now: string) => `
  select i.stream_id, i.credits_per_hour, i.started_at, coalesce(i.ended_at, ${now}) as ended_at,
    coalesce(
      i.bytes_after,
      case when i.ended_at is null and (figures.stats ->> 'sampledAt')::timestamptz >= i.started_at
        then (figures.stats ->> 'bytesSent')::bigint end,
      i.bytes_before) - i.bytes_before as bytes
  from live_intervals i
  left join lateral (
    select latest_stats(
      case when sent.id is not null then sent.stats
        when i.role = 'primary' then s.stats else s.backup_stats end,
      i.agent_id, i.replica_id, i.epoch) as stats
    from streams s left join replicas sent on sent.id = i.replica_id and sent.output_id is not null
    where s.id = i.stream_id and i.ended_at is null) as figures on true
  where i.user_id = $1 and i.started_at < ${to} and (i.ended_at is null or i.ended_at > ${from})
    and i.started_at < coalesce(i.ended_at, ${now})`;

/**
 * SQL of the starts of the buckets between two times. Steps of half an hour find each hour even if clocks change by
 * half an hour. Steps of a day may miss the last bucket if a midnight is skipped, so it is added.
 */
const bucketsBetween = (from: string, to: string) => `(
  select date_trunc($5, step, $6) as start
  from generate_series(date_trunc($5, ${from}, $6), ${to} - interval '1 microsecond',
    case $5 when 'hour' then interval '30 minutes' else ('1 ' || $5)::interval end, $6) as step
  union select date_trunc($5, ${to} - interval '1 microsecond', $6))`;

export function usage(db: Queryable) {
  return {
    /**
     * Every bucket of the range, also empty ones. The parts of the cost of an interval sum up to its cost in the
     * ledger; its bytes are spread evenly. It is one statement, so that all figures are of one instant.
     */
    buckets: ({ userID, streamID, from, to, granularity, timeZone, now }: UsageQuery) =>
      all<UsageBucket>(
        db,
        `with starts as (select start from ${bucketsBetween('$3::timestamptz', '$4::timestamptz')} as found),
         buckets as (
           select start, greatest(start, $3) as opens,
             least(coalesce(lead(start) over (order by start), $4), $4) as closes
           from starts),
         intervals as (${intervals('$3', '$4', '$7')} and ($2::text is null or i.stream_id = $2)),
         -- The part of each interval in each bucket. Each interval finds its own buckets: comparing all of a range with
         -- all intervals took seconds.
         parts as (
           select b.start, i.stream_id, tstzrange(greatest(i.started_at, b.opens), least(i.ended_at, b.closes)) as live,
             live_cost(i.credits_per_hour, i.started_at, least(i.ended_at, b.closes))
               - live_cost(i.credits_per_hour, i.started_at, greatest(i.started_at, b.opens)) as credits,
             i.bytes * extract(epoch from least(i.ended_at, b.closes) - greatest(i.started_at, b.opens))
               / extract(epoch from i.ended_at - i.started_at) as bytes
           from intervals i
             cross join lateral ${bucketsBetween('greatest(i.started_at, $3)', 'least(i.ended_at, $4)')} as own
             join buckets b using (start)),
         -- While several replicas of a stream are live, its seconds count once.
         live as (
           select start, sum(extract(epoch from upper(stretch) - lower(stretch))) as seconds
           from (
             select start, unnest(range_agg(live)) as stretch from parts group by start, stream_id) as stretches
           group by start),
         sums as (select start, sum(credits) as credits, round(sum(bytes)) as bytes from parts group by start)
         select b.start, coalesce(l.seconds, 0) as live_seconds, coalesce(s.credits, 0) as credits_spent,
           coalesce(s.bytes, 0) as bytes_sent
         from buckets b left join live l using (start) left join sums s using (start)
         order by b.start`,
        [userID, streamID, from, to, granularity, timeZone, now],
      ),

    /** The streams with usage in a range, those that cost most first. */
    ofStreams: ({ userID, from, to, now }: Pick<UsageQuery, 'userID' | 'from' | 'to' | 'now'>, limit: number) =>
      all<StreamUsage>(
        db,
        `with intervals as (${intervals('$2', '$3', '$4')}),
         -- The part of each interval in the range.
         parts as (
           select stream_id, tstzrange(greatest(started_at, $2), least(ended_at, $3)) as live,
             live_cost(credits_per_hour, started_at, least(ended_at, $3))
               - live_cost(credits_per_hour, started_at, greatest(started_at, $2)) as credits,
             bytes * extract(epoch from least(ended_at, $3) - greatest(started_at, $2))
               / extract(epoch from ended_at - started_at) as bytes
           from intervals),
         live as (
           select stream_id, sum(extract(epoch from upper(stretch) - lower(stretch))) as seconds
           from (select stream_id, unnest(range_agg(live)) as stretch from parts group by stream_id) as stretches
           group by stream_id)
         select p.stream_id, max(s.name) as name, max(l.seconds) as live_seconds, sum(p.credits) as credits_spent,
           round(sum(p.bytes)) as bytes_sent
         from parts p join live l using (stream_id) left join streams s on s.id = p.stream_id and s.deleted_at is null
         group by p.stream_id order by credits_spent desc, p.stream_id limit $5`,
        [userID, from, to, now, limit],
      ),
  };
}
