// An agent: a process that claims replicas, publishes them, and holds them by a lease that it renews every second.
import { setTimeout } from 'node:timers/promises';
import type { Renewal } from '../data/agents.ts';
import { databaseOn, inTransaction } from '../data/database.ts';
import type { Replica } from '../data/replicas.ts';
import { createPoolLike } from '../data/queryable.ts';
import { fireDue } from '../orchestration/fire-due.ts';
import { recoverReplicas } from '../orchestration/recover-replicas.ts';
import { reportReplica } from '../orchestration/replica-reports.ts';
import type { QueueHandler } from '../ports/command-queue/command-queue.ts';
import type { AgentOptions } from './agent-options.ts';
import { handOver } from './hand-over.ts';
import { LeaseGuard } from './lease-guard.ts';
import { answerPeers } from './peers.ts';
import { DeliveryMeter } from './rtmp/delivery-meter.ts';
import { SegmentStore } from './prepared/segment-store.ts';
import { SendSchedule } from './prepared/send-schedule.ts';
import { loadPublishPlan } from './publish-plan.ts';
import { ReplicaRun } from './replica-run.ts';

const renewEveryMs = 1000;
const renewalTimeoutMs = 1500;
/** An agent that is new has to be known before anything can happen to the network between them. */
const learnPeersEveryMs = 3000;
const connectTimeoutMs = 10_000;
/** Of prepared media, shared by all streams: at 6 Mbit/s the next seconds of some 250 different ones. */
const maxCachedBytes = 512 * 1024 * 1024;

/** The agent was buried while it still lived: its replicas may have other holders by now. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

/**
 * Runs until the signal aborts; then ends its replicas and gives them back. While the database does not answer it goes on sending.
 * @throws {LeaseLost} after ending everything: start a new agent in its place
 */
