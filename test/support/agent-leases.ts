// What tests do to the leases of agents: they end them, declare agents dead, and keep an agent from renewing.
import { databaseOn } from '../../lambda/data/database.ts';
import { all } from '../../lambda/data/shared/queryable.ts';
import type { WithPool } from './database.ts';

/** The agent that stands by while the leases of others end. It holds no replica. */
const witness = 'witness';

/** Lets the lease of an agent have ended some seconds ago. Until it is declared dead, the agent can renew it again. */
export async function endLease({ pool }: WithPool, agentID: string, secondsAgo = 1): Promise<void> {
  await pool().query('update agents set lease_expires_at = now() - make_interval(secs => $2) where id = $1', [
    agentID,
    secondsAgo,
  ]);
}

/** Lets the leases of all agents have ended some seconds ago, as when the database was away from all of them. */
export async function endAllLeases({ pool }: WithPool, secondsAgo: number): Promise<void> {
  await pool().query('update agents set lease_expires_at = now() - make_interval(secs => $1)', [secondsAgo]);
}

/** Declares an agent dead, although it may live: it can never renew again, and others may take its replicas. */
export async function declareDead({ pool }: WithPool, agentID: string): Promise<void> {
  await databaseOn(pool()).agents.declareDead(agentID);
}

/** Lets an agent have renewed its lease for so many seconds without a gap. */
export async function letRenewFor({ pool }: WithPool, agentID: string, seconds: number): Promise<void> {
  await pool().query('update agents set renewing_since = now() - make_interval(secs => $2) where id = $1', [
    agentID,
    seconds,
  ]);
}

/**
 * Registers an agent that has always renewed and never takes a replica. Expired agents are declared dead only while
 * such a witness proves that the database was there for those who asked.
 */
export async function addWitness({ pool }: WithPool): Promise<void> {
  await pool().query(
    `insert into agents (id, supervisor, release, backends, capacity, lease_expires_at, renewing_since, is_draining)
     values ($1, 'supervisor of witness', 'test', '{}', '{}', 'infinity', '-infinity', true)
     on conflict do nothing`,
    [witness],
  );
}

/** Locks the row of an agent, so that it cannot renew its lease until the lock is disposed of. */
export async function keepFromRenewing({ pool }: WithPool, agentID: string): Promise<AsyncDisposable> {
  const client = await pool().connect();
  await client.query('begin');
  await client.query('select from agents where id = $1 for no key update', [agentID]);
  return {
    async [Symbol.asyncDispose]() {
      await client.query('rollback');
      client.release();
    },
  };
}

/** The ids of all agents but the witness, in alphabetical order. */
export async function agentIDs({ pool }: WithPool): Promise<string[]> {
  const rows = await all<{ id: string }>(pool(), 'select id from agents where id <> $1 order by id', [witness]);
  return rows.map(({ id }) => id);
}

/** Each agent with the number of replicas that it holds, and whether its lease holds, in alphabetical order. */
export function leases({ pool }: WithPool): Promise<{ id: string; streams: number; renewed: boolean }[]> {
  return all(
    pool(),
    `select a.id, count(r.id)::int as streams, lease_expires_at > now() as renewed
     from agents a left join replicas r on r.agent_id = a.id
     group by a.id order by a.id`,
  );
}
