// SQL of claims: agents take waiting replicas, and take over replicas that other agents hand over.
import type { Room } from '../../domain/fleet/capacity.ts';
import { countedAtMost, unfundedPart } from '../../domain/fleet/claim-share.ts';
import { isFunded } from '../shared/funded.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { Claim, Replica } from './replicas.ts';
import { costColumnList, roomParameters, shareOf } from './replica-costs.ts';
import type { StreamBackend } from '../../domain/streams/stream-words.ts';
import type { ReplicaState } from '../../domain/fleet/replica-words.ts';

/** The columns of a `Replica` that a claim does not change. */
const claimedColumns = `id, stream_id, role, output_id, backend, ${costColumnList}, wanted, state, reason, since,
  failing_since, is_given_up, failures, next_attempt_at, last_failure, traceparent, is_unfunded`;
export const replicaColumns = `${claimedColumns}, agent_id, epoch, at_backup_url`;

/** How long a replica waits for an agent in another zone or region than that of the stream's other replica. */
const sameZoneAfterSeconds = 5;
/** How long a replica waits for another agent than the one that holds the stream's other replica. */
const sameAgentAfterSeconds = 30;
/** How long it waits for another agent if none is alive: a dead one may be restarted meanwhile. */
const onlyAgentAfterSeconds = 10;

/** SQL expression: the region of a zone such as `us-east-1a`. */
const regionOf = (zone: string) => `rtrim(${zone}, 'abcdefghijklmnopqrstuvwxyz')`;

/**
 * SQL of the agents that would take a replica, for `exists (…)`. Further conditions may follow: `and …`.
 * @param replica the alias of the replica in the outer statement
 * @param agentID the parameter with the id of an agent to leave out
 */
const otherTakers = (replica: string, agentID: string) =>
  `select from agents
   where id <> ${agentID} and lease_expires_at > now() and not is_draining
     and ${replica}.backend = any (backends)`;

/**
 * SQL condition: the lease of the agent holds. A replica that an agent takes without a lease could be freed at once and
 * sent by another agent as well.
 * @param agentID the parameter with the id of the agent
 */
const leaseHolds = (agentID: string) =>
  `exists (select from agents where id = ${agentID} and lease_expires_at > now())`;

/**
 * SQL condition: an agent encodes the stream of a replica `r`, or may begin to. It holds all held replicas of the
 * stream with this role. A replica of an output other than the first waits until another one is held.
 */
const isEncodedBy = (agentID: string) => `(
  select coalesce(bool_and(same.agent_id = ${agentID}), not exists (
    select from replicas before
    where before.stream_id = r.stream_id and before.role = r.role and before.wanted <> 'ended'
      and coalesce(before.output_id, '') < coalesce(r.output_id, '')))
  from replicas same
  where same.stream_id = r.stream_id and same.role = r.role and same.id <> r.id
    and same.wanted <> 'ended' and same.agent_id is not null)`;

/**
 * SQL expression: the part of the agents that is left for streams of users who are not funded, in shares of an agent.
 * A replica at rest holds none (`held-share.ts`).
 * @param backends the parameter with the backends of these agents and streams
 * @param except the parameter with the id of a replica that does not count
 */
const partLeft = (backends: string, except?: string) => `((
  select greatest(${unfundedPart.leastAgents}, ${unfundedPart.fraction} * count(*)) from agents
  where lease_expires_at > now() and not is_draining and backends && ${backends}) - (
  select coalesce(sum(share), 0) from replicas
  where is_unfunded and agent_id is not null and backend = any (${backends})${except ? ` and id <> ${except}` : ''}))`;

/** SQL of the lock of those who take shares for users who are not funded. */
const unfundedLock = `hashtext('unfunded_claim')`;

/**
 * SQL of one value: the part that a claim may begin to fill with replicas of users who are not funded; 0: it may take
 * none. One claim at a time may: of a hundred at once, each would find the same part left. The order of evaluation is
 * that of `case`.
 */
const partToTake = `select case
  when not exists (select from replicas where is_unfunded and agent_id is null and wanted <> 'ended') then 0
  when not pg_try_advisory_xact_lock(${unfundedLock}) then 0
  else ${partLeft('$2')} end as part`;

