// An agent: a process that claims replicas, publishes them, and holds them by a lease that it renews every second.
import { setTimeout } from 'node:timers/promises';
import type { Renewal } from '../data/agents.ts';
import { databaseOn, inTransaction } from '../data/database.ts';
import type { Replica } from '../data/replicas.ts';
import { createPoolLike } from '../data/queryable.ts';
import { fireDue } from '../orchestration/fire-due.ts';
import { recoverReplicas } from '../orchestration/recover-replicas.ts';
import { reportEnded, reportReplica } from '../orchestration/replica-reports.ts';
import type { QueueHandler } from '../ports/command-queue/command-queue.ts';
import type { AgentOptions } from './agent-options.ts';
import { handOver } from './hand-over.ts';
import { LeaseGuard } from './lease-guard.ts';
import { answerPeers, KnownPeers } from './peers.ts';
import { DeliveryMeter } from './rtmp/delivery-meter.ts';
import { TlsSessions } from './rtmp/tls-sessions.ts';
import { SegmentStore } from './prepared/segment-store.ts';
import { SendSchedule } from './prepared/send-schedule.ts';
import { loadPublishPlan } from './publish-plan.ts';
import { ReplicaRun } from './replica-run.ts';

const renewEveryMs = 1000;
const renewalTimeoutMs = 1500;
/** An agent with more streams than these says less often than every second what it measures: with 200, every 5 s. */
export const figuresPerSecond = 40;
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
  const leasePool = createPoolLike(pool, {
    max: 2,
    connectionTimeoutMillis: renewalTimeoutMs,
    query_timeout: renewalTimeoutMs,
  });
  const lease = databaseOn(leasePool).agents;
  const prepared = {
    store: new SegmentStore({ objects: options.objects, maxCachedBytes }),
    schedule: new SendSchedule(steadyClock),
  };
  const connections = { meter: new DeliveryMeter(), tlsSessions: new TlsSessions() };
  const runs = new Map<string, ReplicaRun>();
  let holding: readonly string[] = [];
  let isLost = false;
  let chores = null as Promise<void> | null;
  let firing = null as Promise<void> | null;
  let claiming: Promise<void> = Promise.resolve();
  let figuresSaidAtMs = -Infinity;
  const stopping = new AbortController();
  const until = AbortSignal.any([signal, stopping.signal]);
  /** Until nothing is sent any more. */
  const sending = new AbortController();
  const peers = new KnownPeers(() => data.agents.peerURLs(agentID), steadyClock);
  const guard = new LeaseGuard({
    steadyClock,
    peerURLs: () => peers.urls,
    onCutOff: (how) => {
      log('agent_cut_off', { agentID, how, replicas: runs.size });
      void endRuns();
    },
  });
  const peerServer = await answerPeers(options.peering, () => guard.renewingForMs());
  await data.agents.register({
    id: agentID,
    supervisor: options.supervisor,
    release: options.release,
    zone: options.zone,
    backends: options.backends,
    peerURL: peerServer.url,
  });
  log('agent_started', { agentID, slots: options.slots });

  const wake: QueueHandler = async () => {
    await claim();
    return { batchItemFailures: [] };
  };
  const guarding = guard.watch(sending.signal);
  const consuming = [
    ...options.backends.map((backend) => queue.consume(`publish-${backend}`, wake, { signal: until })),
    queue.consume('media', options.handleMedia, { signal: until, batchSize: 1 }),
  ];
  try {
    while (!until.aborted) {
      const beganMs = steadyClock();
      await attempt(renew);
      await setTimeout(Math.max(0, renewEveryMs - (steadyClock() - beganMs)), undefined, { signal: until }).catch(
        () => {},
      );
    }
  } finally {
    stopping.abort();
    await renewWhile(letGo());
    await endRuns();
    sending.abort();
    await guarding;
    peerServer.close();
    await leasePool.end();
    await data.agents.remove(agentID);
    await recoverReplicas(pool);
    // What is being prepared takes as long as it takes, and needs no lease.
    await Promise.all([firing, ...consuming]);
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
      void endRuns();
      throw new LeaseLost();
    }
    guard.renewed(askedAtMs, renewal.renewingForMs);
    for (const id of renewal.ending) runs.get(id)?.endForGood();
    return renewal;
  }

  async function letGo(): Promise<void> {
    await Promise.all([chores, claiming.catch(() => {})]);
    if (!isLost)
      await handOver({
        agentID,
        pool,
        runs,
        queue,
        steadyClock,
        log,
        holding: async () => (await renewLease()).holding,
      });
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
    // Begun before the question, and not in the answer: their rows are others' by now, or gone.
    for (const [id, run] of known) if (!holding.includes(`${id}/${run.claim.epoch}`)) void run.end();
    // Not waited for: nothing that takes long may cost the lease.
    const toldAtMs = steadyClock();
    // The database's time, whatever happens to this machine's clock.
    const databaseClock = () => new Date(renewal.now.getTime() + steadyClock() - toldAtMs);
    chores ??= doChores(renewal, databaseClock).finally(() => (chores = null));
    if (!renewal.isAnyDue) return;
    // By itself: thousands that are due together must not keep the streams of a dead agent waiting.
    const fire = async () =>
      void (await fireDue(pool, { ...options.starting, settings: options.settings }, databaseClock));
    firing ??= attempt(fire).finally(() => (firing = null));
  }

  /** One that fails every time keeps none of the others from being done. */
  async function doChores(renewal: Renewal, databaseClock: () => Date): Promise<void> {
    const recover = async () => void (renewal.isAnyDead && (await recoverReplicas(pool)));
    async function claimWaiting() {
      if (renewal.isAnyWaiting || idsUnknown().length > 0) await claim();
    }
    async function reportEnds() {
      // What was claimed a moment ago may not be known here yet.
      await claiming;
      // Their runs are over, but nobody could be told so then.
      for (const id of renewal.ending)
        if (!runs.has(id)) await inTransaction(pool, (tx) => reportEnded(tx, id, agentID));
    }
    async function sayFigures() {
      // Half a second less, as this is asked once a second.
      if (runs.size === 0 || steadyClock() - figuresSaidAtMs < (runs.size / figuresPerSecond - 0.5) * 1000) return;
      figuresSaidAtMs = steadyClock();
      const now = databaseClock();
      await data.figures.say(
        agentID,
        [...runs.values()].map((run) => run.sampleFigures(now)),
      );
    }
    const relay = async () => void (renewal.isAnyUnsent && (await queue.relay()));
    const learnPeers = () => peers.learn();
    for (const chore of [learnPeers, recover, claimWaiting, reportEnds, sayFigures, relay]) {
      if (until.aborted) return;
      await attempt(chore);
    }
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
    if (until.aborted || !guard.isSure) return;
    for (const replica of await claimedUnawares()) begin(replica);
    for (const take of [data.replicas.claim, data.replicas.succeed]) {
      const free = options.slots - slotsUsed();
      if (until.aborted || !guard.isSure || free <= 0) return;
      for (const replica of await take(agentID, options.backends, free)) begin(replica);
    }
  }

  /** Replicas that the database gave this agent with an answer that was lost, together with its connection: nobody else ever gets them. */
  async function claimedUnawares(): Promise<Replica[]> {
    const found = await Promise.all(idsUnknown().map((id) => data.replicas.find(id)));
    return found
      .filter((replica) => replica !== null)
      .filter((replica) => replica.agent_id === agentID && replica.wanted === 'live');
  }

  /** Of replicas that are held as far as the database knows, but not here. */
  function idsUnknown(): string[] {
    return holding.map((held) => held.split('/')[0]!).filter((id) => !runs.has(id));
  }

  function begin(replica: Replica): void {
    log('replica_claimed', { agentID, streamID: replica.stream_id, role: replica.role, epoch: replica.epoch });
    // As a successor, or by a claim that it lost: it may still send.
    const before = runs.get(replica.id)?.end();
    const run = new ReplicaRun({
      replica,
      loadPlan: async () => {
        await before;
        return loadPublishPlan({ ...options, data, prepared }, replica);
      },
      anchor: async () => {
        const { anchored_at, now } = await data.streams.anchor(replica.stream_id);
        return now.getTime() - anchored_at.getTime();
      },
      client: {
        allowPrivateAddresses: options.settings.allowPrivateAddresses,
        connectTimeoutMs,
        ...connections,
        maySend: () => guard.maySend(),
      },
      report: ({ observedAtMs, ...report }) =>
        inTransaction(pool, async (tx) => {
          const now = new Date((await tx.now()).getTime() - (steadyClock() - observedAtMs));
          return reportReplica(tx, { ...report, streamID: replica.stream_id, now, figures: run.sampleFigures(now) });
        }),
      steadyClock,
      log,
      random: options.starting.random,
      ...(options.connectionEndsAfterMs && { connectionEndsAfterMs: options.connectionEndsAfterMs }),
    });
    runs.set(replica.id, run);
    // It may have been claimed again, by a newer run, while this one ended.
    void run.finished.then(() => runs.get(replica.id) === run && runs.delete(replica.id));
  }
}
