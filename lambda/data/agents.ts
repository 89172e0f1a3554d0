// SQL of agents and their leases.
import { one } from './queryable.ts';
import type { Queryable } from './queryable.ts';

/** An agent that has not renewed for this long is dead, and what it held is free (design: renewals each second). */
export const leaseSeconds = 5;

export interface Renewal {
  /** The database's time, the clock of all timelines. */
  readonly now: Date;
  /** What this agent holds, as ID/EPOCH. */
  readonly holding: readonly string[];
  /** Ids of those among them that should end. */
  readonly ending: readonly string[];
  /** False once the agent was buried, its lease being over: nothing that it held is its own any more. */
  readonly held: boolean;
  readonly dueCount: number;
  /** Other agents whose lease is over. */
  readonly deadCount: number;
}

export function agents(db: Queryable) {
  return {
    register: (agent: { id: string; supervisor: string; release: string }) =>
      db.query(
        `insert into agents (id, supervisor, release, lease_expires_at) values ($1, $2, $3, now() + make_interval(secs => $4))`,
        [agent.id, agent.supervisor, agent.release, leaseSeconds],
      ),

    /** One statement whatever the number of streams: renews, and says what the agent has to know. */
    renew: async (agentID: string): Promise<Renewal> => {
      const row = await one<{ now: Date; holding: string[]; ending: string[]; held: boolean; due_count: number; dead_count: number }>(
        db,
        `with renewed as (
           update agents set lease_expires_at = now() + make_interval(secs => $2), renewed_at = now()
           where id = $1 and lease_expires_at > '-infinity' returning id)
         select clock_timestamp() as now, exists (select from renewed) as held,
           array(select id || '/' || epoch from replicas where agent_id = $1) as holding,
           array(select id from replicas where agent_id = $1 and wanted = 'ended' and state <> 'ended') as ending,
           (select count(*) from due_times where due_at <= now()) + (select count(*) from billing_accounts where due_at <= now()) as due_count,
           (select count(*) from agents where id <> $1 and lease_expires_at < now()) as dead_count`,
        [agentID, leaseSeconds],
      );
      const { due_count: dueCount, dead_count: deadCount, ...renewal } = row!;
      return { ...renewal, dueCount, deadCount };
    },

    /** Buries agents whose lease is over. From then on they cannot renew any more, and what they held can be freed in turn. */
    buryDead: () =>
      db.query(`update agents set lease_expires_at = '-infinity' where lease_expires_at < now() and lease_expires_at > '-infinity'`),

    /** Buries agents whose processes their supervisor has seen dead, so that nobody waits for them. */
    expireOfSupervisor: (supervisor: string) => db.query(`update agents set lease_expires_at = '-infinity' where supervisor = $1`, [supervisor]),

    /** Forgets buried agents that hold nothing any more. */
    removeBuried: () =>
      db.query(
        `delete from agents where lease_expires_at = '-infinity' and not exists (select from replicas where agent_id = agents.id)`,
      ),

    /** Buries an agent that ends by itself: what it still holds is freed like that of any other, with its streams. */
    remove: (agentID: string) => db.query(`update agents set lease_expires_at = '-infinity' where id = $1`, [agentID]),
  };
}