export function replicaClaims(db: Queryable) {
  return {
    /**
     * The number of waiting replicas that an agent may take, up to `countedAtMost`; whether other agents offer any; the
     * number of agents that may take them, including itself; and whether replicas of users who are not funded may be
     * among them: if such replicas wait while their part is used up, they do not count.
     */
    demand: async (agentID: string, backends: readonly StreamBackend[]) =>
      (await one<{ waiting: number; offered: boolean; takers: number; isPartLeft: boolean }>(
        db,
        {
          name: 'demand',
          text: `with unfunded as materialized (
             select not exists (select from replicas where is_unfunded and agent_id is null and wanted <> 'ended')
               or ${partLeft('$2')} > 0 as is_part_left)
           select is_part_left as "isPartLeft",
             (select count(*)::int from (
                select from replicas where agent_id is null and wanted <> 'ended' and backend = any ($2)
                  and is_unfunded <= is_part_left
                -- The old end of the index has entries that were just claimed.
                order by is_unfunded desc, requested_at desc limit ${countedAtMost}) counted) as waiting,
             exists (select from replicas where is_offered and successor_id is null) as offered,
             (select count(*)::int from agents
              where lease_expires_at > now() and not is_draining and id <> $1
                and backends && $2) + 1 as takers
           from unfunded`,
        },
        [agentID, backends],
      ))!,

    /**
     * The number of replicas of a backend that have waited for an agent for so many seconds, and for which a machine is
     * started: those of users who are not funded count only while no machine runs.
     */
    waitingFor: async (backend: StreamBackend, seconds: number) =>
      (await one<{ waiting: number }>(
        db,
        `select count(*)::int as waiting from replicas
         where agent_id is null and wanted <> 'ended' and backend = $1
           and since < now() - make_interval(secs => $2)
           and not (is_unfunded and exists (
             select from agents
             where lease_expires_at > now() and not is_draining and machine_seconds is null and $1 = any (backends)))`,
        [backend, seconds],
      ))!.waiting,

    /** Whether users who are not funded have a part left of the agents of a backend. */
    isPartOfUnfundedLeft: async (backend: StreamBackend) =>
      (await one<{ is_left: boolean }>(db, `select ${partLeft('$1::text[]')} > 0 as is_left`, [[backend]]))!.is_left,

    /**
     * Takes a share of its agent for a replica that is back from rest, or grows, in the row of a replica whose user is
     * not funded. It is within their part as for a claim. Call it in a transaction, at whose end the next one may take.
     * The lock has a statement of its own, as the other one has to see what earlier holders have taken.
     * @param backends those of the agent
     * @returns false if no part is left, or the agent no longer holds the replica
     */
    takePart: async (claim: Claim, share: number, backends: readonly StreamBackend[]) => {
      await db.query(`select pg_advisory_xact_lock(${unfundedLock})`);
      const { rowCount } = await db.query(
        `update replicas set share = $4
         where id = $1 and agent_id = $2 and epoch = $3
           and (not is_unfunded or $4 <= share or ${partLeft('$5::text[]', '$1')} > 0)`,
        [claim.id, claim.agent_id, claim.epoch, share, backends],
      );
      return rowCount === 1;
    },

    /** Counts the replicas of a user as those of a funded one, if the user is. It leaves out those that are locked. */
    markFunded: (userID: string) =>
      db.query(
        `update replicas set is_unfunded = false
         where ${isFunded('$1')} and id in (
           select r.id from replicas r join streams s on s.id = r.stream_id
           where s.user_id = $1 and r.is_unfunded
           for update of r skip locked)`,
        [userID],
      ),

    /**
     * Claims waiting replicas for an agent, as many as its room holds.
     *
     * Order: it takes in turn a replica that was never claimed in its run and one that lost its agent, the oldest
     * request first. So neither starts nor recoveries wait for each other. A replica that is too large does not delay
     * smaller ones. Replicas of users who are not funded come last, and only while a part of the agents is left for
     * them. Decision D273.
     *
     * Placement: the two replicas of an output go to different agents, if possible in different regions or zones. A
     * backup waits until the primary is held, and each waits a while for a more distant agent. With the encoded
     * backend, all outputs of a stream go to the agent that holds another replica of the stream with the same role.
     *
     * It is one statement, so that concurrent claims skip locked rows and never get the same replica. It locks no more
     * replicas of each kind than could fit, so that others find the rest. It reads replicas in the order of the index
     * and stops when it has enough. With a join, Postgres would read thousands of waiting replicas.
     */
    claim: (agentID: string, backends: readonly StreamBackend[], room: Room) => {
      const oldest = (isFirstClaim: boolean) => `
        select r.id, r.is_unfunded, r.requested_at, ${shareOf('r', '$4')} as share
        from replicas r
        where r.agent_id is null and r.wanted <> 'ended' and r.backend = any ($2)
          -- false is less than true, so the index begins or ends with the users who are not funded.
          and r.is_unfunded <= (select part > 0 from unfunded)
          and ${shareOf('r', '$4')} <= $3::float8 and r.epoch ${isFirstClaim ? '= 0' : '> 0'}
          and ${leaseHolds('$1')}
          and (r.backend <> 'ffmpeg' or ${isEncodedBy('$1')})
          and (select case
            -- The stream has no other replica.
            when other.id is null then true
            -- No agent holds the other replica: the primary goes first, or either if this agent is the only one.
            when holder.id is null then r.role = 'primary' or not exists (${otherTakers('r', '$1')})
            -- This agent holds the other replica: other agents have some time to claim it.
            when holder.id = $1 then r.since < now() - make_interval(secs => case
              when exists (${otherTakers('r', '$1')}) then ${sameAgentAfterSeconds}
              else ${onlyAgentAfterSeconds} end)
            -- An agent of this zone holds the other replica: agents of other zones have some time to claim it.
            when holder.zone = (select zone from agents where id = $1)
              then r.since < now() - make_interval(secs => ${sameZoneAfterSeconds})
                or not exists (${otherTakers('r', '$1')} and zone <> holder.zone)
            -- An agent of this region holds it, in another zone: agents of other regions have some time to claim it.
            when ${regionOf('holder.zone')} = (select ${regionOf('zone')} from agents where id = $1)
              then r.since < now() - make_interval(secs => ${sameZoneAfterSeconds})
                or not exists (${otherTakers('r', '$1')} and ${regionOf('zone')} <> ${regionOf('holder.zone')})
            else true end
            from (select) one
              left join replicas other
                on other.stream_id = r.stream_id and other.output_id is not distinct from r.output_id
                  and other.role <> r.role and other.wanted <> 'ended'
              left join agents holder on holder.id = other.agent_id)
        order by r.is_unfunded, r.requested_at limit $5
        for update of r skip locked`;
      const text = `with unfunded as materialized (${partToTake}),
         begun as (${oldest(true)}),
         lost as (${oldest(false)}),
         waiting as (
           select *, row_number() over (order by is_unfunded, requested_at, id) as turn from begun
           union all select *, row_number() over (order by is_unfunded, requested_at, id) as turn from lost),
         fitting as (
           select id as fitting_id, share as fitting_share from (
             select id, share, is_unfunded, sum(share) over taken as total, count(*) over taken as place,
               sum(share) filter (where is_unfunded) over taken - share as unfunded_before
             from waiting window taken as (order by is_unfunded, turn, requested_at, id)) s
           where total <= $3::float8 and place <= $5
             -- As if each were claimed by itself: only the last one may exceed the part.
             and (not is_unfunded or unfunded_before < (select part from unfunded)))
         update replicas
         set agent_id = $1, epoch = epoch + 1, state = 'connecting', since = now(), at_backup_url = false,
           share = fitting_share
         from fitting where id = fitting_id
         returning ${replicaColumns}`;
      return all<Replica>(db, { name: 'claim', text }, roomParameters(agentID, backends, room));
    },

    /**
     * Offers replicas that an agent holds to successors, if a successor can connect before the holder disconnects: the
     * destination has a second URL, and the output has no other replica that uses it. With the encoded backend, streams
     * with several outputs are not offered: their outputs stay together.
     * @returns the offered replicas
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
     * Makes an agent the successor of replicas that others offer, as many as its room holds. It is one statement for
     * the reasons that `claim` has.
     * @returns the replicas as they will be when the successor has reported them live: its own, with the next epoch,
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
     * Records the report of a successor. A successor that is live becomes the holder, and one that has ended stops
     * being the successor; other reports change nothing. It is one statement, which locks the replica while it checks
     * the claim.
     * @returns false if the agent is not the successor
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
             failing_since = null, is_offered = false, successor_id = null, takes_media = false
           from mine where r.id = mine.id and $4 = 'live'),
         ended as (
           update replicas r set successor_id = null
           from mine where r.id = mine.id and $4 = 'ended')
         select id from mine`,
        [claim.id, claim.agent_id, claim.epoch, state],
      )) !== null,
  };
}
