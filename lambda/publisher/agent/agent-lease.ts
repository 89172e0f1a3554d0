// The lease of one agent: it is renewed every second, and lost once other agents have declared the agent dead.
import { setTimeout } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { KnownHolding, Renewal } from '../../data/fleet/agent-renewals.ts';
import type { AgentLoad } from '../../data/fleet/agents.ts';
import { databaseOn } from '../../data/database.ts';
import { leaseConnections } from '../../domain/fleet/lease.ts';
import { measures } from '../../telemetry/measures.ts';
import { createPoolLike } from '../../data/shared/queryable.ts';
import { LeaseGuard } from './lease-guard.ts';
import type { LeaseGuardOptions } from './lease-guard.ts';

/** How often an agent renews its lease. */
export const renewEveryMs = 1000;
const renewalTimeoutMs = 1500;

/** The agent was declared dead while it was alive: other agents may hold its replicas by now. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

export interface AgentLeaseOptions extends LeaseGuardOptions {
  readonly agentID: string;
  readonly pool: Pool;
  /** The agent's load, which each renewal reports. */
  readonly load: () => AgentLoad;
  /** Asked by each renewal: see `renew` of `agentRenewals`. */
  readonly mediaShare: () => number | null;
  readonly countsUnfunded: () => boolean;
  /** Called with the answer of each renewal, before `renew` returns it. */
  readonly onRenewed: (renewal: Renewal) => void;
  /** Called when a renewal finds that the agent was declared dead: it must stop sending at once. */
  readonly onLost: () => void;
}

export class AgentLease extends LeaseGuard {
  readonly #options: AgentLeaseOptions;
  readonly #pool: Pool;
  #known: KnownHolding | null = null;
  #isLost = false;

  constructor(options: AgentLeaseOptions) {
    super(options);
    this.#options = options;
    // Renewals have their own connections and short timeouts: they never wait behind other statements.
    this.#pool = createPoolLike(options.pool, {
      max: leaseConnections,
      connectionTimeoutMillis: renewalTimeoutMs,
      query_timeout: renewalTimeoutMs,
    });
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** @throws {LeaseLost} when the agent was declared dead; any error of the database */
  async renew(): Promise<Renewal> {
    const { agentID, steadyClock, load, mediaShare, countsUnfunded, onRenewed, onLost } = this.#options;
    const askedAtMs = steadyClock();
    const { agentRenewals } = databaseOn(this.#pool);
    const renewal = await agentRenewals.renew(agentID, load(), this.#known, mediaShare(), countsUnfunded());
    this.#known = renewal;
    measures.record('loop.agent.lease.renewal.duration', (steadyClock() - askedAtMs) / 1000);
    if (!renewal.leaseHolds) {
      this.#isLost = true;
      onLost();
      throw new LeaseLost();
    }
    this.renewed(askedAtMs, renewal.renewingForMs);
    onRenewed(renewal);
    return renewal;
  }

  /** Renews every second until `work` is over or the lease is lost. @returns the result of `work` */
  async renewDuring<Result>(work: Promise<Result>): Promise<Result> {
    let isOver = false;
    const over = work.then(
      () => (isOver = true),
      () => (isOver = true),
    );
    while (!isOver && !this.#isLost) {
      await Promise.race([over, setTimeout(renewEveryMs)]);
      // A failed renewal is retried after a second. A lost lease ends this loop.
      if (!isOver) await this.renew().catch(() => {});
    }
    return work;
  }

  /** Closes the connections that renewals use. */
  close(): Promise<void> {
    return this.#pool.end();
  }
}
