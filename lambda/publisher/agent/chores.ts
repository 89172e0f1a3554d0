// The periodic work of an agent, begun by each renewal of its lease, which it must never delay.
import type { Pool } from 'pg';
import type { Renewal } from '../../data/fleet/agent-renewals.ts';
import type { Database } from '../../data/database.ts';
import { inTransaction } from '../../data/database.ts';
import { firePlans, fireTimes } from '../../orchestration/runs/fire-due.ts';
import { recoverReplicas } from '../../orchestration/fleet/recover-replicas.ts';
import { reportEnded } from '../../orchestration/fleet/replica-reports.ts';
import type { StartOptions } from '../../orchestration/runs/start-stream.ts';
import { tiers } from '../../domain/streams/series.ts';
import type { PreviewWriters } from '../preview/preview-writers.ts';
import type { AgentReplicas } from './agent-replicas.ts';
import type { KnownPeers } from './peers.ts';
import type { ReplicaClaims } from './replica-claims.ts';
import { SeriesCollector } from './series-collector.ts';
import type { TimelineRevisions } from './timeline-revisions.ts';
import type { AgentOptions } from './agent-options.ts';

/** Streams whose figures an agent writes each second. With more streams it writes less often: with 200, every 5 s. */
export const figuresPerSecond = 40;

export interface ChoresOptions extends Pick<AgentOptions, 'agentID' | 'pool' | 'queue' | 'steadyClock'> {
  readonly data: Database;
  readonly replicas: AgentReplicas;
  readonly claims: ReplicaClaims;
  readonly peers: KnownPeers;
  readonly revisions: TimelineRevisions;
  readonly previews: PreviewWriters;
  readonly startOptions: Omit<StartOptions, 'now'>;
  /** Called when a chore failed. It is retried with the next renewal. */
  readonly onHindered: (chore: string, error: unknown) => void;
}

/** A renewal's answer, and a clock with the database's time, independent of this machine's clock. */
export interface Occasion {
  readonly renewal: Renewal;
  readonly databaseClock: () => Date;
}

interface Chore {
  /** The name that the log event `agent_hindered` carries. */
  readonly name: string;
  readonly isDue: (renewal: Renewal) => boolean;
  readonly work: (occasion: Occasion) => Promise<unknown>;
}

export class Chores {
  readonly #options: ChoresOptions;
  readonly #table: readonly Chore[];
  readonly #stopping = new AbortController();
  #underWay: Promise<void> | null = null;
  #firing: Promise<void> | null = null;
  #planning: Promise<void> | null = null;
  #figuresWrittenAtMs = -Infinity;
  readonly #series = new SeriesCollector();

  constructor(options: ChoresOptions) {
    const { agentID, pool, queue, claims, peers, replicas, revisions, previews } = options;
    this.#options = options;
    this.#table = [
      { name: 'learnPeers', isDue: () => true, work: () => peers.learn() },
      {
        name: 'readRevisions',
        isDue: () => replicas.byID.size > 0 && revisions.areDue,
        work: () => revisions.read(),
      },
      { name: 'recover', isDue: ({ isAnyToRecover }) => isAnyToRecover, work: () => recoverReplicas(pool, agentID) },
      {
        name: 'claimWaiting',
        isDue: ({ isAnyWaiting }) => isAnyWaiting || claims.areAnyUnknown,
        work: () => claims.claim(),
      },
      {
        name: 'reportEnds',
        isDue: ({ ending }) => ending.length > 0,
        work: ({ renewal }) => this.#reportEnds(renewal),
      },
      { name: 'writeFigures', isDue: () => this.#areFiguresDue(), work: (occasion) => this.#writeFigures(occasion) },
      { name: 'recordAired', isDue: () => replicas.haveAnyToRecord, work: () => recordAired(pool, replicas) },
      {
        name: 'showPreviews',
        isDue: ({ lookedAt }) => lookedAt.length > 0 || previews.areAny,
        work: async ({ renewal }) => previews.follow(renewal.lookedAt),
      },
      { name: 'relay', isDue: ({ isAnyUnsent }) => isAnyUnsent, work: () => queue.relay() },
    ];
  }

