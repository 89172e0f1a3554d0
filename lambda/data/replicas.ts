// SQL of replicas: the rows that agents claim, and what they report of them.
import { all, one } from './queryable.ts';
import type { Queryable } from './queryable.ts';
import type { StateReason, StreamBackend } from './streams.ts';

export type ReplicaRole = 'primary' | 'backup';
export const replicaStates = ['waiting', 'connecting', 'live', 'failing', 'ended'] as const;
export type ReplicaState = (typeof replicaStates)[number];

export interface Replica {
  readonly id: string;
  readonly stream_id: string;
  readonly role: ReplicaRole;
  readonly backend: StreamBackend;
  readonly slots: number;
  readonly wanted: 'live' | 'ended';
  readonly state: ReplicaState;
  readonly reason: StateReason | null;
  readonly since: Date;
  readonly agent_id: string | null;
  /** Grows with every claim; what an agent that lost the replica still writes is fenced off by it. */
  readonly epoch: number;
  /** It publishes to the destination's backup URL, being the stream's only replica: it was handed over there. */
  readonly at_backup_url: boolean;
}

export interface NewReplica {
  readonly id: string;
  readonly streamID: string;
  readonly role: ReplicaRole;
  readonly backend: StreamBackend;
  readonly slots: number;
}

/** Which claim a report is about. */
export type Claim = Pick<Replica, 'id' | 'agent_id' | 'epoch'>;

/** A replica that nobody further away takes is taken after this long, as near as may be to the other one. */
const sameZoneAfterSeconds = 5;
const sameAgentAfterSeconds = 30;
/** An agent that died may be started again meanwhile. */
const onlyAgentAfterSeconds = 10;
/** Agents but this one ($1) that take replicas such as `r`. */
const othersLive = `select from agents where id <> $1 and lease_expires_at > now() and not is_draining and (backends is null or r.backend = any (backends))`;

/** Only an agent whose lease holds takes anything: what others are given could at once be freed again and go to somebody else as well. */
const holdsLease = `exists (select from agents where id = $1 and lease_expires_at > now())`;

/** A successor counts one epoch ahead: what is claimed next must not be taken for what it was offered. */
const freed = `agent_id = null, is_offered = false, epoch = case when successor_id is null then epoch else epoch + 1 end, successor_id = null, since = now(),
  state = case when wanted = 'ended' then 'ended' else 'waiting' end`;

