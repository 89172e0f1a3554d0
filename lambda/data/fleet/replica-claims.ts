// SQL of claims: how agents take replicas that wait, and take them over from agents that hand them over.
import type { Room } from '../../domain/fleet/capacity.ts';
import { countedAtMost } from '../../domain/fleet/claim-share.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { Claim, Replica, ReplicaState } from './replicas.ts';
import { costColumnList, roomParameters, shareOf } from './replica-costs.ts';
import type { StreamBackend } from '../../domain/streams/stream-words.ts';

/** The columns of a `Replica` that a claim leaves as they are, and all of them. */
const claimedColumns = `id, stream_id, role, output_id, backend, ${costColumnList}, wanted, state, reason, since,
  failing_since, is_given_up, failures, next_attempt_at, last_failure, traceparent`;
export const replicaColumns = `${claimedColumns}, agent_id, epoch, at_backup_url`;

/** How long a replica waits for an agent in another zone, or region, than that of the stream's other replica. */
const sameZoneAfterSeconds = 5;
/** How long a replica waits for another agent than the one that holds the stream's other replica. */
const sameAgentAfterSeconds = 30;
/** The same where no other agent lives. One that died may be started again meanwhile. */
const onlyAgentAfterSeconds = 10;

/** SQL: what of the name of a zone, such as `us-east-1a`, names its region. */
const regionOf = (zone: string) => `rtrim(${zone}, 'abcdefghijklmnopqrstuvwxyz')`;

/**
 * SQL of agents that would take a replica, to stand in `exists (…)`. Further conditions on them may follow: `and …`.
 * @param replica the alias of the replica in the statement around it
 * @param agentID the parameter with the id of the agent that does not count
 */
const otherTakers = (replica: string, agentID: string) =>
  `select from agents
   where id <> ${agentID} and lease_expires_at > now() and not is_draining
     and ${replica}.backend = any (backends)`;

/**
 * SQL of the condition for taking anything, that the agent's lease holds. What an agent without a lease took could be
 * freed again at once, and be sent by another agent as well.
 * @param agentID the parameter with the id of the agent
 */
const leaseHolds = (agentID: string) =>
  `exists (select from agents where id = ${agentID} and lease_expires_at > now())`;

/**
 * SQL of the condition that an agent encodes the stream of a replica `r`, or may begin to: all held replicas of the
 * stream with this role are its own, and one of an output beside the first waits until another one is held.
 */
const isEncodedBy = (agentID: string) => `(
  select coalesce(bool_and(same.agent_id = ${agentID}), not exists (
    select from replicas before
    where before.stream_id = r.stream_id and before.role = r.role and before.wanted <> 'ended'
      and coalesce(before.output_id, '') < coalesce(r.output_id, '')))
  from replicas same
  where same.stream_id = r.stream_id and same.role = r.role and same.id <> r.id
    and same.wanted <> 'ended' and same.agent_id is not null)`;

