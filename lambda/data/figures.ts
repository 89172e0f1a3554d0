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

    /**
     * Copies figures to the stream's row, which the caller has locked, if the agent holds the replica with that epoch.
     */
    keep: (agentID: string, { replicaID, epoch, stats }: ReplicaFigures) =>
      db.query(
        `update streams s
         set stats = case r.role when 'primary' then $4 else s.stats end,
           backup_stats = case r.role when 'backup' then $4 else s.backup_stats end
         from replicas r
         where r.id = $2 and r.agent_id = $1 and r.epoch = $3 and s.id = r.stream_id`,
        [agentID, replicaID, epoch, JSON.stringify(stats)],
      ),

    /** Copies to the stream's row the figures that the holders of its replicas stored last. */
    keepSaid: (streamID: string) =>
      db.query(
        `update streams s set
           stats = coalesce((
             select latest_stats(s.stats, agent_id, id, epoch)
             from replicas where stream_id = s.id and role = 'primary'), s.stats),
           backup_stats = coalesce((
             select latest_stats(s.backup_stats, agent_id, id, epoch)
             from replicas where stream_id = s.id and role = 'backup'), s.backup_stats)
         where id = $1`,
        [streamID],
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