export function replicas(db: Queryable) {
  return {
    /** A replica that nobody holds yet, in place of the one that an earlier run left. */
    insert: (replica: NewReplica) =>
      db.query(
        `insert into replicas (id, stream_id, role, backend, slots) values ($1, $2, $3, $4, $5)
         on conflict (stream_id, role) do update set id = excluded.id, backend = excluded.backend, slots = excluded.slots,
           wanted = 'live', state = 'waiting', reason = null, since = now(), agent_id = null, epoch = 0, requested_at = now(), is_offered = false,
           successor_id = null, at_backup_url = false`,
        [replica.id, replica.streamID, replica.role, replica.backend, replica.slots],
      ),

    deleteRole: (streamID: string, role: ReplicaRole) =>
      db.query('delete from replicas where stream_id = $1 and role = $2', [streamID, role]),

    find: (id: string) => one<Replica>(db, 'select * from replicas where id = $1', [id]),

    ofStream: (streamID: string) =>
      all<Replica>(db, 'select * from replicas where stream_id = $1 order by role desc', [streamID]),

    ofStreams: (streamIDs: readonly string[]) =>
      all<Replica>(db, 'select * from replicas where stream_id = any ($1) order by role desc', [streamIDs]),

    /**
     * Gives the agent what fits into its free slots, oldest request first. What is too large for it does not keep others waiting, and
     * no more is locked than could fit (a replica takes a slot at least), so that agents that claim meanwhile find the rest. The two
     * replicas of a stream go to different agents, in different zones where there are any: a backup waits until the primary is held, and
     * either waits a while for somebody further away.
     */
    claim: (agentID: string, backends: readonly StreamBackend[], freeSlots: number) =>
      all<Replica>(
        db,
        `with waiting as (
           select r.id, r.slots, r.requested_at from replicas r
           left join replicas other on other.stream_id = r.stream_id and other.role <> r.role and other.wanted = 'live'
           left join agents holder on holder.id = other.agent_id
           where r.agent_id is null and r.wanted = 'live' and r.backend = any ($2) and r.slots <= $3 and ${holdsLease} and case
             when other.id is null then true
             when holder.id is null then r.role = 'primary' or not exists (${othersLive})
             when holder.id = $1 then r.since < now() - make_interval(secs => case when exists (${othersLive}) then ${sameAgentAfterSeconds} else ${onlyAgentAfterSeconds} end)
             when holder.zone = (select zone from agents where id = $1)
               then r.since < now() - make_interval(secs => ${sameZoneAfterSeconds}) or not exists (${othersLive} and zone <> holder.zone)
             else true end
           order by r.requested_at limit $3 for update of r skip locked),
         fitting as (select id from (select id, sum(slots) over (order by requested_at, id) as total from waiting) s where total <= $3)
         update replicas set agent_id = $1, epoch = epoch + 1, state = 'connecting', since = now(), at_backup_url = false
         where id in (select id from fitting) returning *`,
        [agentID, backends, freeSlots],
      ),

    /**
     * Offers what an agent holds to successors, where one can connect before the holder lets go: to a destination with another URL, which
     * no other replica of the stream uses.
     */
    offer: (agentID: string) =>
      all<{ id: string; stream_id: string; backend: StreamBackend }>(
        db,
        `update replicas r set is_offered = true from streams s join destinations d on d.id = s.destination_id
         where r.agent_id = $1 and r.wanted = 'live' and r.state = 'live' and s.id = r.stream_id and d.backup_rtmp_url is not null
           and not exists (select from replicas other where other.stream_id = r.stream_id and other.id <> r.id)
           and exists (${othersLive})
         returning r.id, r.stream_id, r.backend`,
        [agentID],
      ),

    /** Takes what others offer, up to the free slots. The replica is answered as it will be once the successor has reported it live. */
    succeed: (agentID: string, backends: readonly StreamBackend[], freeSlots: number) =>
      all<Replica>(
        db,
        `with offered as (
           select id, slots, requested_at from replicas
           where is_offered and successor_id is null and agent_id <> $1 and wanted = 'live' and backend = any ($2) and slots <= $3 and ${holdsLease}
           order by requested_at limit $3 for update skip locked),
         fitting as (select id from (select id, sum(slots) over (order by requested_at, id) as total from offered) s where total <= $3)
         update replicas set successor_id = $1 where id in (select id from fitting)
         returning id, stream_id, role, backend, slots, wanted, state, reason, since, $1 as agent_id, epoch + 1 as epoch, not at_backup_url as at_backup_url`,
        [agentID, backends, freeSlots],
      ),

    /**
     * Writes what a successor observed: once it is live, it is the holder; before, nothing changes but that one that ended is none any more.
     * @returns false when it is not the successor
     */
    reportSuccessor: async (claim: Claim, state: ReplicaState) =>
      (await one<{ id: string }>(
        db,
        `with mine as (select id from replicas where id = $1 and successor_id = $2 and epoch + 1 = $3 and wanted = 'live' for update),
         promoted as (
           update replicas r set agent_id = $2, epoch = epoch + 1, at_backup_url = not at_backup_url, state = 'live', reason = null, is_offered = false,
             successor_id = null
           from mine where r.id = mine.id and $4 = 'live'),
         ended as (update replicas r set successor_id = null from mine where r.id = mine.id and $4 = 'ended')
         select id from mine`,
        [claim.id, claim.agent_id, claim.epoch, state],
      )) !== null,

    /** Lets go of a replica that is still wanted. @returns whether it was held */
    release: async (claim: Claim) =>
      (await one<{ id: string }>(
        db,
        `update replicas set ${freed} where id = $1 and agent_id = $2 and epoch = $3 returning id`,
        [claim.id, claim.agent_id, claim.epoch],
      )) !== null,

    /** Writes what the holder observed, unless it holds the replica no more; answers whether it did. Nobody holds what has ended. */
    report: async (claim: Claim, state: ReplicaState, reason: StateReason | null) =>
      (await one<{ stream_id: string }>(
        db,
        `update replicas set reason = $5, since = case when state = $4 then since else now() end, state = $4,
           agent_id = case when $4 = 'ended' then null else agent_id end
         where id = $1 and agent_id = $2 and epoch = $3 returning stream_id`,
        [claim.id, claim.agent_id, claim.epoch, state, reason],
      )) !== null,

    /** A stream of which a buried agent still holds a replica, locked. Others that ask meanwhile get other streams. */
    nextOfBuried: (except: readonly string[]) =>
      one<{ stream_id: string }>(
        db,
        `select r.stream_id from agents a join replicas r on r.agent_id = a.id join streams s on s.id = r.stream_id
         where a.lease_expires_at = '-infinity' and r.stream_id <> all ($1) limit 1 for update of s skip locked`,
        [except],
      ),

    /** Frees what buried agents held of a stream. */
    releaseOfBuried: (streamID: string) =>
      all<Replica>(
        db,
        `update replicas set ${freed}
         where stream_id = $1 and agent_id in (select id from agents where lease_expires_at = '-infinity') returning *`,
        [streamID],
      ),

    /** Asks for the end of all of a stream's replicas; those that nobody holds have ended at once. */
    endAll: (streamID: string) =>
      db.query(
        `update replicas set wanted = 'ended', since = case when agent_id is null then now() else since end,
           state = case when agent_id is null then 'ended' else state end
         where stream_id = $1 and state <> 'ended'`,
        [streamID],
      ),
  };
}
