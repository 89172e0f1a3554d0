// SQL of figures: what agents measure of what they send, all of an agent in one row, and in a stream's own row what a claim of it ended with.
import { one } from './queryable.ts';
import type { Queryable } from './queryable.ts';
import type { StreamStats } from './streams.ts';

/** What is measured of a replica, by whoever holds it with this epoch. */
export interface ReplicaFigures {
  readonly replicaID: string;
  readonly epoch: number;
  readonly stats: StreamStats;
}

export function figures(db: Queryable) {
  return {
    /** What an agent says of all that it holds, in place of what it said before. No stream's row is touched or waited for. */
    say: (agentID: string, all: readonly ReplicaFigures[]) =>
      db.query(
        `insert into agent_figures (agent_id, lines) select id, $2 from agents where id = $1
         on conflict (agent_id) do update set lines = excluded.lines`,
        [
          agentID,
          all.map(({ replicaID, epoch, stats }) => `\n${replicaID}/${epoch} ${JSON.stringify(stats)}`).join(''),
        ],
      ),

    /** Keeps figures in the stream's row, which the caller has locked, if the agent holds the replica with that epoch. */
    keep: (agentID: string, { replicaID, epoch, stats }: ReplicaFigures) =>
      db.query(
        `update streams s set stats = case r.role when 'primary' then $4 else s.stats end, backup_stats = case r.role when 'backup' then $4 else s.backup_stats end
         from replicas r where r.id = $2 and r.agent_id = $1 and r.epoch = $3 and s.id = r.stream_id`,
        [agentID, replicaID, epoch, JSON.stringify(stats)],
      ),

    /** Keeps what the holders of the stream's replicas said last. */
    keepSaid: (streamID: string) =>
      db.query(
        `update streams s set
           stats = coalesce((select latest_stats(s.stats, agent_id, id, epoch) from replicas where stream_id = s.id and role = 'primary'), s.stats),
           backup_stats = coalesce((select latest_stats(s.backup_stats, agent_id, id, epoch) from replicas where stream_id = s.id and role = 'backup'), s.backup_stats)
         where id = $1`,
        [streamID],
      ),

    /** The latest of the stream's primary replica; null before its first run. */
    ofStream: async (streamID: string) =>
      (
        await one<{ stats: StreamStats | null }>(
          db,
          `select latest_stats(s.stats, r.agent_id, r.id, r.epoch) as stats from streams s
         left join replicas r on r.stream_id = s.id and r.role = 'primary' where s.id = $1`,
          [streamID],
        )
      )?.stats ?? null,
  };
}
