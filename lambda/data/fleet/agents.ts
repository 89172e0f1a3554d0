// SQL of agents and their leases.
import type { Capacity } from '../../domain/fleet/capacity.ts';
import { leaseMs } from '../../domain/fleet/lease.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { StreamBackend } from '../../domain/streams/stream-words.ts';

export const leaseSeconds = leaseMs / 1000;
/** The number of other agents that an agent asks: some of them are probably beyond a broken part of the network. */
const peersKnown = 8;
/** The time without a lease after which an agent is declared dead even if no other agent is alive to confirm it. */
const deadWithoutWitnessAfterSeconds = 600;

/**
 * SQL value of lease_expires_at of an agent that was declared dead. An agent whose lease is over may still renew it; a
 * dead agent never can, so that its replicas can be given to others.
 */
export const declaredDead = `'-infinity'`;

export interface NewAgent {
  readonly id: string;
  readonly supervisor: string;
  readonly release: string;
  readonly peerURL: string | null;
  readonly zone: string | null;
  /** The backends whose streams it takes. */
  readonly backends: readonly StreamBackend[];
  /** The capacity of its machine that streams may use. */
  readonly capacity: Capacity;
  /** The start time of a further machine for streams without room; null: none starts. */
  readonly machineSeconds: number | null;
}

/** The load that an agent reports with each renewal. */
export interface AgentLoad {
  /** The used share of its capacity, from 0 to 1. */
  readonly usedShare: number;
  /** Why it takes no more streams although it has room; null: it keeps up. */
  readonly behindReason: string | null;
  /** Whether it runs as many media commands as it can. */
  readonly isMediaFull?: boolean;
}

export interface PeerURLs {
  readonly live: readonly string[];
  readonly late: readonly string[];
}

/** An agent whose backends and lease let it take a stream. */
export interface Taker extends AgentLoad {
  readonly id: string;
  readonly capacity: Capacity;
  /** Whether it runs on a machine of its backend, instead of in place of one that is started for streams. */
  readonly isMachine: boolean;
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
     * Marks an agent as draining: it takes no more replicas.
     * @returns whether another agent can take one of its replicas
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

    /** The agents that take streams of a backend, with or without room. */
    takers: (backend: StreamBackend) =>
      all<Taker>(
        db,
        `select id, capacity, used_share as "usedShare", behind_reason as "behindReason",
           machine_seconds is null as "isMachine" from agents
         where lease_expires_at > now() and not is_draining and $1 = any (backends)`,
        [backend],
      ),

    /**
     * The URLs of a few agents other than this one: live ones at random, and late ones, whose lease is over and that
     * are not declared dead yet.
     */
    peerURLs: async (agentID: string) =>
      (await one<PeerURLs>(
        db,
        {
          name: 'peer_urls',
          text: `select
             array(
               select peer_url from agents
               where id <> $1 and peer_url is not null and lease_expires_at > now()
               order by random() limit $2) as live,
             array(
               select peer_url from agents
               where id <> $1 and peer_url is not null
                 and lease_expires_at < now() and lease_expires_at > ${declaredDead} limit $2) as late`,
        },
        [agentID, peersKnown],
      ))!,

    /**
     * Declares agents dead whose lease is over while another agent has renewed its own for a whole lease. Without such
     * a witness, the database may have been unreachable for all agents: then they are declared dead only long after the
     * lease, or after the start of Postgres if that was later.
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
           -- A transaction that is renewing one of them, or declaring it dead, comes first.
           for no key update skip locked)
         update agents a set lease_expires_at = ${declaredDead} from expired where a.id = expired.id`,
        },
        [leaseSeconds, deadWithoutWitnessAfterSeconds],
      ),

    /**
     * Declares all agents of a supervisor dead after it has seen their processes end, before their leases are over.
     * @param supervisor its name; agents have it as NAME or NAME/NUMBER
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
     * Declares an agent dead that ends by itself. Its replicas are recovered like those of any dead agent.
     */
    declareDead: (agentID: string) =>
      db.query(`update agents set lease_expires_at = ${declaredDead} where id = $1`, [agentID]),
  };
}
