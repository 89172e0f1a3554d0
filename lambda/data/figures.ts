// SQL of figures: what agents measure while they send, and what the stream's own row keeps of it.
import { one } from './queryable.ts';
import type { Queryable } from './queryable.ts';
import type { StreamStats } from './streams.ts';

/** What an agent measured of a replica that it holds with this epoch. */
export interface ReplicaFigures {
  readonly replicaID: string;
  readonly epoch: number;
  readonly stats: StreamStats;
}

export function figures(db: Queryable) {
  /**
   * Copies figures to the rows of their streams, which the caller has locked, of those replicas that the agent still
   * holds with that epoch.
   */
  const keepAll = async (figures: readonly (ReplicaFigures & { readonly agentID: string })[]): Promise<void> => {
    if (figures.length === 0) return;
    await db.query(
      `with kept as (
         select r.stream_id,
           (array_agg(f.stats) filter (where r.role = 'primary'))[1] as primary_stats,
           (array_agg(f.stats) filter (where r.role = 'backup'))[1] as backup_stats
         from unnest($1::text[], $2::text[], $3::integer[], $4::jsonb[]) as f (agent_id, replica_id, epoch, stats)
           join replicas r on r.id = f.replica_id and r.agent_id = f.agent_id and r.epoch = f.epoch
         group by r.stream_id)
       update streams s
       set stats = coalesce(primary_stats, stats), backup_stats = coalesce(kept.backup_stats, s.backup_stats)
       from kept where s.id = kept.stream_id`,
      [
        figures.map(({ agentID }) => agentID),
        figures.map(({ replicaID }) => replicaID),
        figures.map(({ epoch }) => epoch),
        figures.map(({ stats }) => stats),
      ],
    );
  };

  return {
    /**
     * Stores the figures of all replicas that an agent holds, in place of those that it stored before. They are in a
     * row of the agent, so that the statement neither changes nor waits for the row of any stream.
     */
    say: (agentID: string, all: readonly ReplicaFigures[]) =>
      db.query(
        `insert into agent_figures (agent_id, lines) select id, $2 from agents where id = $1
         on conflict (agent_id) do update set lines = excluded.lines`,
        [agentID, storedLines(all)],
      ),

    /** Copies figures as `keepAll` does, of one replica. */
    keep: (agentID: string, figures: ReplicaFigures) => keepAll([{ ...figures, agentID }]),

    keepAll,

    /**
     * Copies to the rows of these streams, which the caller has locked, the figures that the holders of their replicas
     * stored last. What an agent stored is read once, however many of the streams are its own.
     */
    keepSaid: (streamIDs: readonly string[]) =>
      db.query(
        `with held as (
           select stream_id, role, agent_id, id || '/' || epoch as claim from replicas
           where stream_id = any ($1) and agent_id is not null),
         line as (
           select agent_id, split_part(text, ' ', 1) as claim, text
           from agent_figures, string_to_table(lines, E'\n') as text
           where agent_id in (select agent_id from held)),
         said as (
           select stream_id, role, nullif(substr(text, length(claim) + 2), '')::jsonb as stats
           from held join line using (agent_id, claim)),
         both_roles as (
           select stream_id,
             (array_agg(stats) filter (where role = 'primary'))[1] as primary_stats,
             (array_agg(stats) filter (where role = 'backup'))[1] as backup_stats
           from said group by stream_id)
         update streams s set
           stats = case when primary_stats ->> 'sampledAt' > coalesce(stats ->> 'sampledAt', '')
             then primary_stats else stats end,
           backup_stats = case when b.backup_stats ->> 'sampledAt' > coalesce(s.backup_stats ->> 'sampledAt', '')
             then b.backup_stats else s.backup_stats end
         from both_roles b where s.id = b.stream_id and s.id = any ($1)`,
        [streamIDs],
      ),

    /** The latest figures of the stream's primary replica; null before its first run. */
    ofStream: async (streamID: string) => {
      const row = await one<{ stats: StreamStats | null }>(
        db,
        `select latest_stats(s.stats, r.agent_id, r.id, r.epoch) as stats from streams s
         left join replicas r on r.stream_id = s.id and r.role = 'primary' where s.id = $1`,
        [streamID],
      );
      return row?.stats ?? null;
    },
  };
}

/**
 * The stored form of figures: for each replica a line break, ID/EPOCH, a space, and the figures as JSON on one line.
 * The SQL function latest_stats (migrations/0013_figures.sql) reads this form, and nothing else does.
 */
function storedLines(all: readonly ReplicaFigures[]): string {
  return all.map(({ replicaID, epoch, stats }) => `\n${replicaID}/${epoch} ${JSON.stringify(stats)}`).join('');
}
