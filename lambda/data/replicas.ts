// SQL of replicas: the rows that agents claim, and what they report of them.
import { costNames } from '../domain/capacity.ts';
import type { Room, StreamCost } from '../domain/capacity.ts';
import { declaredDead } from './agents.ts';
import { all, one } from './queryable.ts';
import type { Queryable } from './queryable.ts';
import type { StoredCost } from './replica-costs.ts';
import { costColumnList, costColumns, roomParameters, shareOf } from './replica-costs.ts';
import type { StateReason, StreamBackend } from './streams.ts';

export type ReplicaRole = 'primary' | 'backup';
export const replicaStates = ['waiting', 'connecting', 'live', 'failing', 'ended'] as const;
export type ReplicaState = (typeof replicaStates)[number];

export interface Replica extends StoredCost {
  readonly id: string;
  readonly stream_id: string;
  readonly role: ReplicaRole;
  readonly backend: StreamBackend;
  /** What it counts against its user's limit, see `slotsOf`. */
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

/** Which claim of a replica a report is about. */
export type Claim = Pick<Replica, 'id' | 'agent_id' | 'epoch'>;

/** How long a replica waits for an agent in another zone than that of the stream's other replica. */
const sameZoneAfterSeconds = 5;
/** How long a replica waits for another agent than the one that holds the stream's other replica. */
const sameAgentAfterSeconds = 30;
/** The same where no other agent lives. One that died may be started again meanwhile. */
const onlyAgentAfterSeconds = 10;

/**
 * SQL of agents that would take a replica, to stand in `exists (…)`. Further conditions on them may follow: `and …`.
 * @param replica the alias of the replica in the statement around it
 * @param agentID the parameter with the id of the agent that does not count
 */
const otherTakers = (replica: string, agentID: string) =>
  `select from agents
   where id <> ${agentID} and lease_expires_at > now() and not is_draining
     and (backends is null or ${replica}.backend = any (backends))`;

/**
 * SQL of the condition for taking anything, that the agent's lease holds. What an agent without a lease took could be
 * freed again at once, and be sent by another agent as well.
 * @param agentID the parameter with the id of the agent
 */
const leaseHolds = (agentID: string) =>
  `exists (select from agents where id = ${agentID} and lease_expires_at > now())`;

/**
 * SQL for `update replicas set …` that takes replicas away from their holders and their successors. A successor knows
 * the replica by the epoch after the holder's (see `succeed`). So where there was one, that epoch is passed over: the
 * next claim has a later one, and a late report of the former successor does not pass for a report of the new holder.
 */
const freed = `agent_id = null, is_offered = false,
  epoch = case when successor_id is null then epoch else epoch + 1 end, successor_id = null,
  since = now(), state = case when wanted = 'ended' then 'ended' else 'waiting' end`;

export function replicas(db: Queryable) {
  return {
    /** Makes a replica that nobody holds yet, in place of the one that an earlier run of the stream left. */
    insert: (replica: NewReplica) =>
      db.query(
        `insert into replicas (id, stream_id, role, backend, slots, ${costColumnList})
         values ($1, $2, $3, $4, $5, ${costNames.map((_, index) => `$${index + 6}`).join(', ')})
         on conflict (stream_id, role) do update set
           id = excluded.id, backend = excluded.backend, slots = excluded.slots,
           ${costNames.map((name) => `${costColumns[name]} = excluded.${costColumns[name]}`).join(', ')},
           wanted = 'live', state = 'waiting', reason = null, since = now(), agent_id = null, epoch = 0,
           requested_at = now(), is_offered = false, successor_id = null, at_backup_url = false,
           failing_since = null`,
        [
          replica.id,
          replica.streamID,
          replica.role,
          replica.backend,
          replica.slots,
          ...costNames.map((name) => replica.cost[name]),
        ],
      ),

    deleteRole: (streamID: string, role: ReplicaRole) =>
      db.query('delete from replicas where stream_id = $1 and role = $2', [streamID, role]),

    find: (id: string) => one<Replica>(db, 'select * from replicas where id = $1', [id]),

    ofStream: (streamID: string) =>
      all<Replica>(db, 'select * from replicas where stream_id = $1 order by role desc', [streamID]),

    ofStreams: (streamIDs: readonly string[]) =>
      all<Replica>(db, 'select * from replicas where stream_id = any ($1) order by role desc', [streamIDs]),

    /**
     * Gives an agent waiting replicas that fit into its room, the oldest request first. A replica that is too
     * large for it does not keep others waiting. The two replicas of a stream go to different agents, in different
     * zones where there are any: a backup waits until the primary is held, and either waits a while for an agent that
     * is further away from the other.
     * It is one statement, so that agents which claim in the same moment pass over what this one has locked, and never
     * get the same replica. So that they find the rest, it locks no more replicas than could fit.
     */
    claim: (agentID: string, backends: readonly StreamBackend[], room: Room) =>
      all<Replica>(
        db,
        `with waiting as (
           select r.id, r.requested_at, ${shareOf('r', '$4', '$5')} as share
           from replicas r
             left join replicas other
               on other.stream_id = r.stream_id and other.role <> r.role and other.wanted = 'live'
             left join agents holder on holder.id = other.agent_id
           where r.agent_id is null and r.wanted = 'live' and r.backend = any ($2)
             and ${shareOf('r', '$4', '$5')} <= $3::float8
             and ${leaseHolds('$1')}
             and case
               -- The stream has no other replica.
               when other.id is null then true
               -- Nobody holds the other replica: the primary goes first, or either where this agent is the only one.
               when holder.id is null then r.role = 'primary' or not exists (${otherTakers('r', '$1')})
               -- This agent holds the other replica: another agent has some time to come.
               when holder.id = $1 then r.since < now() - make_interval(secs => case
                 when exists (${otherTakers('r', '$1')}) then ${sameAgentAfterSeconds}
                 else ${onlyAgentAfterSeconds} end)
               -- An agent of this agent's zone holds the other replica: one of another zone has some time to come.
               when holder.zone = (select zone from agents where id = $1)
                 then r.since < now() - make_interval(secs => ${sameZoneAfterSeconds})
                   or not exists (${otherTakers('r', '$1')} and zone <> holder.zone)
               else true end
           order by r.requested_at limit $6
           for update of r skip locked),
         fitting as (
           select id from (select id, sum(share) over (order by requested_at, id) as total from waiting) s
           where total <= $3::float8)
         update replicas
         set agent_id = $1, epoch = epoch + 1, state = 'connecting', since = now(), at_backup_url = false
         where id in (select id from fitting)
         returning *`,
        roomParameters(agentID, backends, room),
      ),

    /**
     * Offers replicas that an agent holds to successors, where a successor can connect before the holder lets go: the
     * destination has a second URL, and the stream has no other replica, which would use it. @returns what was offered
     */
    offer: (agentID: string) =>
      all<{ id: string; stream_id: string; backend: StreamBackend }>(
        db,
        `update replicas r set is_offered = true
         from streams s join destinations d on d.id = s.destination_id
         where r.agent_id = $1 and r.wanted = 'live' and r.state = 'live'
           and s.id = r.stream_id and d.backup_rtmp_url is not null
           and not exists (select from replicas other where other.stream_id = r.stream_id and other.id <> r.id)
           and exists (${otherTakers('r', '$1')})
         returning r.id, r.stream_id, r.backend`,
        [agentID],
      ),

    /**
     * Makes an agent the successor of replicas that others offer, as far as they fit into its room. It is one
     * statement for the same reasons as `claim`.
     * @returns the replicas as they will be once the successor has reported them live: its own, with the next epoch,
     *   and at the destination's other URL
     */
    succeed: (agentID: string, backends: readonly StreamBackend[], room: Room) =>
      all<Replica>(
        db,
        `with offered as (
           select r.id, r.requested_at, ${shareOf('r', '$4', '$5')} as share from replicas r
           where is_offered and successor_id is null and agent_id <> $1 and wanted = 'live'
             and backend = any ($2) and ${shareOf('r', '$4', '$5')} <= $3::float8 and ${leaseHolds('$1')}
           order by requested_at limit $6
           for update skip locked),
         fitting as (
           select id from (select id, sum(share) over (order by requested_at, id) as total from offered) s
           where total <= $3::float8)
         update replicas set successor_id = $1
         where id in (select id from fitting)
         returning id, stream_id, role, backend, slots, ${costColumnList}, wanted, state, reason, since,
           $1 as agent_id, epoch + 1 as epoch, not at_backup_url as at_backup_url, failing_since`,
        roomParameters(agentID, backends, room),
      ),

    /**
     * Writes what a successor observed. A successor that is live becomes the holder, and one that has ended is the
     * successor no more; all else changes nothing. It is one statement, so that the replica is locked from the check of
     * the claim on.
     * @returns false when the agent is not the successor
     */
    reportSuccessor: async (claim: Claim, state: ReplicaState) =>
      (await one<{ id: string }>(
        db,
        `with mine as (
           select id from replicas
           where id = $1 and successor_id = $2 and epoch + 1 = $3 and wanted = 'live'
           for update),
         promoted as (
           update replicas r
           set agent_id = $2, epoch = epoch + 1, at_backup_url = not at_backup_url, state = 'live', reason = null,
             failing_since = null, is_offered = false, successor_id = null
           from mine where r.id = mine.id and $4 = 'live'),
         ended as (
           update replicas r set successor_id = null
           from mine where r.id = mine.id and $4 = 'ended')
         select id from mine`,
        [claim.id, claim.agent_id, claim.epoch, state],
      )) !== null,

    /** Lets go of a replica that is still wanted. @returns whether the agent held it */
    release: async (claim: Claim) =>
      (await one<{ id: string }>(
        db,
        `update replicas set ${freed} where id = $1 and agent_id = $2 and epoch = $3 returning id`,
        [claim.id, claim.agent_id, claim.epoch],
      )) !== null,

    /** Writes what the holder observed. A replica that has ended has no holder. @returns whether the agent held it */
    report: async (claim: Claim, state: ReplicaState, reason: StateReason | null) =>
      (await one<{ stream_id: string }>(
        db,
        `update replicas
         set reason = $5, since = case when state = $4 then since else now() end, state = $4,
           agent_id = case when $4 = 'ended' then null else agent_id end,
           failing_since = case
             when $4 = 'failing' then coalesce(failing_since, now())
             when $4 = 'connecting' then failing_since end
         where id = $1 and agent_id = $2 and epoch = $3
         returning stream_id`,
        [claim.id, claim.agent_id, claim.epoch, state, reason],
      )) !== null,

    /**
     * A stream of which a dead agent still holds a replica, locked. Processes that ask in the same moment get other
     * streams.
     */
    nextOfDeadAgent: (except: readonly string[]) =>
      one<{ stream_id: string }>(
        db,
        `select r.stream_id
         from agents a join replicas r on r.agent_id = a.id join streams s on s.id = r.stream_id
         where a.lease_expires_at = ${declaredDead} and r.stream_id <> all ($1)
         limit 1 for update of s skip locked`,
        [except],
      ),

    /** Frees the replicas of a stream whose holders were declared dead. @returns those replicas */
    releaseOfDeadAgents: (streamID: string) =>
      all<Replica>(
        db,
        `update replicas set ${freed}
         where stream_id = $1 and agent_id in (select id from agents where lease_expires_at = ${declaredDead})
         returning *`,
        [streamID],
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
