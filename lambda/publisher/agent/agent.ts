// An agent: a process that claims replicas, publishes them, and holds them by a lease that it renews every second.
import { setTimeout } from 'node:timers/promises';
import type { AgentLoad } from '../../data/fleet/agents.ts';
import { databaseOn, inTransaction } from '../../data/database.ts';
import { streamBackends } from '../../domain/streams/stream-words.ts';
import type { Database } from '../../data/database.ts';
import { weightsOf } from '../../domain/fleet/capacity.ts';
import { mediaLanes, takesMedia } from '../../domain/fleet/lanes.ts';
import { recoverReplicas } from '../../orchestration/fleet/recover-replicas.ts';
import type { PublishCommand } from '../../data/shared/outbox.ts';
import type { QueueHandler } from '../../ports/command-queue/command-queue.ts';
import { DestinationChecks } from '../checking/destination-checks.ts';
import { EncoderPace } from '../encoded/encoder-pace.ts';
import { SharedEncoders } from '../encoded/shared-encoder.ts';
import { PreviewWriters } from '../preview/preview-writers.ts';
import { observeAgent } from './agent-measures.ts';
import { AgentLease, LeaseLost, renewEveryMs } from './agent-lease.ts';
import type { AgentOptions, CarriedLoad } from './agent-options.ts';
import { AgentReplicas } from './agent-replicas.ts';
import { replicaBeginner } from './begin-replica.ts';
import type { BeginReplicaOptions } from './begin-replica.ts';
import { Chores, recordAired } from './chores.ts';
import { GrownShares } from './grown-shares.ts';
import type { GrownSharesOptions } from './grown-shares.ts';
import { handOver } from './hand-over.ts';
import { answerPeers, KnownPeers } from './peers.ts';
import { BetterMediaPlace, leavesEveryMs, unlessLeft } from './leave-media.ts';
import { Pressure } from './pressure.ts';
import { ReplicaClaims } from './replica-claims.ts';
import { TimelineRevisions } from './timeline-revisions.ts';

/**
 * Runs an agent until the signal aborts; then hands its replicas over. It continues to send while the database does not
 * answer.
 * @throws {LeaseLost} after everything has ended: start a new agent in its place
 */
export async function runAgent(options: AgentOptions, signal: AbortSignal): Promise<void> {
  const agent = new Agent(options);
  await agent.register();
  try {
    await agent.serve(signal);
  } finally {
    await agent.end();
  }
}

/**
 * `serving`: the agent renews its lease, claims replicas and does chores. `handing over`: it claims nothing more, but
 * renews until other agents have taken its replicas, or it has released them.
 */
type AgentState = 'starting' | 'serving' | 'handing over' | 'ended';

class Agent {
  readonly #options: AgentOptions;
  readonly #data: Database;
  readonly #lease: AgentLease;
  readonly #replicas: AgentReplicas;
  readonly #claims: ReplicaClaims;
  readonly #checks: DestinationChecks;
  readonly #peers: KnownPeers;
  readonly #chores: Chores;
  readonly #grownShares: GrownShares;
  readonly #pressure: Pressure;
  readonly #pace: EncoderPace;
  readonly #betterMediaPlace: BetterMediaPlace;
  #mediaUnderWay = 0;
  /** When the agent stopped sending because its lease might be over, by the steady clock; null: never. */
  #silentSinceMs: number | null = null;
  #state: AgentState = 'starting';
  #peerServer: Awaited<ReturnType<typeof answerPeers>> | null = null;
  /** Aborted when the agent stops consuming queues. */
  readonly #consuming = new AbortController();
  /** Aborted when nothing is sent any more, so that the lease needs no watching. */
  readonly #sending = new AbortController();
  #watching: Promise<void> = Promise.resolve();
  #consumers: readonly Promise<unknown>[] = [];
  readonly #stopObserving: () => void;