export function replicaClaims(db: Queryable) {
  return {
    /**
     * How many replicas wait that an agent may take, counted up to `countedAtMost`; whether others offer any; and how
     * many agents there are to take them, with itself.
     */
    demand: async (agentID: string, backends: readonly StreamBackend[]) =>
      (await one<{ waiting: number; offered: boolean; takers: number }>(
        db,
        {
          name: 'demand',
          text: `select
             (select count(*)::int from (
                select from replicas where agent_id is null and wanted <> 'ended' and backend = any ($2)
                -- Those that were taken a moment ago were the oldest.
                order by requested_at desc limit ${countedAtMost}) counted) as waiting,
             exists (select from replicas where is_offered and successor_id is null) as offered,
             (select count(*)::int from agents
              where lease_expires_at > now() and not is_draining and id <> $1
                and backends && $2) + 1 as takers`,
        },
        [agentID, backends],
      ))!,

    /** How many replicas of a backend have waited for an agent for so long, in vain. */
    waitingFor: async (backend: StreamBackend, seconds: number) =>
      (await one<{ waiting: number }>(
        db,
        `select count(*)::int as waiting from replicas
         where agent_id is null and wanted <> 'ended' and backend = $1
           and since < now() - make_interval(secs => $2)`,
        [backend, seconds],
      ))!.waiting,

    /**
     * Gives an agent waiting replicas that fit into its room, in turn one of those that were never claimed in
     * their run and one of the others, of each kind the oldest request first: a start does not wait until all is taken
     * over that lost its agent, nor the other way round. A replica that is too large for the agent does not keep others
     * waiting. The two replicas of a stream go to different agents, in different regions or zones where there are any:
     * a backup waits until the primary is held, and either waits a while for an agent that is further away from the
     * other.
     * So it is with the two of each output. Where pictures are encoded while they are sent, the outputs of a stream go
     * to the agent that encodes them: to the one that holds another replica of the stream with the same role.
     * It is one statement, so that agents which claim in the same moment pass over what this one has locked, and never
     * get the same replica. So that they find the rest, it locks no more replicas of each kind than could fit. It looks
     * at one after the other in the order of the index, and stops when it has enough, however many wait: a join would
     * have Postgres, which cannot know that thousands do, look at all of them.
     */
    claim: (agentID: string, backends: readonly StreamBackend[], room: Room) => {
      const oldest = (isFirstClaim: boolean) => `
        select r.id, r.requested_at, ${shareOf('r', '$4')} as share
        from replicas r
        where r.agent_id is null and r.wanted <> 'ended' and r.backend = any ($2)
          and ${shareOf('r', '$4')} <= $3::float8 and r.epoch ${isFirstClaim ? '= 0' : '> 0'}
          and ${leaseHolds('$1')}
          and (r.backend <> 'ffmpeg' or ${isEncodedBy('$1')})
          and (select case
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
            -- An agent of this agent's region holds it, in another zone: so has one of another region.
            when ${regionOf('holder.zone')} = (select ${regionOf('zone')} from agents where id = $1)
              then r.since < now() - make_interval(secs => ${sameZoneAfterSeconds})
                or not exists (${otherTakers('r', '$1')} and ${regionOf('zone')} <> ${regionOf('holder.zone')})
            else true end
            from (select) one
              left join replicas other
                on other.stream_id = r.stream_id and other.output_id is not distinct from r.output_id
                  and other.role <> r.role and other.wanted <> 'ended'
              left join agents holder on holder.id = other.agent_id)
        order by r.requested_at limit $5
        for update of r skip locked`;
      const text = `with begun as (${oldest(true)}),
         lost as (${oldest(false)}),
         waiting as (
           select *, row_number() over (order by requested_at, id) as turn from begun
           union all select *, row_number() over (order by requested_at, id) as turn from lost),
         fitting as (
           select id from (
             select id, sum(share) over taken as total, count(*) over taken as place
             from waiting window taken as (order by turn, requested_at, id)) s
           where total <= $3::float8 and place <= $5)
         update replicas
         set agent_id = $1, epoch = epoch + 1, state = 'connecting', since = now(), at_backup_url = false
         where id in (select id from fitting)
         returning ${replicaColumns}`;
      return all<Replica>(db, { name: 'claim', text }, roomParameters(agentID, backends, room));
    },

    /**
     * Offers replicas that an agent holds to successors, where a successor can connect before the holder lets go: the
     * destination has a second URL, and the output has no other replica, which would use it. The outputs of a stream
     * that is encoded go to a successor together, so they are not offered. @returns what was offered
     */
    offer: (agentID: string) =>
      all<{ id: string; stream_id: string; backend: StreamBackend }>(
        db,
        `update replicas r set is_offered = true
         from streams s
           left join platform_ingests i on i.stream_id = s.id
         where r.agent_id = $1 and r.wanted <> 'ended' and r.state = 'live'
           and s.id = r.stream_id
           and case when s.stream_destination = 'managed' and r.output_id is null then i.backup_url else (
             select backup_url from destinations
             where id = coalesce((select destination_id from outputs where id = r.output_id), s.destination_id)) end
             is not null
           and not exists (
             select from replicas other
             where other.stream_id = r.stream_id and other.id <> r.id
               and (r.backend = 'ffmpeg' or other.output_id is not distinct from r.output_id))
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
           select r.id, r.requested_at, ${shareOf('r', '$4')} as share from replicas r
           where is_offered and successor_id is null and agent_id <> $1 and wanted <> 'ended'
             and backend = any ($2) and ${shareOf('r', '$4')} <= $3::float8 and ${leaseHolds('$1')}
           order by requested_at limit $5
           for update skip locked),
         fitting as (
           select id from (select id, sum(share) over (order by requested_at, id) as total from offered) s
           where total <= $3::float8)
         update replicas set successor_id = $1
         where id in (select id from fitting)
         returning ${claimedColumns}, $1 as agent_id, epoch + 1 as epoch, not at_backup_url as at_backup_url`,
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
           where id = $1 and successor_id = $2 and epoch + 1 = $3 and wanted <> 'ended'
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
  };
}
