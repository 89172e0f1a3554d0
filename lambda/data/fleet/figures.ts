// SQL of figures: the measurements of agents while they send, and their copies in the rows of streams.
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { FreedReplica } from './replica-losses.ts';
import { newerFigures } from '../streams/kept-figures.ts';
import type { KeptFigures } from '../streams/kept-figures.ts';
import type { StreamStats } from '../streams/streams.ts';

/** The figures of a replica that an agent holds with this epoch. */
export interface ReplicaFigures {
  readonly replicaID: string;
  readonly epoch: number;
  readonly stats: StreamStats;
}

/** The part of figures that is stored permanently: the frames that destinations accepted. */
export interface SaidFigures {
  readonly replicaID: string;
  readonly epoch: number;
  /** The figures, or the JSON that an agent stored. */
  readonly stats: Pick<StreamStats, 'aired'> | string;
}

/**
 * SQL that records the frames that destinations accepted, also those of an agent that no longer holds the replica. The
 * references lock streams in the order of their ids, as `lockMany` does.
 * @param said a relation with replica_id, epoch and stats
 */
const noting = (said: string) =>
  `insert into aired_frames (stream_id, anchored_at, replica_id, epoch, from_frame, to_frame, bytes, stand_in_upload_id,
     sound_stand_in_upload_id, output_id)
   select distinct on (s.id, r.id, said.epoch, a."from")
     s.id, date_trunc('milliseconds', s.anchored_at), r.id, said.epoch, a."from", a."to", a.bytes, a."standIn",
     a."soundStandIn", coalesce(r.output_id, o.id)
   from ${said} as said join replicas r on r.id = said.replica_id join streams s on s.id = r.stream_id
     left join outputs o on o.stream_id = s.id and o.is_first
     cross join lateral jsonb_to_recordset(said.stats -> 'aired')
       as a ("from" bigint, "to" bigint, bytes bigint, "standIn" text, "soundStandIn" text)
   where s.anchored_at is not null order by s.id, r.id, said.epoch, a."from", a."to" desc
   on conflict (replica_id, epoch, from_frame) do update
     set to_frame = excluded.to_frame, bytes = excluded.bytes, noted_at = now()
     where aired_frames.to_frame < excluded.to_frame`;