  constructor(options: AgentOptions) {
    const { agentID, pool, queue, capacity, backends, settings, startOptions, steadyClock } = options;
    this.#options = options;
    const data = databaseOn(pool);
    this.#data = data;
    const revisions = new TimelineRevisions({ read: () => this.#readChanges(), steadyClock });
    this.#peers = new KnownPeers({
      load: () => data.agents.peerURLs(agentID),
      ownPort: () => (options.peering.address === null ? null : (this.#peerServer?.port ?? null)),
      steadyClock,
    });
    this.#lease = new AgentLease({
      agentID,
      pool,
      steadyClock,
      peerURLs: () => this.#peers.urls,
      load: () => this.#load,
      mediaShare: () => (takesMedia(backends) ? this.#betterMediaPlace.mostUsedShare : null),
      countsUnfunded: () => this.#claims.countsUnfunded,
      onRenewed: ({ ending, isMediaPlaceElsewhere }) => {
        this.#betterMediaPlace.isThere = isMediaPlaceElsewhere;
        this.#replicas.endForGood(ending);
      },
      onLost: () => void this.#replicas.end(),
      onCutOff: (how, silentSinceMs) => this.#cutOff(how, silentSinceMs),
    });
    this.#pace = new EncoderPace(options.encoder, steadyClock, (encoder) =>
      options.log('encoder_paced', { agentID, encoder }),
    );
    const pace = this.#pace;
    const maySend = () => this.#lease.maySend();
    const makeRoom: ReplicaClaims['makeRoom'] = (...of) => this.#claims.makeRoom(...of);
    const encoders = new SharedEncoders();
    const silentSinceMs = () => this.#silentSinceMs;
    const takePart: GrownSharesOptions['takePart'] = (claim, share) =>
      inTransaction(pool, (tx) => tx.replicaClaims.takePart(claim, share, backends));
    const heldCosts: BeginReplicaOptions['heldCosts'] = (streamID, role) => this.#replicas.costsOf(streamID, role);
    const ofAgent = { data, revisions, pace, encoders, maySend, makeRoom, takePart, heldCosts, silentSinceMs };
    const beginner = replicaBeginner({ ...options, ...ofAgent });
    this.#replicas = new AgentReplicas(beginner);
    const replicas = this.#replicas;
    this.#grownShares = new GrownShares({ capacity, replicas, makeRoom, takePart });
    this.#stopObserving = observeAgent(replicas.byID, () => this.#load);
    this.#pressure = new Pressure((behindReason) =>
      options.log(behindReason === null ? 'agent_keeps_up' : 'agent_behind', { agentID, behindReason }),
    );
    const mayBegin = () => this.#state === 'serving' && this.#lease.mayClaim;
    const mayClaim = () => mayBegin() && this.#pressure.behindReason === null;
    this.#claims = new ReplicaClaims({ agentID, capacity, backends, data, replicas, mayBegin, mayClaim, steadyClock });
    this.#checks = new DestinationChecks({
      allowPrivateAddresses: settings.allowPrivateAddresses,
      data,
      log: options.log,
    });
    this.#betterMediaPlace = new BetterMediaPlace(() => replicas.usedShare);
    this.#chores = new Chores({
      agentID,
      pool,
      data,
      queue,
      replicas,
      claims: this.#claims,
      peers: this.#peers,
      revisions,
      previews: new PreviewWriters({ data, objects: options.objects, encoders, log: options.log }),
      startOptions: { ...startOptions, settings },
      steadyClock,
      onHindered: (chore, error) => this.#logHindrance(chore, error),
    });
  }

  /** Registers the agent, and begins to answer its peers. */
  async register(): Promise<void> {
    const { agentID, supervisor, release, zone, backends, capacity, machineSeconds, peering, log } = this.#options;
    this.#peerServer = await answerPeers(
      peering,
      () => this.#lease.renewingForMs(),
      (url) => this.#peers.introduced(url),
    );
    await this.#data.agents.register({
      id: agentID,
      supervisor,
      release,
      zone,
      backends,
      capacity,
      machineSeconds: machineSeconds ?? null,
      peerURL: this.#peerServer.url,
    });
    log('agent_started', { agentID, capacity });
  }

  /** Publishes until the signal aborts. @throws {LeaseLost} */
  async serve(signal: AbortSignal): Promise<void> {
    this.#state = 'serving';
    signal.addEventListener('abort', () => this.#stopServing(), { once: true });
    if (signal.aborted) this.#stopServing();
    this.#watching = this.#lease.watch(this.#sending.signal);
    this.#consumers = this.#consumeCommands();
    while (this.#state === 'serving') {
      const beganMs = this.#options.steadyClock();
      await this.#renew();
      const untilNextMs = Math.max(0, renewEveryMs - (this.#options.steadyClock() - beganMs));
      await setTimeout(untilNextMs, undefined, { signal: this.#consuming.signal }).catch(() => {});
    }
  }

  /** Hands over or releases all replicas. Resolves when nothing of the agent is left. */
  async end(): Promise<void> {
    const { agentID, pool, log } = this.#options;
    this.#stopServing();
    await this.#lease.renewDuring(this.#handOver());
    await this.#replicas.end();
    this.#sending.abort();
    await this.#watching;
    this.#peerServer?.close();
    await this.#lease.close();
    // A failure here must not keep other agents from taking the streams.
    await recordAired(pool, this.#replicas).catch((error: unknown) => this.#logHindrance('recordAired', error));
    await this.#data.agents.declareDead(agentID);
    await recoverReplicas(pool);
    // Uploads under preparation and destination checks need no lease, so they may finish.
    await Promise.all([this.#chores.fired(), this.#checks.end(), ...this.#consumers]);
    this.#state = 'ended';
    this.#stopObserving();
    log('agent_ended', { agentID });
  }

  /** A command to publish only wakes the agent up, which then reads from the database what it may claim. */
  #consumeCommands(): Promise<unknown>[] {
    const { backends, queue, handleMedia, inspector } = this.#options;
    const { signal } = this.#consuming;
    const pause = () => setTimeout(leavesEveryMs, undefined, { signal }).catch(() => {});
    const wake: QueueHandler = async ({ Records }) => {
      const commands = Records.map(({ body }) => JSON.parse(body) as PublishCommand);
      if (commands.some((command) => 'streamID' in command)) await this.#claims.claim();
      if (commands.some((command) => 'destinationID' in command)) await this.#checks.claim();
      return { batchItemFailures: [] };
    };
    const isBehind = () => this.#pressure.behindReason !== null;
    const isResting = () => this.#betterMediaPlace.isThere;
    const counted: QueueHandler = (event) => {
      this.#mediaUnderWay += 1;
      return handleMedia(event).finally(() => (this.#mediaUnderWay -= 1));
    };
    const media = unlessLeft(counted, isBehind, this.#data, pause);
    return [
      ...backends.map((backend) => queue.consume(`publish-${backend}`, wake, { signal })),
      ...(takesMedia(backends) ? [queue.consume('media', media, { signal, lanes: mediaLanes, isResting })] : []),
      // No media workers are started for inspections, so every agent that keeps up does some.
      ...(inspector && takesMedia(backends) ? [inspector.run(isBehind, signal)] : []),
    ];
  }

  /** Renews once. A failure, as of the database, is logged: the next renewal is a second later. @throws {LeaseLost} */
  async #renew(): Promise<void> {
    try {
      await this.#renewOnce();
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      this.#logHindrance('renew', error);
    }
  }

  async #renewOnce(): Promise<void> {
    const { steadyClock, onLoad } = this.#options;
    const begunBefore = [...this.#replicas.byID];
    this.#pressure.sample(this.#replicas.areAnyShortOfMedia);
    if (this.#pressure.areEncodersBehind) this.#pace.speedUp();
    if (this.#replicas.byID.size === 0) this.#pace.relax();
    const renewal = await this.#lease.renew();
    const answeredAtMs = steadyClock();
    this.#claims.setHeld([...renewal.holding.keys()]);
    const held = [...this.#replicas.byID.values()];
    const replicas = Object.fromEntries(
      streamBackends.map((backend) => [backend, held.filter((replica) => replica.backend === backend).length]),
    ) as CarriedLoad['replicas'];
    onLoad?.({ replicas, ...this.#load });
    // A replica that began before the query but is missing from its answer was reassigned or has ended.
    for (const [id, replica] of begunBefore) {
      if (renewal.holding.get(id) !== replica.claim.epoch) void replica.end();
    }
    const databaseClock = () => new Date(renewal.now.getTime() + steadyClock() - answeredAtMs);
    this.#chores.begin({ renewal, databaseClock });
  }

  /** Follows what the replicas cost. @returns the revisions of their timelines, by id */
  async #readChanges(): Promise<ReadonlyMap<string, number>> {
    const { agentID, capacity } = this.#options;
    const changed = await this.#data.replicas.changedOf(agentID, weightsOf(capacity));
    this.#grownShares.follow(changed).catch((error: unknown) => this.#logHindrance('followCosts', error));
    return new Map(changed.map(({ id, timeline_revision: revision }) => [id, revision]));
  }

  get #load(): AgentLoad {
    return {
      usedShare: this.#replicas.usedShare,
      behindReason: this.#pressure.behindReason,
      isMediaFull: this.#mediaUnderWay >= mediaLanes.count,
    };
  }

  async #handOver(): Promise<void> {
    const { agentID, pool, queue, steadyClock, log } = this.#options;
    await Promise.all([this.#chores.stop(), this.#claims.idle()]);
    if (this.#lease.isLost) return;
    const holding = async () => (await this.#lease.renew()).holding;
    await handOver({ agentID, pool, replicas: this.#replicas.byID, queue, steadyClock, log, holding });
  }

  #stopServing(): void {
    if (this.#state === 'serving') this.#state = 'handing over';
    this.#consuming.abort();
  }

  #cutOff(how: 'cut off' | 'asleep', silentSinceMs: number): void {
    const { agentID, log } = this.#options;
    this.#silentSinceMs = silentSinceMs;
    log('agent_cut_off', { agentID, how, replicas: this.#replicas.byID.size });
    void this.#replicas.end();
  }

  #logHindrance(work: string, error: unknown): void {
    const { agentID, log } = this.#options;
    log('agent_hindered', { agentID, work, error: String(error) });
  }
}
