// Agents as `lambda/publisher/agent/agent.ts` runs them, all in this process.
// Their destinations accept media at once.
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Renewal } from '../../lambda/data/fleet/agent-renewals.ts';
import type { AgentLoad } from '../../lambda/data/fleet/agents.ts';
import { databaseOn } from '../../lambda/data/database.ts';
import { newID } from '../../lambda/data/shared/new-id.ts';
import { createPoolLike } from '../../lambda/data/shared/queryable.ts';
import type { Replica } from '../../lambda/data/fleet/replicas.ts';
import { fireDue } from '../../lambda/orchestration/runs/fire-due.ts';
import { recoverReplicas } from '../../lambda/orchestration/fleet/recover-replicas.ts';
import { figuresPerSecond } from '../../lambda/publisher/agent/chores.ts';
import { ReplicaClaims } from '../../lambda/publisher/agent/replica-claims.ts';
import { ReportWriter } from '../../lambda/publisher/agent/report-writer.ts';
import { capacityFor } from '../support/capacities.ts';
import { figures } from '../support/figures.ts';
import { RenewalTimes } from './renewal-times.ts';

const renewEveryMs = 1000;
/** How often commands reach agents, as from a queue that they poll. */
const relayEveryMs = 50;
/** Additional connections for renewals, which must not wait for other work. */
const leaseConnections = 10;

export const startOptions = {
  settings: { allowPrivateAddresses: true, legacyRtmpURL: null, limitFactor: 1000 },
  newID: (prefix: string) => newID(prefix, new Date()),
  random: Math.random,
};

interface FleetOptions {
  readonly pool: Pool;
  readonly agents: number;
  /** The number of replicas that an agent can hold. */
  readonly room: number;
}

