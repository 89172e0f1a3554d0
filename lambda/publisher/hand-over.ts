// The end of an agent that is asked to end: its streams go on elsewhere, where possible before they end here.
import { setTimeout } from 'node:timers/promises';
import type { Pool } from 'pg';
import { databaseOn, inTransaction } from '../data/database.ts';
import { releaseReplica } from '../orchestration/recover-replicas.ts';
import type { CommandQueue } from '../ports/command-queue/command-queue.ts';
import type { ReplicaRun } from './replica-run.ts';

export interface HandingOver {
  readonly agentID: string;
  readonly pool: Pool;
  /** By replica. Those that end leave it. */
  readonly runs: ReadonlyMap<string, ReplicaRun>;
  readonly queue: CommandQueue;
  readonly steadyClock: () => number;
  readonly log: (event: string, fields: Record<string, unknown>) => void;
  /** Renews the lease; answers what is still held, as ID/EPOCH. @throws when the lease is lost */
  readonly holding: () => Promise<readonly string[]>;
}

/** A successor that is not live by then has something in its way. */
const successorWithinMs = 20_000;
const lookEveryMs = 250;
/** At the same time, each for as long as closing a connection takes. */
const released = 8;

/**
 * Where the destination has another URL that nobody uses, the successor is live there before the connection here ends. Elsewhere the
 * connection ends first and another agent takes the replica at once. What is left when it fails is for the caller.
 */
export async function handOver({ agentID, pool, runs, queue, steadyClock, log, holding }: HandingOver): Promise<void> {
  const beganMs = steadyClock();
  try {
    if (runs.size === 0 || !(await databaseOn(pool).agents.drain(agentID))) return;
    // That is where successors go.
    await Promise.all([...runs.values()].map((run) => run.leaveOtherURL()));
    const offered = await inTransaction(pool, async (data) => {
      const replicas = await data.replicas.offer(agentID);
      for (const { stream_id: streamID, backend } of replicas)
        await data.outbox.send({ queue: `publish-${backend}`, body: { streamID } });
      return new Set(replicas.map(({ id }) => id));
    });
    await queue.relay();
    const others = [...runs].filter(([id]) => !offered.has(id)).map(([, run]) => run);
    await release(others);
    await release(await untilSucceeded(offered));
    log('agent_handed_over', { agentID, replicas: runs.size, tookMs: Math.round(steadyClock() - beganMs) });
  } catch (error) {
    log('agent_hindered', { agentID, work: 'handOver', error: String(error) });
  }

  async function release(given: readonly ReplicaRun[]): Promise<void> {
    for (let first = 0; first < given.length; first += released) {
      await holding();
      const batch = given.slice(first, first + released);
      await Promise.all(
        batch.map(async (run) => {
          await run.end();
          await inTransaction(pool, async (data) =>
            releaseReplica(data, run.streamID, run.claim, run.backend, run.sampleFigures(await data.now())),
          );
        }),
      );
      await queue.relay();
    }
  }

  async function untilSucceeded(offered: ReadonlySet<string>): Promise<ReplicaRun[]> {
    for (;;) {
      const held = new Set(await holding());
      const waiting: ReplicaRun[] = [];
      for (const [id, run] of runs) {
        if (!offered.has(id)) continue;
        if (held.has(`${id}/${run.claim.epoch}`)) waiting.push(run);
        else void run.end();
      }
      const isHopeless = steadyClock() - beganMs > successorWithinMs || !(await databaseOn(pool).agents.drain(agentID));
      if (waiting.length === 0 || isHopeless) return waiting;
      await setTimeout(lookEveryMs);
    }
  }
}
