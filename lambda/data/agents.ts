// SQL of agents and their leases.
import { leaseMs } from '../domain/lease.ts';
import { all, one } from './queryable.ts';
import type { Queryable } from './queryable.ts';
import type { StreamBackend } from './streams.ts';

const leaseSeconds = leaseMs / 1000;
/** Of the peers of an agent it knows this many: enough to meet one on the other side of a broken network. */
const peersKnown = 8;
/** So long after the end of its lease, an agent is buried even when no other lives, and the database was not away meanwhile. */
const forgottenAfterSeconds = 600;

export interface NewAgent {
  readonly id: string;
  readonly supervisor: string;
  readonly release: string;
  readonly peerURL: string | null;
  readonly zone: string | null;
  /** The streams that it takes. */
  readonly backends: readonly StreamBackend[];
}

export interface Renewal {
  /** The database's time, the clock of all timelines. */
  readonly now: Date;
  /** What this agent holds, as ID/EPOCH. */
  readonly holding: readonly string[];
  /** Ids of those among them that should end. */
  readonly ending: readonly string[];
  /** False once the agent was buried, its lease being over: nothing that it held is its own any more. */
  readonly held: boolean;
  /** For how long it has renewed without losing its lease. */
  readonly renewingForMs: number;
  /** Replicas wait for somebody to take them, this agent or another. */
  readonly isAnyWaiting: boolean;
  /** The time of something has come. */
  readonly isAnyDue: boolean;
  /** The lease of another agent is over. */
  readonly isAnyDead: boolean;
  /** Commands are to be relayed. */
  readonly isAnyUnsent: boolean;
}

interface RenewalRow extends Pick<Renewal, 'now' | 'holding' | 'ending' | 'held'> {
  readonly renewing_for_ms: number;
  readonly is_any_waiting: boolean;
  readonly is_any_due: boolean;
  readonly is_any_dead: boolean;
  readonly is_any_unsent: boolean;
}

export function agents(db: Queryable) {
  return {
    register: (agent: NewAgent) =>
      db.query(
        `insert into agents (id, supervisor, release, peer_url, zone, backends, lease_expires_at)
         values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))`,
        [agent.id, agent.supervisor, agent.release, agent.peerURL, agent.zone, agent.backends, leaseSeconds],
      ),

    /** It takes no replicas from now on. @returns whether others take some of what it holds */
    drain: async (agentID: string) =>
      (await one<{ others: boolean }>(
        db,
        `with drained as (update agents set is_draining = true where id = $1)
         select exists (select from agents other join replicas r on r.agent_id = $1 and (other.backends is null or r.backend = any (other.backends))
           where other.id <> $1 and other.lease_expires_at > now() and not other.is_draining) as others`,
        [agentID],
      ))!.others,

    /** Where to ask some other agents that live. */
    peerURLs: async (agentID: string) =>
      (
        await all<{ peer_url: string }>(
          db,
          `select peer_url from agents where id <> $1 and peer_url is not null and lease_expires_at > now() order by random() limit $2`,
          [agentID, peersKnown],
        )
      ).map(({ peer_url: url }) => url),

    /** One statement whatever the number of streams: renews, and says what the agent has to know. */
    renew: async (agentID: string): Promise<Renewal> => {
      const row = await one<RenewalRow>(
        db,
        `with renewed as (
           update agents set lease_expires_at = now() + make_interval(secs => $2), renewed_at = now(),
             renewing_since = case when lease_expires_at > now() then renewing_since else now() end
           where id = $1 and lease_expires_at > '-infinity' returning renewing_since),
         mine as materialized (select id, epoch, wanted, state from replicas where agent_id = $1)
         select clock_timestamp() as now, exists (select from renewed) as held,
           coalesce(extract(epoch from now() - (select renewing_since from renewed))::float8 * 1000, 0) as renewing_for_ms,
           array(select id || '/' || epoch from mine
             union all select id || '/' || epoch + 1 from replicas where successor_id = $1 and wanted = 'live') as holding,
           array(select id from mine where wanted = 'ended' and state <> 'ended') as ending,
           exists (select from replicas where agent_id is null and wanted = 'live')
             or exists (select from replicas where is_offered and successor_id is null) as is_any_waiting,
           exists (select from due_times where due_at <= now()) or exists (select from billing_accounts where due_at <= now()) as is_any_due,
           exists (select from agents where id <> $1 and lease_expires_at < now()) as is_any_dead,
           exists (select from outbox where visible_at <= now() and dead_at is null) as is_any_unsent`,
        [agentID, leaseSeconds],
      );
      const { now, holding, ending, held, renewing_for_ms: renewingForMs } = row!;
      const {
        is_any_waiting: isAnyWaiting,
        is_any_due: isAnyDue,
        is_any_dead: isAnyDead,
        is_any_unsent: isAnyUnsent,
      } = row!;
      return { now, holding, ending, held, renewingForMs, isAnyWaiting, isAnyDue, isAnyDead, isAnyUnsent };
    },

    /**
     * Buries agents whose lease is over. From then on they cannot renew any more, and what they held can be freed in turn. Only while an
     * agent has renewed for a whole lease: until then nobody knows whether they are dead, or the database was away from all of them.
     */
    buryDead: () =>
      db.query(
        `update agents set lease_expires_at = '-infinity'
         where lease_expires_at < now() and lease_expires_at > '-infinity' and (
           exists (select from agents living where living.lease_expires_at > now() and living.renewing_since < now() - make_interval(secs => $1))
           or greatest(lease_expires_at, pg_postmaster_start_time()) < now() - make_interval(secs => $2))`,
        [leaseSeconds, forgottenAfterSeconds],
      ),

    /** Buries agents whose processes their supervisor (NAME, or for one of several NAME/NUMBER) has seen dead, so that nobody waits for them. */
    expireOfSupervisor: (supervisor: string) =>
      db.query(
        `update agents set lease_expires_at = '-infinity' where supervisor = $1 or starts_with(supervisor, $1 || '/')`,
        [supervisor],
      ),

    /** Forgets buried agents that hold nothing any more. */
    removeBuried: () =>
      db.query(
        `delete from agents where lease_expires_at = '-infinity' and not exists (select from replicas where agent_id = agents.id)`,
      ),

    /** Buries an agent that ends by itself: what it still holds is freed like that of any other, with its streams. */
    remove: (agentID: string) => db.query(`update agents set lease_expires_at = '-infinity' where id = $1`, [agentID]),
  };
}
