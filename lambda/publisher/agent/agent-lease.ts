// The lease of one agent: renewed every second, watched while it cannot be, and lost once another agent took it away.
import { setTimeout } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { KnownHolding, Renewal } from '../../data/fleet/agent-renewals.ts';
import type { AgentLoad } from '../../data/fleet/agents.ts';
import { databaseOn } from '../../data/database.ts';
import { measures } from '../../telemetry/measures.ts';
import { createPoolLike } from '../../data/shared/queryable.ts';
import { LeaseGuard } from './lease-guard.ts';
import type { LeaseGuardOptions } from './lease-guard.ts';

/** How often an agent renews its lease. */
export const renewEveryMs = 1000;
const renewalTimeoutMs = 1500;

/** The agent was declared dead while it still lived: its replicas may have other holders by now. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

export interface AgentLeaseOptions extends LeaseGuardOptions {
  readonly agentID: string;
  readonly pool: Pool;
  /** What the agent says of itself with each renewal. */
  readonly load: () => AgentLoad;
  /** Called with what each renewal answered, before anybody else sees it. */
  readonly onRenewed: (renewal: Renewal) => void;
  /** Called once a renewal found that the agent was declared dead: everything has to end at once. */
  readonly onLost: () => void;
}

export class AgentLease {
  readonly #options: AgentLeaseOptions;
  readonly #guard: LeaseGuard;
  readonly #pool: Pool;
  #known: KnownHolding | null = null;
  #isLost = false;

  constructor(options: AgentLeaseOptions) {
    this.#options = options;
    this.#guard = new LeaseGuard(options);
    // Renewals have connections of their own and give up early: they never wait behind other statements, nor long for
    // an answer.
    this.#pool = createPoolLike(options.pool, {
      max: 2,
      connectionTimeoutMillis: renewalTimeoutMs,
      query_timeout: renewalTimeoutMs,
    });
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Whether the agent may claim replicas: only while renewals succeed in time. */
  get mayClaim(): boolean {
    return this.#guard.isSure;
  }

  /** Asked before every write to a destination. */
  maySend(): boolean {
    return this.#guard.maySend();
  }

  /** For peers: since when this agent renews, in milliseconds; null when it cannot at the moment. */
  renewingForMs(): number | null {
    return this.#guard.renewingForMs();
  }

  /** Has the agent stop before somebody else may hold what it holds. Resolves when the signal aborts. */
  watch(signal: AbortSignal): Promise<void> {
    return this.#guard.watch(signal);
  }

  /** @throws {LeaseLost} when the agent was declared dead; any error of the database */
  async renew(): Promise<Renewal> {
    const { agentID, steadyClock, load, onRenewed, onLost } = this.#options;
    const askedAtMs = steadyClock();
    const renewal = await databaseOn(this.#pool).agentRenewals.renew(agentID, load(), this.#known);
    this.#known = renewal;
    measures.record('loop.agent.lease.renewal.duration', (steadyClock() - askedAtMs) / 1000);
    if (!renewal.leaseHolds) {
      this.#isLost = true;
      onLost();
      throw new LeaseLost();
    }
    this.#guard.renewed(askedAtMs, renewal.renewingForMs);
    onRenewed(renewal);
    return renewal;
  }

  /** Renews every second until `work` is over, or the lease is lost. @returns what `work` resolves to */
  async renewDuring<Result>(work: Promise<Result>): Promise<Result> {
    let isOver = false;
    const settled = work.then(
      () => (isOver = true),
      () => (isOver = true),
    );
    while (!isOver && !this.#isLost) {
      await Promise.race([settled, setTimeout(renewEveryMs)]);
      // A renewal that fails is tried again a second later; one that finds the lease lost ends this loop.
      if (!isOver) await this.renew().catch(() => {});
    }
    return work;
  }

  /** Closes the connections that renewals use. */
  close(): Promise<void> {
    return this.#pool.end();
  }
}