export class Fleet {
  readonly renewals = new RenewalTimes();
  readonly #options: FleetOptions;
  readonly #leasePool: Pool;
  readonly #running = new Map<string, { agent: BenchAgent; stop: AbortController; loop: Promise<void> }>();
  readonly #relaying = new AbortController();
  #relay: Promise<void> = Promise.resolve();
  readonly #watchers = new Set<(streamID: string, agentID: string) => void>();

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#leasePool = createPoolLike(options.pool, { max: leaseConnections });
  }

  get agentIDs(): readonly string[] {
    return [...this.#running.keys()];
  }

  begin(): void {
    const { agents } = this.#options;
    for (let index = 0; index < agents; index++) {
      const stop = new AbortController();
      const startAfterMs = (index / agents) * renewEveryMs;
      const agent = new BenchAgent(
        `agent_${index}`,
        this.#options,
        this.#leasePool,
        this.renewals,
        (streamID, agentID) => this.#watchers.forEach((watch) => watch(streamID, agentID)),
      );
      this.#running.set(agent.id, { agent, stop, loop: agent.run(startAfterMs, stop.signal) });
    }
    this.#relay = this.#relayCommands(this.#relaying.signal);
  }

  /** Wakes an agent, any of them, for each command to publish. */
  async #relayCommands(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { rowCount } = await this.#options.pool.query(`delete from outbox where queue like 'publish-%'`);
      const agents = [...this.#running.values()];
      for (let woken = 0; woken < (rowCount ?? 0); woken++)
        void agents[Math.floor(Math.random() * agents.length)]?.agent.claim().catch(() => {});
      await delay(relayEveryMs, undefined, { signal }).catch(() => {});
    }
  }

  async end(): Promise<void> {
    this.#relaying.abort();
    await this.#relay;
    for (const { stop } of this.#running.values()) stop.abort();
    await Promise.all([...this.#running.values()].map(({ loop }) => loop));
    await this.#leasePool.end();
  }

  /** Loses agents together with their machines: no process declares them dead. */
  lose(agentIDs: readonly string[]): void {
    for (const agentID of agentIDs) {
      this.#running.get(agentID)!.stop.abort();
      this.#running.delete(agentID);
    }
  }

  /** Calls `watch` for each stream that goes live, with its new agent, until the returned function is called. */
  onLive(watch: (streamID: string, agentID: string) => void): () => void {
    this.#watchers.add(watch);
    return () => void this.#watchers.delete(watch);
  }

  /** Resolves when this many streams have gone live from now on. */
  countLive(count: number): Promise<void> {
    const all = Promise.withResolvers<void>();
    let left = count;
    this.onLive(() => {
      left--;
      if (left === 0) all.resolve();
    });
    return all.promise;
  }
}

class BenchAgent {
  readonly id: string;
  readonly #options: FleetOptions;
  readonly #leasePool: Pool;
  readonly #renewals: RenewalTimes;
  readonly #onLive: (streamID: string, agentID: string) => void;
  readonly #startReports: ReportWriter;
  readonly #reports: ReportWriter;
  readonly #held = new Map<string, number>();
  #claims: ReplicaClaims | null = null;
  #hasRenewed = false;

  constructor(
    id: string,
    options: FleetOptions,
    leasePool: Pool,
    renewals: RenewalTimes,
    onLive: (streamID: string, agentID: string) => void,
  ) {
    this.id = id;
    this.#options = options;
    this.#leasePool = leasePool;
    this.#renewals = renewals;
    this.#onLive = onLive;
    this.#startReports = new ReportWriter(options.pool, { needsPlace: false, mostAtOnce: 3 });
    this.#reports = new ReportWriter(options.pool, { needsPlace: true, mostAtOnce: 1 });
  }

  /** Claims its share of what waits, as after a command. */
  async claim(): Promise<void> {
    await this.#claims?.claim();
  }

  async run(startAfterMs: number, signal: AbortSignal): Promise<void> {
    const claims = this.#claimsUntil(signal);
    this.#claims = claims;
    let known: Renewal | null = null;
    let chores: Promise<void> | null = null;
    let firing: Promise<unknown> | null = null;
    await delay(startAfterMs, undefined, { signal }).catch(() => {});
    for (let renewals = 0; !signal.aborted; renewals++) {
      const beganMs = performance.now();
      const load = { usedShare: this.#held.size / this.#options.room, behindReason: null };
      const renewal: Renewal = await this.#renew(load, known);
      known = renewal;
      if (!this.#hasRenewed) for (const [id, epoch] of renewal.holding) this.#held.set(id, epoch);
      this.#hasRenewed = true;
      claims.setHeld([...renewal.holding.keys()]);
      chores ??= this.#doChores(claims, renewals, renewal).finally(() => (chores = null));
      if (renewal.isAnyDue)
        firing ??= fireDue(this.#options.pool, startOptions, () => new Date()).finally(() => (firing = null));
      await delay(Math.max(0, renewEveryMs - (performance.now() - beganMs)), undefined, { signal }).catch(() => {});
    }
    await Promise.all([chores, firing]);
  }

  async #renew(load: AgentLoad, known: Renewal | null): Promise<Renewal> {
    const beganMs = performance.now();
    const connection = await this.#leasePool.connect();
    const waitedMs = performance.now() - beganMs;
    try {
      return await databaseOn(connection).agentRenewals.renew(this.id, load, known);
    } finally {
      connection.release();
      this.#renewals.add(performance.now() - beganMs, waitedMs);
    }
  }

  #claimsUntil(signal: AbortSignal): ReplicaClaims {
    const [held, { room }] = [this.#held, this.#options];
    return new ReplicaClaims({
      agentID: this.id,
      capacity: capacityFor(room, 'ffmpeg'),
      backends: ['manifest', 'ffmpeg'],
      steadyClock: () => performance.now(),
      data: databaseOn(this.#options.pool),
      replicas: {
        byID: held,
        get usedShare() {
          return held.size / room;
        },
        begin: (replica) => void this.#begin(replica),
      },
      mayBegin: () => !signal.aborted,
      mayClaim: () => !signal.aborted,
    });
  }

  async #begin(replica: Replica): Promise<void> {
    this.#held.set(replica.id, replica.epoch);
    const { stream_id: streamID } = replica;
    const asOf = (now: Date) => {
      const stats = { ...figures, sampledAt: now.toISOString() };
      const first = { replicaID: replica.id, epoch: replica.epoch, stats };
      return { streamID, claim: replica, state: 'live', reason: null, now, figures: first } as const;
    };
    const reports = replica.epoch === 1 ? this.#startReports : this.#reports;
    if (await reports.write({ streamID, userID: streamID, asOf })) this.#onLive(streamID, this.id);
    else this.#held.delete(replica.id);
  }

  async #doChores(
    claims: ReplicaClaims,
    renewals: number,
    { holding, now, isAnyWaiting, isAnyToRecover }: Renewal,
  ): Promise<void> {
    const { pool } = this.#options;
    if (isAnyToRecover) await recoverReplicas(pool, this.id);
    if (isAnyWaiting || claims.areAnyUnknown) await claims.claim();
    const stats = { ...figures, sampledAt: now.toISOString() };
    if (renewals % Math.ceil(holding.size / figuresPerSecond) === 0) {
      const told = Array.from(holding, ([replicaID, epoch]) => ({ replicaID, epoch, stats }));
      await databaseOn(pool).figures.write(this.id, told);
    }
  }
}