export function figures(db: Queryable) {
  /**
   * Copies figures to the rows of their streams or, for outputs other than the first, of their replicas. It skips
   * replicas that the agent no longer holds with that epoch. Lock the streams first.
   */
  const keepAll = async (figures: readonly (ReplicaFigures & { readonly agentID: string })[]): Promise<void> => {
    if (figures.length === 0) return;
    await db.query(
      `with f as (
         select * from unnest($1::text[], $2::text[], $3::integer[], $4::jsonb[])
           as f (agent_id, replica_id, epoch, stats)),
       noted as (${noting('f')}),
       said as (
         select r.id, r.stream_id, r.role, r.output_id, f.stats
         from f join replicas r on r.id = f.replica_id and r.agent_id = f.agent_id and r.epoch = f.epoch),
       of_outputs as (
         update replicas r set stats = said.stats from said where r.id = said.id and said.output_id is not null),
       kept as (
         select stream_id,
           (array_agg(stats) filter (where role = 'primary'))[1] as primary_stats,
           (array_agg(stats) filter (where role = 'backup'))[1] as backup_stats
         from said where output_id is null group by stream_id)
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
     * Stores the figures of all replicas that an agent holds, in place of its former ones. They are in one row of the
     * agent, so that the statement neither changes nor waits for rows of streams.
     */
    write: (agentID: string, all: readonly ReplicaFigures[]) =>
      db.query(
        {
          name: 'write_figures',
          text: `insert into agent_figures (agent_id, lines) select id, $2 from agents where id = $1
           on conflict (agent_id) do update set lines = excluded.lines`,
        },
        [agentID, storedLines(all)],
      ),

    /** Copies the figures of one replica, as `keepAll` does. */
    keep: (agentID: string, figures: ReplicaFigures) => keepAll([{ ...figures, agentID }]),

    keepAll,

    /** Records the accepted frames of figures without copying the figures. */
    recordAired: async (said: readonly SaidFigures[]): Promise<void> => {
      if (said.length === 0) return;
      await db.query(
        `with f as (
           select * from unnest($1::text[], $2::integer[], $3::jsonb[]) as f (replica_id, epoch, stats))
         ${noting('f')}`,
        [said.map(({ replicaID }) => replicaID), said.map(({ epoch }) => epoch), said.map(({ stats }) => stats)],
      );
    },

    /**
     * The last figures of the former holders of replicas, as JSON by the id of the replica. The row of an agent is read
     * once for any number of replicas.
     */
    writtenOf: async (freed: readonly FreedReplica[]): Promise<Map<string, string>> => {
      const agentIDs = new Set(freed.map(({ held_by: agentID }) => agentID));
      const stored = await all<{ agent_id: string; lines: string }>(
        db,
        'select agent_id, lines from agent_figures where agent_id = any ($1)',
        [[...agentIDs]],
      );
      const linesOf = new Map(stored.map(({ agent_id: agentID, lines }) => [agentID, linesByClaim(lines)]));
      return new Map(
        freed.flatMap(({ id, held_by: agentID, held_epoch: epoch }) => {
          const stats = linesOf.get(agentID)?.get(claimOf(id, epoch));
          return stats === undefined ? [] : [[id, stats] as const];
        }),
      );
    },

    /** Copies newer figures to the rows of replicas of further outputs. @param said by the id of the replica */
    keepNewerOfOutputs: async (said: ReadonlyMap<string, string>): Promise<void> => {
      if (said.size === 0) return;
      await db.query(
        `update replicas r set stats = ${newerFigures('said.stats', 'r.stats')}
         from unnest($1::text[], $2::jsonb[]) as said (id, stats) where r.id = said.id`,
        [[...said.keys()], [...said.values()]],
      );
    },

    /** Copies newer figures to the rows of streams. Lock them first. @param said by the id of the stream */
    keepNewer: async (said: ReadonlyMap<string, KeptFigures>): Promise<void> => {
      if (said.size === 0) return;
      const each = [...said.values()];
      await db.query(
        `update streams s
         set stats = ${newerFigures('said.primary_stats', 's.stats')},
           backup_stats = ${newerFigures('said.backup_stats', 's.backup_stats')}
         from unnest($1::text[], $2::jsonb[], $3::jsonb[]) as said (stream_id, primary_stats, backup_stats)
         where s.id = said.stream_id`,
        [[...said.keys()], each.map(({ primary }) => primary), each.map(({ backup }) => backup)],
      );
    },

    /** The latest figures of the stream's primary replica; null before its first run. */
    ofStream: async (streamID: string) => {
      const row = await one<{ stats: StreamStats | null }>(
        db,
        `select latest_stats(s.stats, r.agent_id, r.id, r.epoch) as stats from streams s
         left join replicas r on r.stream_id = s.id and r.role = 'primary' and r.output_id is null where s.id = $1`,
        [streamID],
      );
      return row?.stats ?? null;
    },

    /** The latest figures of the primary replica of an output other than the first; null before its first run. */
    ofOutput: async (outputID: string) => {
      const row = await one<{ stats: StreamStats | null }>(
        db,
        `select latest_stats(stats, agent_id, id, epoch) as stats from replicas
         where output_id = $1 and role = 'primary'`,
        [outputID],
      );
      return row?.stats ?? null;
    },
  };
}

const claimOf = (replicaID: string, epoch: number) => `${replicaID}/${epoch}`;

/**
 * The stored form of figures: for each replica a line break, ID/EPOCH, a space, and the figures as JSON on one line.
 * The SQL function latest_stats (migrations/0011_fleet.sql) reads this form, and so does `linesByClaim`.
 */
function storedLines(all: readonly ReplicaFigures[]): string {
  return all.map(({ replicaID, epoch, stats }) => `\n${claimOf(replicaID, epoch)} ${JSON.stringify(stats)}`).join('');
}

/** The stored figures of an agent as JSON, by ID/EPOCH. */
function linesByClaim(lines: string): Map<string, string> {
  const byClaim = new Map<string, string>();
  for (const line of lines.split('\n')) {
    const space = line.indexOf(' ');
    if (space > 0 && space < line.length - 1) byClaim.set(line.slice(0, space), line.slice(space + 1));
  }
  return byClaim;
}
