// The hand-over of an agent that is asked to end: other agents continue its streams, if possible before they end here.
import { setTimeout } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Renewal } from '../../data/fleet/agent-renewals.ts';
import { databaseOn, inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import { releaseReplicas, wakeAgentsFor } from '../../orchestration/fleet/recover-replicas.ts';
import type { HeldReplica } from '../replica/held-replica.ts';
import type { AgentOptions } from './agent-options.ts';

export interface HandOverOptions extends Pick<AgentOptions, 'agentID' | 'pool' | 'queue' | 'steadyClock' | 'log'> {
  /** The replicas that the agent publishes, by id. A replica that ends leaves the map. */
  readonly replicas: ReadonlyMap<string, HeldReplica>;
  /** Renews the lease. @returns the epochs of the replicas still held, by id @throws when the lease is lost */
  readonly holding: () => Promise<Renewal['holding']>;
}

/** The time for a successor to go live. After it, the replica is released without one. */
const successorWithinMs = 20_000;
const lookEveryMs = 250;
/** The number of replicas released at once. A batch takes as long as its slowest connection takes to close. */
const releaseBatchSize = 8;

/**
 * Hands all replicas over. If the destination has an unused second URL, the replica is offered: a successor goes live
 * at that URL before the connection here ends. Otherwise the connection ends first, and another agent claims the
 * replica at once. A failure is logged and ends the attempt: the caller ends the remaining replicas.
 */
export async function handOver(options: HandOverOptions): Promise<void> {
  const { agentID, pool, replicas, steadyClock, log } = options;
  const beganMs = steadyClock();
  try {
    if (replicas.size === 0) return;
    const canOthersTakeThem = await databaseOn(pool).agents.drain(agentID);
    if (!canOthersTakeThem) return;
    // Successors connect to the other URL, so this agent must have left it.
    await Promise.all([...replicas.values()].map((replica) => replica.leaveOtherURL()));
    const offeredIDs = await offer(options);
    const notOffered = [...replicas].filter(([id]) => !offeredIDs.has(id)).map(([, replica]) => replica);
    await release(options, notOffered);
    await release(options, await withoutSuccessor(options, offeredIDs, beganMs + successorWithinMs));
    log('agent_handed_over', { agentID, replicas: replicas.size, tookMs: Math.round(steadyClock() - beganMs) });
  } catch (error) {
    log('agent_hindered', { agentID, work: 'handOver', error: String(error) });
  }
}

/**
 * Offers each replica whose destination has a free URL, and wakes up agents that may take it.
 * @returns the ids of the offered replicas
 */
async function offer({ agentID, pool, queue }: HandOverOptions): Promise<ReadonlySet<string>> {
  const offeredIDs = await inTransaction(pool, async (data) => {
    const offered = await data.replicaClaims.offer(agentID);
    await wakeAgentsFor(data, offered);
    return new Set(offered.map(({ id }) => id));
  });
  await queue.relay();
  return offeredIDs;
}

/** Releases replicas batch by batch, and renews the lease before each. */
async function release(options: HandOverOptions, given: readonly HeldReplica[]): Promise<void> {
  for (let first = 0; first < given.length; first += releaseBatchSize) {
    await options.holding();
    const batch = given.slice(first, first + releaseBatchSize);
    await releaseBatch(options.pool, batch);
    await options.queue.relay();
  }
}

/** Ends connections and releases their replicas, so that other agents can claim them. */
export async function releaseBatch(pool: Pool, batch: readonly HeldReplica[]): Promise<void> {
  await Promise.all(batch.map((replica) => replica.end()));
  const giveBack = async (data: Database) => {
    const now = await data.now();
    const released = batch.map((replica) => {
      const { streamID, claim } = replica;
      return { streamID, claim, figures: replica.sampleFigures(now) };
    });
    await releaseReplicas(data, released);
  };
  await inTransaction(pool, giveBack);
}

/**
 * Ends each offered replica once it has a live successor. Waits until `untilMs`, or until no agent is left that could
 * take them. @returns the replicas without a successor
 */
async function withoutSuccessor(
  { agentID, pool, replicas, steadyClock, holding }: HandOverOptions,
  offeredIDs: ReadonlySet<string>,
  untilMs: number,
): Promise<HeldReplica[]> {
  for (;;) {
    const held = await holding();
    const waiting: HeldReplica[] = [];
    for (const [id, replica] of replicas) {
      if (!offeredIDs.has(id)) continue;
      if (held.get(id) === replica.claim.epoch) waiting.push(replica);
      else void replica.end();
    }
    if (waiting.length === 0 || steadyClock() > untilMs) return waiting;
    const canOthersTakeThem = await databaseOn(pool).agents.drain(agentID);
    if (!canOthersTakeThem) return waiting;
    await setTimeout(lookEveryMs);
  }
}
