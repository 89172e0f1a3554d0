// SQL of replicas: the rows that agents claim and report on.
import { costNames } from '../../domain/fleet/capacity.ts';
import type { StreamCost } from '../../domain/fleet/capacity.ts';
import { isFunded } from '../shared/funded.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { PublishCommand } from '../shared/outbox.ts';
import { setDueTimes } from '../streams/due-times.ts';
import type { StoredCost } from './replica-costs.ts';
import { costColumnList, costColumns, shareOf } from './replica-costs.ts';
import type { StateReason, StreamBackend } from '../../domain/streams/stream-words.ts';
import type { ReplicaState } from '../../domain/fleet/replica-words.ts';

export type ReplicaRole = 'primary' | 'backup';

export interface Replica extends StoredCost {
  readonly id: string;
  readonly stream_id: string;
  readonly role: ReplicaRole;
  /** Null: the stream's first output, or its managed platform. */
  readonly output_id: string | null;
  readonly backend: StreamBackend;
  readonly wanted: 'live' | 'ended';
  readonly state: ReplicaState;
  readonly reason: StateReason | null;
  readonly since: Date;
  readonly agent_id: string | null;
  /** Increases with every claim, so that a late report of a former holder is recognized. */
  readonly epoch: number;
  /** Increases with every change of its stream's timeline. */
  readonly timeline_revision: number;
  /** Whether the stream's only replica is sent to the destination's backup URL, after a hand-over. */
  readonly at_backup_url: boolean;
  /** Null while it is live, and before its first attempt. */
  readonly failing_since: Date | null;
  /** It has ended because no retry could help, while other outputs of the stream continue. */
  readonly is_given_up: boolean;
  /** The failed attempts since it was last live. */
  readonly failures: number;
  readonly next_attempt_at: Date | null;
  readonly last_failure: LastFailure | null;
  /** The trace of its start; null: not traced. */
  readonly traceparent: string | null;
  /** Whether its user was not funded at the start, and is not since. */
  readonly is_unfunded: boolean;
}

/** The last failure of a replica, with its cause. */
export interface LastFailure extends StateReason {
  readonly blame: string;
}

/** Replicas that begin to wait for agents, and what begins with them. */
export interface Launch {
  readonly replicas: readonly NewReplica[];
  /** The times at which their streams have to be live. */
  readonly deadlines: readonly { readonly streamID: string; readonly dueAt: Date }[];
  /** The streams for which an agent of the backend is woken. */
  readonly wakes: readonly { readonly streamID: string; readonly backend: StreamBackend }[];
}

export interface Launched {
  readonly replicas: readonly Replica[];
  /** The start time of a machine for a waiting stream, in seconds; null: none starts. */
  readonly machineSeconds: number | null;
}

export interface NewReplica {
  readonly id: string;
  readonly streamID: string;
  readonly outputID: string | null;
  readonly role: ReplicaRole;
  readonly backend: StreamBackend;
  readonly cost: StreamCost;
}

/** The claim of a replica that a report is about. */
export type Claim = Pick<Replica, 'id' | 'agent_id' | 'epoch'>;

/** The report of the holder of a replica. */
export interface ClaimReport {
  readonly claim: Claim;
  readonly state: ReplicaState;
  readonly reason: StateReason | null;
  /** The share of its agent that the replica holds, 0 while it rests; absent: unchanged. */
  readonly share?: number;
  /** Present if it is failing. */
  readonly attempt?: FailedAttempt;
}

/** A failed attempt to publish, and the time until the next one. */
export interface FailedAttempt {
  readonly failures: number;
  readonly nextInMs: number;
  readonly blame: string;
}

/** A replica whose timeline or cost has changed since its claim, or which is to end. */
export interface ChangedReplica {
  readonly id: string;
  readonly timeline_revision: number;
  /** Null: that of the share in its row, or it is to end. */
  readonly cost: StoredCost | null;
  readonly is_ending: boolean;
}

/** The output and role of a replica. */
export type PublishedFor = Pick<Replica, 'id' | 'role' | 'output_id'>;

/**
 * SQL for `update replicas set …` that frees replicas from their holders and successors. A successor has the epoch
 * after the holder's (see `succeed`). So if there was one, its epoch is skipped: the next claim has a later one, and a
 * late report of the former successor is not taken for one of the new holder.
 */
export const freed = `agent_id = null, is_offered = false, takes_media = false,
  epoch = case when successor_id is null then epoch else epoch + 1 end, successor_id = null,
  since = now(), state = case when wanted = 'ended' then 'ended' else 'waiting' end`;

/** SQL for `update replicas set …` that requests the end of replicas. */
const asked = `wanted = 'ended', since = case when agent_id is null then now() else since end,
  state = case when agent_id is null then 'ended' else state end`;

/** SQL: the first output first, the primary before the backup. */
const inOrder = 'order by output_id nulls first, role desc';

