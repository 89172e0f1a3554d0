// SQL of agents and their leases.
import type { Capacity } from '../../domain/fleet/capacity.ts';
import { leaseMs } from '../../domain/fleet/lease.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { StreamBackend } from '../../domain/streams/stream-words.ts';

export const leaseSeconds = leaseMs / 1000;
/** How many other agents an agent can ask: enough that some are probably on the other side of a broken network. */
const peersKnown = 8;
/** After so long without a lease an agent is declared dead, even if no other agent lives that could tell. */
const deadWithoutWitnessAfterSeconds = 600;

/**
 * SQL: the lease_expires_at of an agent that was declared dead. An agent whose lease is over may still renew it; one
 * that was declared dead never can, so that its replicas can be given to others.
 */
export const declaredDead = `'-infinity'`;

export interface NewAgent {
  readonly id: string;
  readonly supervisor: string;
  readonly release: string;
  readonly peerURL: string | null;
  readonly zone: string | null;
  /** It takes streams of these backends. */
  readonly backends: readonly StreamBackend[];
  /** What its streams may use of its machine. */
  readonly capacity: Capacity;
  /** How long a machine takes to come for a stream that the agent has no room for; null where none comes. */
  readonly machineSeconds: number | null;
}

/** What an agent says of itself with each renewal. */
export interface AgentLoad {
  /** The part of its capacity that its streams take. */
  readonly usedShare: number;
  /** Why it takes nothing more although it may have room; null while it keeps up. */
  readonly behindReason: string | null;
  /** Whether it has as many media commands under way as it carries out at a time. */
  readonly isMediaFull?: boolean;
}

/** An agent that could take a stream, as far as its backends and its lease say. */
export interface Taker extends AgentLoad {
  readonly id: string;
  readonly capacity: Capacity;
}

export function agents(db: Queryable) {
  return {
    register: (agent: NewAgent) =>
      db.query(
        `insert into agents (id, supervisor, release, peer_url, zone, backends, capacity, machine_seconds,
           lease_expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(secs => $9))`,
        [
          agent.id,
          agent.supervisor,
          agent.release,
          agent.peerURL,
          agent.zone,
          agent.backends,
          agent.capacity,
          agent.machineSeconds,
          leaseSeconds,
        ],
      ),

    /**
     * Marks an agent as draining: it takes no replica from now on.
     * @returns whether another agent takes any that it holds
     */
    drain: async (agentID: string) =>
      (await one<{ others: boolean }>(
        db,
        `with drained as (update agents set is_draining = true where id = $1)
         select exists (
           select from agents other
             join replicas r on r.agent_id = $1 and r.backend = any (other.backends)
           where other.id <> $1 and other.lease_expires_at > now() and not other.is_draining) as others`,
        [agentID],
      ))!.others,

    /** How long a machine takes that comes for a stream which waits; null where none comes. */
    machineSeconds: async () =>
      (await one<{ seconds: number | null }>(
        db,
        'select max(machine_seconds) as seconds from agents where lease_expires_at > now() and not is_draining',
        [],
      ))!.seconds,

    /** The agents that could take a stream of a backend if they had room. */
    takers: (backend: StreamBackend) =>
      all<Taker>(
        db,
        `select id, capacity, used_share as "usedShare", behind_reason as "behindReason" from agents
         where lease_expires_at > now() and not is_draining and $1 = any (backends)`,
        [backend],
      ),

    /**
     * Whether another agent that keeps up has room for a media command (`takesMedia`), and streams for no more than a
     * part of it.
     */
    hasOtherMediaPlace: async (agentID: string, mostUsedShare: number) =>
      (await one<{ is_there: boolean }>(
        db,
        `select exists (
           select from agents
           where id <> $1 and lease_expires_at > now() and not is_draining and behind_reason is null
             and not is_media_full and used_share <= $2
             and (backends = '{}' or 'ffmpeg' = any (backends))) as is_there`,
        [agentID, mostUsedShare],
      ))!.is_there,

    /** The URLs at which a few other agents that live can be asked, picked by chance. */
    peerURLs: async (agentID: string) => {
      const rows = await all<{ peer_url: string }>(
        db,
        `select peer_url from agents
         where id <> $1 and peer_url is not null and lease_expires_at > now()
         order by random() limit $2`,
        [agentID, peersKnown],
      );
      return rows.map(({ peer_url: url }) => url);
    },

    /** The URLs of a few other agents whose lease is over, and which nobody has declared dead yet. */
    lateURLs: async (agentID: string) => {
      const rows = await all<{ peer_url: string }>(
        db,
        `select peer_url from agents
         where id <> $1 and peer_url is not null and lease_expires_at < now() and lease_expires_at > ${declaredDead}
         limit $2`,
        [agentID, peersKnown],
      );
      return rows.map(({ peer_url: url }) => url);
    },

    /**
     * Declares agents dead whose lease is over, while another agent lives that has renewed for a whole lease. Without
     * such a witness the database may have been away from all of them: then it is done only long after the lease,
     * counted from the start of Postgres if that was later.
     */
    declareExpiredDead: () =>
      db.query(
        {
          name: 'declare_expired_dead',
          text: `with expired as (
           select id from agents
           where lease_expires_at < now() and lease_expires_at > ${declaredDead} and (
             exists (
               select from agents living
               where living.lease_expires_at > now() and living.renewing_since < now() - make_interval(secs => $1))
             or greatest(lease_expires_at, pg_postmaster_start_time()) < now() - make_interval(secs => $2))
           -- Whoever is renewing one of them, or declaring it dead, at this moment comes first.
           for no key update skip locked)
         update agents a set lease_expires_at = ${declaredDead} from expired where a.id = expired.id`,
        },
        [leaseSeconds, deadWithoutWitnessAfterSeconds],
      ),

    /**
     * Declares all agents of a supervisor dead, which has seen their processes end: nobody has to wait for the end of
     * their leases.
     * @param supervisor its name; the agents may also have it as NAME/NUMBER, where one supervisor has several
     */
    declareDeadOfSupervisor: (supervisor: string) =>
      db.query(
        `update agents set lease_expires_at = ${declaredDead}
         where supervisor = $1 or starts_with(supervisor, $1 || '/')`,
        [supervisor],
      ),

    /** Deletes agents that were declared dead and hold no replica any more. */
    deleteDead: () =>
      db.query(
        `delete from agents
         where lease_expires_at = ${declaredDead} and not exists (select from replicas where agent_id = agents.id)`,
      ),

    /**
     * Declares an agent dead that ends by itself. The replicas that it still holds are freed like those of any dead
     * agent.
     */
    declareDead: (agentID: string) =>
      db.query(`update agents set lease_expires_at = ${declaredDead} where id = $1`, [agentID]),
  };
}