export async function runAgent(options: AgentOptions, signal: AbortSignal): Promise<void> {
  const { agentID, pool, queue, log, steadyClock } = options;
  const data = databaseOn(pool);
  // Of its own, and impatient: renewals never wait behind anything else, nor long for an answer.
  const leasePool = createPoolLike(pool, { max: 2, connectionTimeoutMillis: renewalTimeoutMs, query_timeout: renewalTimeoutMs });
  const lease = databaseOn(leasePool).agents;
  const prepared = { store: new SegmentStore({ objects: options.objects, maxCachedBytes }), schedule: new SendSchedule(steadyClock) };
  const meter = new DeliveryMeter();
  const runs = new Map<string, ReplicaRun>();
  let holding: readonly string[] = [];
  let isLost = false;
  let chores = null as Promise<void> | null;
  let claiming: Promise<void> = Promise.resolve();
  const stopping = new AbortController();
  const until = AbortSignal.any([signal, stopping.signal]);
  /** Until the last connection is closed. */
  const sending = new AbortController();
  let peerURLs: readonly string[] = [];
  let peersLearntAtMs = -Infinity;
  const guard = new LeaseGuard({
    steadyClock,
    peerURLs: () => peerURLs,
    onCutOff: (how) => {
      log('agent_cut_off', { agentID, how, replicas: runs.size });
      void endRuns();
    },
  });
  const peerServer = await answerPeers(options.peering, () => guard.renewingForMs());
  await data.agents.register({ id: agentID, supervisor: options.supervisor, release: options.release, zone: options.zone, peerURL: peerServer.url });
  log('agent_started', { agentID, slots: options.slots });

  const wake: QueueHandler = async () => {
    await claim();
    return { batchItemFailures: [] };
  };
  const consuming = [
    guard.watch(sending.signal),
    ...options.backends.map((backend) => queue.consume(`publish-${backend}`, wake, { signal: until })),
    queue.consume('media', options.handleMedia, { signal: until, batchSize: 1 }),
  ];
  try {
    while (!until.aborted) {
      const beganMs = steadyClock();
      await attempt(renew);
      await setTimeout(Math.max(0, renewEveryMs - (steadyClock() - beganMs)), undefined, { signal: until }).catch(() => {});
    }
  } finally {
    stopping.abort();
    if (isLost) await endRuns();
    await renewWhile(Promise.all([chores, claiming.catch(() => {})]));
    if (!isLost) await handOver({ agentID, pool, runs, queue, steadyClock, log, holding: async () => (await renewLease()).holding });
    await endRuns();
    sending.abort();
    peerServer.close();
    await leasePool.end();
    await data.agents.remove(agentID);
    await recoverReplicas(pool);
    // What is being prepared takes as long as it takes, and needs no lease.
    await Promise.all(consuming);
    log('agent_ended', { agentID });
  }

  /** What fails now, as when the database does not answer, is done again in a second. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      log('agent_hindered', { agentID, work: work.name, error: String(error) });
    }
  }

  async function renewLease(): Promise<Renewal> {
    const askedAtMs = steadyClock();
    const renewal = await lease.renew(agentID);
    if (!renewal.held) {
      isLost = true;
      throw new LeaseLost();
    }
    guard.renewed(askedAtMs, renewal.renewingForMs);
    return renewal;
  }

  /** For what has to be waited for while streams are still sent. */
  async function renewWhile(work: Promise<unknown>): Promise<void> {
    let isOver = false;
    const over = work.finally(() => (isOver = true));
    while (!isOver && !isLost) {
      await Promise.race([over, setTimeout(renewEveryMs)]);
      if (!isOver) await renewLease().catch(() => {});
    }
    await over;
  }

  function endRuns(): Promise<unknown> {
    return Promise.all([...runs.values()].map((run) => run.end()));
  }

  async function renew(): Promise<void> {
    const known = new Map(runs);
    const renewal = await renewLease();
    holding = renewal.holding;
    options.onLoad?.({ replicas: runs.size, slotsUsed: slotsUsed() });
    for (const id of renewal.ending) runs.get(id)?.endForGood();
    // Begun before the question, and not in the answer: their rows are others' by now, or gone.
    for (const [id, run] of known) if (!holding.includes(`${id}/${run.claim.epoch}`)) void run.end();
    // Not waited for: nothing that takes long may cost the lease.
    chores ??= attempt(() => doChores(renewal)).finally(() => (chores = null));
  }

  async function doChores({ ending, now, dueCount, deadCount }: Renewal): Promise<void> {
    const toldAtMs = steadyClock();
    // Their runs are over, but nobody could be told so then.
    for (const id of ending) if (!runs.has(id)) await reportEnded(id);
    if (runs.size > 0) {
      const figures = [...runs.values()].map((run) => ({
        replicaID: run.claim.id,
        epoch: run.claim.epoch,
        stats: run.figures.sample(steadyClock(), now, run.framesPerSecond),
      }));
      await data.replicas.saveFigures(agentID, figures);
    }
    // The database's time, whatever happens to this machine's clock.
    const databaseClock = () => new Date(now.getTime() + steadyClock() - toldAtMs);
    if (dueCount > 0) await fireDue(pool, { ...options.starting, settings: options.settings }, databaseClock);
    await claim();
    if (deadCount > 0) await recoverReplicas(pool);
    await queue.relay();
    if (steadyClock() - peersLearntAtMs > learnPeersEveryMs) {
      peerURLs = await data.agents.peerURLs(agentID);
      peersLearntAtMs = steadyClock();
    }
  }

  async function reportEnded(replicaID: string): Promise<void> {
    await inTransaction(pool, async (tx) => {
      const replica = await tx.replicas.find(replicaID);
      if (!replica || replica.agent_id !== agentID) return;
      await reportReplica(tx, { streamID: replica.stream_id, claim: replica, state: 'ended', reason: null, now: await tx.now() });
    });
  }

  function slotsUsed(): number {
    return [...runs.values()].reduce((sum, run) => sum + run.slots, 0);
  }

  /** One at a time: two that count the same free slots would claim too much. */
  function claim(): Promise<void> {
    const claimed = claiming.then(claimWhatFits);
    claiming = claimed.catch(() => {});
    return claimed;
  }

  async function claimWhatFits(): Promise<void> {
    if (until.aborted) return;
    for (const replica of await claimedUnawares()) begin(replica);
    for (const take of [data.replicas.claim, data.replicas.succeed]) {
      const free = options.slots - slotsUsed();
      if (until.aborted || free <= 0) return;
      for (const replica of await take(agentID, options.backends, free)) begin(replica);
    }
  }

  /** Replicas that the database gave this agent with an answer that was lost, together with its connection: nobody else ever gets them. */
  async function claimedUnawares(): Promise<Replica[]> {
    const ids = holding.map((held) => held.split('/')[0]!).filter((id) => !runs.has(id));
    const found = await Promise.all(ids.map((id) => data.replicas.find(id)));
    return found.filter((replica) => replica !== null).filter((replica) => replica.agent_id === agentID && replica.wanted === 'live');
  }

  function begin(replica: Replica): void {
    log('replica_claimed', { agentID, streamID: replica.stream_id, role: replica.role, epoch: replica.epoch });
    const run = new ReplicaRun({
      replica,
      loadPlan: () => loadPublishPlan({ ...options, data, prepared }, replica),
      anchor: async () => {
        const { anchored_at, now } = await data.streams.anchor(replica.stream_id);
        return now.getTime() - anchored_at.getTime();
      },
      client: { allowPrivateAddresses: options.settings.allowPrivateAddresses, connectTimeoutMs, meter, maySend: () => guard.maySend() },
      report: ({ observedAtMs, ...report }) =>
        inTransaction(pool, async (tx) => {
          const now = new Date((await tx.now()).getTime() - (steadyClock() - observedAtMs));
          return reportReplica(tx, { ...report, streamID: replica.stream_id, now });
        }),
      steadyClock,
      random: options.starting.random,
      log,
    });
    runs.set(replica.id, run);
    // It may have been claimed again, by a newer run, while this one ended.
    void run.finished.then(() => runs.get(replica.id) === run && runs.delete(replica.id));
  }
}
