// Changes to agents' leases in tests: ends leases, declares agents dead, and keeps agents from renewing.
import { databaseOn } from '../../lambda/data/database.ts';
import { all } from '../../lambda/data/shared/queryable.ts';
import type { WithPool } from './database.ts';

/** Id of the agent that keeps renewing while the leases of others end. It holds no replica. */
const witness = 'witness';

/** Makes the lease of an agent end some seconds ago. Until the agent is declared dead, it can renew again. */
export async function endLease({ pool }: WithPool, agentID: string, secondsAgo = 1): Promise<void> {
  await pool().query('update agents set lease_expires_at = now() - make_interval(secs => $2) where id = $1', [
    agentID,
    secondsAgo,
  ]);
}

/** Makes the leases of all agents end some seconds ago, as after an outage of the database. */
export async function endAllLeases({ pool }: WithPool, secondsAgo: number): Promise<void> {
  await pool().query('update agents set lease_expires_at = now() - make_interval(secs => $1)', [secondsAgo]);
}

/** Declares an agent dead even if it lives: it can never renew again, and others may claim its replicas. */
export async function declareDead({ pool }: WithPool, agentID: string): Promise<void> {
  await databaseOn(pool()).agents.declareDead(agentID);
}

/** Makes an agent appear to have renewed its lease for this many seconds without a gap. */
export async function letRenewFor({ pool }: WithPool, agentID: string, seconds: number): Promise<void> {
  await pool().query('update agents set renewing_since = now() - make_interval(secs => $2) where id = $1', [
    agentID,
    seconds,
  ]);
}

/**
 * Registers an agent that renewed all the time and never claims a replica. Expired agents are declared dead only if
 * such a witness proves that agents could reach the database.
 */
export async function addWitness({ pool }: WithPool): Promise<void> {
  await pool().query(
    `insert into agents (id, supervisor, release, backends, capacity, lease_expires_at, renewing_since, is_draining)
     values ($1, 'supervisor of witness', 'test', '{}', '{}', 'infinity', '-infinity', true)
     on conflict do nothing`,
    [witness],
  );
}

/** Locks the row of an agent, so that it cannot renew its lease until the lock is disposed. */
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

/** The ids of all agents except the witness, in alphabetical order. */
export async function agentIDs({ pool }: WithPool): Promise<string[]> {
  const rows = await all<{ id: string }>(pool(), 'select id from agents where id <> $1 order by id', [witness]);
  return rows.map(({ id }) => id);
}

/** Each agent with its number of held replicas, and whether its lease is valid, in alphabetical order. */
export function leases({ pool }: WithPool): Promise<{ id: string; streams: number; renewed: boolean }[]> {
  return all(
    pool(),
    `select a.id, count(r.id)::int as streams, lease_expires_at > now() as renewed
     from agents a left join replicas r on r.agent_id = a.id
     group by a.id order by a.id`,
  );
}