  /** Begins the chores that a renewal has shown to be due, unless an earlier round is still under way. */
  begin(occasion: Occasion): void {
    this.#underWay ??= this.#doDue(occasion).finally(() => (this.#underWay = null));
    // Firing runs in parallel with the other chores: thousands of schedules that are due at once must not delay the
    // recovery of a dead agent's streams.
    if (!occasion.renewal.isAnyDue) return;
    this.#firing ??= this.#fire('fire', fireTimes, occasion).finally(() => (this.#firing = null));
    // Heavy programmes may have plans due all the time, which must not delay the starts of others.
    this.#planning ??= this.#fire('plan', firePlans, occasion).finally(() => (this.#planning = null));
  }

  /** Begins no further chore. Resolves when none is under way, except the firing of schedules (see `fired`). */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#underWay;
    await Promise.all([
      this.#attempt('endPreviews', () => this.#options.previews.stop()),
      this.#attempt('writeSeries', () => this.#writeSeries('all')),
    ]);
  }

  /** Resolves when no firing of schedules is under way. */
  async fired(): Promise<void> {
    await Promise.all([this.#firing, this.#planning]);
  }

  /** Does the due chores one after the other. A chore that fails does not stop the others. */
  async #doDue(occasion: Occasion): Promise<void> {
    for (const { name, isDue, work } of this.#table) {
      if (this.#stopping.signal.aborted) return;
      if (isDue(occasion.renewal)) await this.#attempt(name, () => work(occasion));
    }
  }

  async #fire(chore: string, fire: typeof fireTimes, { databaseClock }: Occasion): Promise<void> {
    const { pool, startOptions } = this.#options;
    await this.#attempt(chore, () => fire(pool, startOptions, databaseClock, this.#stopping.signal));
  }

  async #attempt(chore: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.onHindered(chore, error);
    }
  }

  /**
   * Reports the end of replicas that the agent ended while the database was unreachable, when it could not report it.
   */
  async #reportEnds({ ending }: Renewal): Promise<void> {
    const { agentID, pool, replicas, claims } = this.#options;
    // A claim that is under way may be about to begin one of them.
    await claims.idle();
    for (const id of ending) {
      if (!replicas.byID.has(id)) await inTransaction(pool, (tx) => reportEnded(tx, id, agentID));
    }
  }

  #areFiguresDue(): boolean {
    const { replicas, steadyClock } = this.#options;
    const count = replicas.byID.size;
    // Renewals come once a second; half a second is tolerance for one that comes a little early.
    const everyMs = (count / figuresPerSecond - 0.5) * 1000;
    // The last points of outputs that have ended are still to be written.
    return (count > 0 || this.#series.areAny) && steadyClock() - this.#figuresWrittenAtMs >= everyMs;
  }

  async #writeFigures({ databaseClock }: Occasion): Promise<void> {
    const { agentID, data, replicas, steadyClock } = this.#options;
    this.#figuresWrittenAtMs = steadyClock();
    const now = databaseClock();
    const figures = replicas.sampleFigures(now);
    // Points that cannot be written while the database is unreachable are kept.
    this.#series.add(figures, (replicaID) => replicas.byID.get(replicaID)?.series ?? null);
    if (figures.length > 0) await data.figures.write(agentID, figures);
    if (this.#series.isDue(now)) await this.#writeSeries('ended');
  }

  async #writeSeries(which: 'all' | 'ended'): Promise<void> {
    const taken = this.#series.take(which);
    try {
      await this.#options.data.series.write(tiers['10s'], taken);
    } catch (error) {
      this.#series.putBack(taken);
      throw error;
    }
  }
}

/** Records the aired stretches. An agent that lost its lease reports nothing more, but what it sent did air. */
export function recordAired(pool: Pool, replicas: AgentReplicas): Promise<void> {
  return replicas.recordAired((aired) => inTransaction(pool, ({ figures }) => figures.recordAired(aired)));
}