export function replicas(db: Queryable) {
  /** Releases replicas that their agent holds. @returns the replicas that it held */
  const releaseAll = (claims: readonly Claim[]) =>
    all<Replica>(
      db,
      `update replicas set ${freed}
       from unnest($1::text[], $2::text[], $3::integer[]) as c (held_id, holder_id, held_epoch)
       where id = held_id and agent_id = holder_id and epoch = held_epoch
       returning replicas.*`,
      columnsOf(claims),
    );

  /**
   * Records the reports of holders. A replica that has ended has no holder.
   * @returns the outputs and roles of the held replicas, by id; reports of other agents are ignored
   */
  const reportAll = async (reports: readonly ClaimReport[]): Promise<ReadonlyMap<string, PublishedFor>> => {
    const rows = await all<PublishedFor>(
      db,
      {
        name: 'report_all',
        text: `update replicas r
       set reason = case when r.is_given_up then r.reason else o.reason end, share = coalesce(o.share, r.share),
         since = case when r.state = o.state then since else now() end, state = o.state,
         agent_id = case when o.state = 'ended' then null else r.agent_id end,
         failures = case o.state when 'live' then 0 else coalesce((o.attempt ->> 'failures')::int, r.failures) end,
         next_attempt_at = now() + make_interval(secs => (o.attempt ->> 'nextInMs')::float8 / 1000),
         last_failure = case when o.attempt is null then r.last_failure
           else o.reason || jsonb_build_object('blame', o.attempt -> 'blame') end,
         failing_since = case
           when o.state = 'failing' then coalesce(failing_since, now())
           when o.state = 'connecting' then failing_since end,
         takes_media = r.takes_media and o.state = 'failing'
       from unnest($1::text[], $2::text[], $3::integer[], $4::text[], $5::jsonb[], $6::float8[], $7::jsonb[])
         as o (id, agent_id, epoch, state, reason, share, attempt)
       where r.id = o.id and r.agent_id = o.agent_id and r.epoch = o.epoch
       returning r.id, r.role, r.output_id`,
      },
      [
        ...columnsOf(reports.map(({ claim }) => claim)),
        reports.map(({ state }) => state),
        reports.map(({ reason }) => reason),
        reports.map(({ share }) => share ?? null),
        reports.map(({ attempt }) => attempt ?? null),
      ],
    );
    return new Map(rows.map((row) => [row.id, row]));
  };

  return {
    /**
     * Makes replicas without holders. Earlier ones of the same outputs and roles must have been deleted. One statement
     * also sets the deadlines and sends the commands: a start by hand costs most by its number of statements.
     */
    launch: async ({ replicas, deadlines, wakes }: Launch): Promise<Launched> => {
      if (replicas.length === 0 && deadlines.length === 0) return { replicas: [], machineSeconds: null };
      const rows = await all<Replica & { machine_seconds: number | null }>(
        db,
        `with deadlines as (${setDueTimes(
          `select id, 'activation_timeout', due_at from unnest($1::text[], $2::timestamptz[]) as d (id, due_at)`,
        )}),
         wakes as (insert into outbox (queue, body) select * from unnest($3::text[], $4::jsonb[])),
         made as (
           insert into replicas (id, stream_id, output_id, role, backend, ${costColumnList}, is_unfunded)
           select n.*, (select not ${isFunded('s.user_id')} from streams s where s.id = n.stream_id)
           from unnest($5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
             ${costNames.map((_, index) => `$${index + 10}::float8[]`).join(', ')})
             as n (id, stream_id, output_id, role, backend, ${costColumnList})
           returning *)
         select *, (
           select max(machine_seconds) from agents
           where lease_expires_at > now() and not is_draining) as machine_seconds
         from made`,
        [
          deadlines.map(({ streamID }) => streamID),
          deadlines.map(({ dueAt }) => dueAt),
          wakes.map(({ backend }) => `publish-${backend}`),
          wakes.map(({ streamID }) => ({ streamID }) satisfies PublishCommand),
          replicas.map(({ id }) => id),
          replicas.map(({ streamID }) => streamID),
          replicas.map(({ outputID }) => outputID),
          replicas.map(({ role }) => role),
          replicas.map(({ backend }) => backend),
          ...costNames.map((name) => replicas.map(({ cost }) => cost[name])),
        ],
      );
      return { replicas: rows, machineSeconds: rows[0]?.machine_seconds ?? null };
    },

    /** Sets the costs of replicas from their next claims on. */
    setCosts: (replicas: readonly Pick<NewReplica, 'id' | 'cost'>[]) =>
      db.query(
        `update replicas r set ${costNames.map((name) => `${costColumns[name]} = o.${costColumns[name]}`).join(', ')}
         from unnest($1::text[], ${costNames.map((_, index) => `$${index + 2}::float8[]`).join(', ')})
           as o (id, ${costColumnList})
         where r.id = o.id`,
        [replicas.map(({ id }) => id), ...costNames.map((name) => replicas.map(({ cost }) => cost[name]))],
      ),

    /** Deletes the replicas of an earlier run of the stream. */
    deleteAll: (streamID: string) => db.query('delete from replicas where stream_id = $1', [streamID]),

    delete: (ids: readonly string[]) => db.query('delete from replicas where id = any ($1)', [ids]),

    /** Lets an output that was given up start again. */
    forgetGivenUp: (streamID: string, outputID: string | null) =>
      db.query(
        `update replicas set is_given_up = false
         where stream_id = $1 and output_id is not distinct from $2 and is_given_up`,
        [streamID, outputID],
      ),

    /** Lets all outputs of a stream that were given up start again. @returns the number of their replicas */
    forgetAllGivenUp: async (streamID: string) => {
      const text = 'update replicas set is_given_up = false where stream_id = $1 and is_given_up';
      return (await db.query(text, [streamID])).rowCount ?? 0;
    },

    /**
     * Renews the claims of the failing replicas of a stream for the agents that hold them. Each agent ends its waiting
     * attempt, which has the former epoch, and starts again at once.
     * @returns their number
     */
    reclaimFailing: async (streamID: string) => {
      const { rowCount } = await db.query(
        `update replicas set epoch = epoch + case when successor_id is null then 1 else 2 end, state = 'connecting',
           since = now(), is_offered = false, successor_id = null, takes_media = false
         where stream_id = $1 and state = 'failing' and wanted <> 'ended' and agent_id is not null`,
        [streamID],
      );
      return rowCount ?? 0;
    },

    find: (id: string) => one<Replica>(db, 'select * from replicas where id = $1', [id]),

    ofStream: (streamID: string) =>
      all<Replica>(db, `select * from replicas where stream_id = $1 ${inOrder}`, [streamID]),

    ofStreams: (streamIDs: readonly string[]) =>
      all<Replica>(db, `select * from replicas where stream_id = any ($1) ${inOrder}`, [streamIDs]),

    /** The replicas among these that an agent holds and has not been asked to end. */
    heldOf: (agentID: string, ids: readonly string[]) =>
      all<Replica>(db, `select * from replicas where id = any ($2) and agent_id = $1 and wanted <> 'ended'`, [
        agentID,
        ids,
      ]),

    /**
     * The replicas of an agent whose timelines have changed, or that cost another share than the one in their rows.
     * @param weights those of the agent, in the order of `costNames`
     */
    changedOf: (agentID: string, weights: readonly number[]) => {
      const isCost = `r.wanted <> 'ended' and ${shareOf('r', '$2')} <> r.share`;
      const cost = Object.values(costColumns).flatMap((column) => [`'${column}'`, `r.${column}`]);
      return all<ChangedReplica>(
        db,
        `select id, timeline_revision, wanted = 'ended' as is_ending,
           case when ${isCost} then json_build_object(${cost.join(', ')}) end as cost
         from replicas r
         where (agent_id = $1 or successor_id = $1)
           and (timeline_revision > 0 or wanted = 'ended' or ${shareOf('r', '$2')} <> r.share)`,
        [agentID, weights],
      );
    },

    /** Releases a replica. @returns whether the agent held it */
    release: async (claim: Claim) => (await releaseAll([claim])).length > 0,

    releaseAll,

    /** Records the report of a holder, as `reportAll` does. @returns whether the agent held it */
    report: async (claim: Claim, state: ReplicaState, reason: StateReason | null) =>
      (await reportAll([{ claim, state, reason }])).has(claim.id),

    reportAll,

    /**
     * Requests the end of all replicas of these streams, and clears their due times. Replicas without a holder end at
     * once.
     * @returns the time of the database
     */
    endAll: async (streamIDs: readonly string[]) =>
      (await one<{ now: Date }>(
        db,
        `with ended as (update replicas set ${asked} where stream_id = any ($1) and state <> 'ended'),
           times as (delete from due_times where stream_id = any ($1))
         select clock_timestamp() as now`,
        [streamIDs],
      ))!.now,

    /** Requests the end of these replicas. Replicas without a holder end at once. */
    end: (ids: readonly string[]) =>
      db.query(`update replicas set ${asked} where id = any ($1) and state <> 'ended'`, [ids]),

    /** Requests the end of all replicas of an output for good, as no retry can help. */
    giveUp: (streamID: string, outputID: string | null, reason: StateReason | null) =>
      db.query(
        `update replicas set ${asked}, is_given_up = true, reason = $3
         where stream_id = $1 and output_id is not distinct from $2 and state <> 'ended'`,
        [streamID, outputID, reason],
      ),
  };
}

const columnsOf = (claims: readonly Claim[]) => [
  claims.map(({ id }) => id),
  claims.map(({ agent_id: agentID }) => agentID),
  claims.map(({ epoch }) => epoch),
];
