// The holders of replicas, as tests see them in the database, and claims that tests make for other agents.
import { expect } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { all } from '../../lambda/data/shared/queryable.ts';
import type { ReplicaRole } from '../../lambda/data/fleet/replicas.ts';
import { streamBackends } from '../../lambda/domain/streams/stream-words.ts';
import { roomFor } from './capacities.ts';
import type { WithPool } from './database.ts';

/** The number of replicas that each agent holds. Agents without replicas are omitted. */
export async function replicasByAgent({ pool }: WithPool): Promise<Record<string, number>> {
  const rows = await all<{ agent_id: string; replicas: number }>(
    pool(),
    'select agent_id, count(*)::int as replicas from replicas where agent_id is not null group by agent_id',
  );
  return Object.fromEntries(rows.map(({ agent_id: agentID, replicas }) => [agentID, replicas]));
}

/** The holder of each replica, by its role, for tests with one stream. Roles without a holder are omitted. */
export async function holdersByRole({ pool }: WithPool): Promise<Partial<Record<ReplicaRole, string>>> {
  const rows = await all<{ role: ReplicaRole; agent_id: string }>(
    pool(),
    'select role, agent_id from replicas where agent_id is not null',
  );
  return Object.fromEntries(rows.map(({ role, agent_id: agentID }) => [role, agentID]));
}

/** The epochs of all held replicas. An epoch counts the claims of its replica. */
export async function heldEpochs({ pool }: WithPool): Promise<number[]> {
  const rows = await all<{ epoch: number }>(pool(), 'select epoch from replicas where agent_id is not null');
  return rows.map(({ epoch }) => epoch);
}

/** The ids of the streams that have a replica, held or not. */
export async function streamsWithReplica({ pool }: WithPool): Promise<string[]> {
  const rows = await all<{ stream_id: string }>(pool(), 'select stream_id from replicas');
  return rows.map(({ stream_id: streamID }) => streamID);
}

/** Gives a replica to another agent without a new claim: its epoch stays. */
export async function handTo({ pool }: WithPool, replicaID: string, agentID: string): Promise<void> {
  await pool().query('update replicas set agent_id = $2 where id = $1', [replicaID, agentID]);
}

/** Makes all replicas appear to have been in their states for this many more seconds. */
export async function letReplicasWait({ pool }: WithPool, seconds: number): Promise<void> {
  await pool().query('update replicas set since = since - make_interval(secs => $1)', [seconds]);
}

/** Start of each replica's failure, across all agents that held it; null for a replica that does not fail. */
export async function failingSince({ pool }: WithPool): Promise<(Date | null)[]> {
  const rows = await all<{ failing_since: Date | null }>(pool(), 'select failing_since from replicas');
  return rows.map(({ failing_since: since }) => since);
}

/** Makes the replicas of a stream appear to have been failing for this many seconds. */
export async function letFail({ pool }: WithPool, streamID: string, seconds: number): Promise<void> {
  await pool().query('update replicas set failing_since = now() - make_interval(secs => $2) where stream_id = $1', [
    streamID,
    seconds,
  ]);
}

/**
 * Claims the replicas of a stream for an agent that never gets the answer, as when its connection breaks at that
 * moment.
 * @param startAgent starts that agent; a lock keeps it from claiming the replicas by itself
 */
export async function claimUnanswered(
  { pool }: WithPool,
  { streamID, agentID, startAgent }: { streamID: string; agentID: string; startAgent: () => void },
): Promise<void> {
  const client = await pool().connect();
  await client.query('begin');
  await client.query('select from replicas where stream_id = $1 for update', [streamID]);
  startAgent();
  const registered = async () => all(client, 'select id from agents');
  await expect.poll(registered).toEqual([{ id: agentID }]);
  const claimed = await databaseOn(client).replicaClaims.claim(agentID, streamBackends, roomFor(1000));
  expect(claimed).toMatchObject([{ stream_id: streamID, agent_id: agentID }]);
  await client.query('commit');
  client.release();
}
