// SQL of replicas: the rows that agents claim, and what they report of them.
import { costNames } from '../domain/capacity.ts';
import type { StreamCost } from '../domain/capacity.ts';
import { declaredDead } from './agents.ts';
import { all, one } from './queryable.ts';
import type { Queryable } from './queryable.ts';
import type { StoredCost } from './replica-costs.ts';
import { costColumnList, costColumns } from './replica-costs.ts';
import type { StateReason, Stream, StreamBackend } from './streams.ts';

export type ReplicaRole = 'primary' | 'backup';
export const replicaStates = ['waiting', 'connecting', 'live', 'failing', 'ended'] as const;
export type ReplicaState = (typeof replicaStates)[number];

export interface Replica extends StoredCost {
  readonly id: string;
  readonly stream_id: string;
  readonly role: ReplicaRole;
  readonly backend: StreamBackend;
  /** See `slotsOfOldRelease`. */
  readonly slots: number;
  readonly wanted: 'live' | 'ended';
  readonly state: ReplicaState;
  readonly reason: StateReason | null;
  readonly since: Date;
  readonly agent_id: string | null;
  /** Grows with every claim. It tells a report of the holder from a late one of an agent that has lost the replica. */
  readonly epoch: number;
  /** Whether the stream's only replica is sent to the destination's backup URL, where it was handed over. */
  readonly at_backup_url: boolean;
  /** Null while it is live, and until it was first tried. */
  readonly failing_since: Date | null;
}

export interface NewReplica {
  readonly id: string;
  readonly streamID: string;
  readonly role: ReplicaRole;
  readonly backend: StreamBackend;
  readonly slots: number;
  readonly cost: StreamCost;
}

/** A replica that was taken from a dead agent, and the claim by which that held it. */
export interface FreedReplica extends Replica {
  readonly held_by: string;
  readonly held_epoch: number;
}

/** Which claim of a replica a report is about. */
export type Claim = Pick<Replica, 'id' | 'agent_id' | 'epoch'>;

/** What the holder of a replica observed. */
export interface ClaimReport {
  readonly claim: Claim;
  readonly state: ReplicaState;
  readonly reason: StateReason | null;
}

/**
 * SQL for `update replicas set …` that takes replicas away from their holders and their successors. A successor knows
 * the replica by the epoch after the holder's (see `succeed`). So where there was one, that epoch is passed over: the
 * next claim has a later one, and a late report of the former successor does not pass for a report of the new holder.
 */
const freed = `agent_id = null, is_offered = false,
  epoch = case when successor_id is null then epoch else epoch + 1 end, successor_id = null,
  since = now(), state = case when wanted = 'ended' then 'ended' else 'waiting' end`;

export function replicas(db: Queryable) {
  /** Lets go of replicas that are still wanted, of those that the agent holds. @returns those that it held */
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
   * Writes what holders observed. A replica that has ended has no holder.
   * @returns the roles of those that were held, by their ids
   */
  const reportAll = async (reports: readonly ClaimReport[]): Promise<ReadonlyMap<string, ReplicaRole>> => {
    const rows = await all<Pick<Replica, 'id' | 'role'>>(
      db,
      `update replicas r
       set reason = o.reason, since = case when r.state = o.state then since else now() end, state = o.state,
         agent_id = case when o.state = 'ended' then null else r.agent_id end,
         failing_since = case
           when o.state = 'failing' then coalesce(failing_since, now())
           when o.state = 'connecting' then failing_since end
       from unnest($1::text[], $2::text[], $3::integer[], $4::text[], $5::jsonb[])
         as o (id, agent_id, epoch, state, reason)
       where r.id = o.id and r.agent_id = o.agent_id and r.epoch = o.epoch
       returning r.id, r.role`,
      [
        ...columnsOf(reports.map(({ claim }) => claim)),
        reports.map(({ state }) => state),
        reports.map(({ reason }) => reason),
      ],
    );
    return new Map(rows.map(({ id, role }) => [id, role]));
  };

  return {
    /** Makes a replica that nobody holds yet. Those of an earlier run of the stream have to be gone. */
    insert: (replica: NewReplica) =>
      db.query(
        `insert into replicas (id, stream_id, role, backend, slots, ${costColumnList})
         values ($1, $2, $3, $4, $5, ${costNames.map((_, index) => `$${index + 6}`).join(', ')})`,
        [
          replica.id,
          replica.streamID,
          replica.role,
          replica.backend,
          replica.slots,
          ...costNames.map((name) => replica.cost[name]),
        ],
      ),

    /** What a replica costs from its next claim on. */
    setCost: (streamID: string, role: ReplicaRole, cost: StreamCost) =>
      db.query(
        `update replicas set ${costNames.map((name, index) => `${costColumns[name]} = $${index + 3}`).join(', ')}
         where stream_id = $1 and role = $2`,
        [streamID, role, ...costNames.map((name) => cost[name])],
      ),

    /** Removes what an earlier run of the stream left. */
    deleteAll: (streamID: string) => db.query('delete from replicas where stream_id = $1', [streamID]),

    find: (id: string) => one<Replica>(db, 'select * from replicas where id = $1', [id]),

    ofStream: (streamID: string) =>
      all<Replica>(db, 'select * from replicas where stream_id = $1 order by role desc', [streamID]),

    ofStreams: (streamIDs: readonly string[]) =>
      all<Replica>(db, 'select * from replicas where stream_id = any ($1) order by role desc', [streamIDs]),

    /** Lets go of a replica that is still wanted. @returns whether the agent held it */
    release: async (claim: Claim) => (await releaseAll([claim])).length > 0,

    releaseAll,

    /** Writes what the holder observed, as `reportAll` does. @returns whether the agent held it */
    report: async (claim: Claim, state: ReplicaState, reason: StateReason | null) =>
      (await reportAll([{ claim, state, reason }])).has(claim.id),

    reportAll,

    /**
     * Streams of which dead agents still hold replicas, locked. Processes that ask in the same moment get other
     * streams. A stream comes once for each such replica.
     */
    lockStreamsOfDeadAgents: (except: readonly string[], count: number) =>
      all<Stream>(
        db,
        `select s.* from agents a join replicas r on r.agent_id = a.id join streams s on s.id = r.stream_id
         where a.lease_expires_at = ${declaredDead} and s.id <> all ($1)
         limit $2 for update of s skip locked`,
        [except, count],
      ),

    /** Frees the replicas of streams whose holders were declared dead. @returns those replicas */
    releaseOfDeadAgents: (streamIDs: readonly string[]) =>
      all<FreedReplica>(
        db,
        `update replicas set ${freed}
         where stream_id = any ($1) and agent_id in (select id from agents where lease_expires_at = ${declaredDead})
         returning replicas.*, old.agent_id as held_by, old.epoch as held_epoch`,
        [streamIDs],
      ),

    /** Asks for the end of all replicas of a stream. Those that nobody holds have ended at once. */
    endAll: (streamID: string) =>
      db.query(
        `update replicas set wanted = 'ended', since = case when agent_id is null then now() else since end,
           state = case when agent_id is null then 'ended' else state end
         where stream_id = $1 and state <> 'ended'`,
        [streamID],
      ),
  };
}

const columnsOf = (claims: readonly Claim[]) => [
  claims.map(({ id }) => id),
  claims.map(({ agent_id: agentID }) => agentID),
  claims.map(({ epoch }) => epoch),
];
