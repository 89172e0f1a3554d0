// One replica, from its claim until it has to end: connects, plays, reports what happens, and tries again for as long as it may.
import { setTimeout } from 'node:timers/promises';
import type { ReplicaFigures } from '../data/figures.ts';
import type { Claim, Replica, ReplicaState } from '../data/replicas.ts';
import type { StateReason, StreamBackend } from '../data/streams.ts';
import { backoffMs } from './backoff.ts';
import type { RetryPace } from './backoff.ts';
import { Figures } from './figures.ts';
import { MediaError } from './media/media-error.ts';
import { TooSlow } from './paced-sender.ts';
import { NothingReadable } from './prepared/track-reader.ts';
import type { PublishPlan } from './publish-plan.ts';
import { runSession } from './publish-session.ts';
import { DestinationError } from './rtmp/destination-error.ts';
import type { DestinationErrorCode } from './rtmp/destination-error.ts';
import type { RtmpClientOptions } from './rtmp/rtmp-client.ts';

export interface Report {
  readonly claim: Claim;
  readonly state: ReplicaState;
  readonly reason: StateReason | null;
  readonly hopeless: boolean;
  /** By the steady clock: it may take a while until it can be written. */
  readonly observedAtMs: number;
}

export interface ReplicaRunOptions {
  readonly replica: Replica;
  /** Reads what to play and where to; anew before each connection. */
  readonly loadPlan: () => Promise<PublishPlan>;
  /** Fixes the anchor of the run; answers the milliseconds since it. */
  readonly anchor: () => Promise<number>;
  readonly client: RtmpClientOptions;
  /** Answers false when the replica is no longer this agent's. */
  readonly report: (report: Report) => Promise<boolean>;
  readonly steadyClock: () => number;
  readonly random: () => number;
  readonly log: (event: string, fields: Record<string, unknown>) => void;
}

/** A key that is refused for this long stays refused (operations, part 5). */
const refusedKeyFailsAfterMs = 15 * 60_000;
/** A connection that held this long was a good one: the next failure is the first again. */
const goodConnectionMs = 30_000;
const reportAgainMs = 1000;

export class ReplicaRun {
  readonly claim: Claim;
  readonly slots: number;
  readonly streamID: string;
  readonly backend: StreamBackend;
  readonly figures = new Figures();
  readonly finished: Promise<void>;
  framesPerSecond = 30;
  readonly #options: ReplicaRunOptions;
  readonly #ending = new AbortController();
  #endsForGood = false;
  #isGivenBack = false;
  /** Encoders are not started for connections that nobody may answer. */
  #connectsFirst = false;
  #lastPlan: PublishPlan | null = null;
  /** By the steady clock. */
  #anchoredAtMs: number | null = null;
  /** What is to be reported; a newer observation replaces one that could not be written yet. */
  #unreported: Report | null = null;
  #reporting: Promise<void> = Promise.resolve();

  constructor(options: ReplicaRunOptions) {
    this.#options = options;
    this.claim = { id: options.replica.id, agent_id: options.replica.agent_id, epoch: options.replica.epoch };
    this.slots = options.replica.slots;
    this.streamID = options.replica.stream_id;
    this.backend = options.replica.backend;
    this.finished = this.#run();
  }

  /**
   * Lets go of it, for another agent to claim: the connection is closed and no process of it is left when `finished` resolves.
   * What could not be reported by then never is: a database that is away does not hold up the end.
   */
  end(): Promise<void> {
    this.#isGivenBack = true;
    this.#ending.abort();
    return this.finished;
  }

  /** Ends a replica that is wanted no more, and says so once nothing of it is left. */
  endForGood(): void {
    this.#endsForGood = true;
    this.#ending.abort();
  }

  /** What is measured of it, as of now. @param sampledAt now, by the database's clock */
  sampleFigures(sampledAt: Date): ReplicaFigures {
    const { id: replicaID, epoch } = this.claim;
    return { replicaID, epoch, stats: this.figures.sample(this.#options.steadyClock(), sampledAt, this.framesPerSecond) };
  }

  async #run(): Promise<void> {
    const { log, random, steadyClock, replica } = this.#options;
    const { signal } = this.#ending;
    let failures = 0;
    let refusedSinceMs: number | null = null;
    while (!signal.aborted) {
      const beganMs = steadyClock();
      try {
        await this.#connectOnce(signal);
      } catch (error) {
        if (signal.aborted) break;
        const { reason, pace, blame, cause } = judge(error);
        const nowMs = steadyClock();
        const wasGood = nowMs - beganMs > goodConnectionMs;
        // An outage of the network says nothing about the server behind it.
        failures = wasGood ? 1 : pace === 'eager' ? failures : failures + 1;
        this.#connectsFirst = pace === 'eager';
        refusedSinceMs = pace === 'rare' ? (refusedSinceMs ?? beganMs) : null;
        const hopeless = refusedSinceMs !== null && nowMs - refusedSinceMs > refusedKeyFailsAfterMs;
        log('session_ended', { streamID: replica.stream_id, role: replica.role, blame, code: reason.code, failures, cause });
        this.#report('failing', reason, hopeless || error instanceof MediaError);
        await setTimeout(backoffMs(failures, pace, random), undefined, { signal }).catch(() => {});
      }
    }
    if (this.#endsForGood) this.#report('ended', null);
    await this.#reporting;
  }

  async #connectOnce(signal: AbortSignal): Promise<void> {
    const { client, steadyClock } = this.#options;
    const plan = await this.#loadPlan();
    this.framesPerSecond = plan.media.profile.framesPerSecond;
    await runSession(
      {
        target: plan.target,
        client,
        media: plan.media,
        figures: this.figures,
        elapsedMs: plan.elapsedMs,
        connectsFirst: this.#connectsFirst,
        anchor: () => this.#anchor(),
        steadyClock,
        onEvidence: () => this.#report('live', null),
        onSlow: (through) => (through ? this.#report('failing', reasonOf(through === 'publisher' ? new TooSlow() : new DestinationError('too_slow'))) : this.#report('live', null)),
      },
      signal,
    );
  }

  /** A destination that is lost while the database is away too is connected to as before. */
  async #loadPlan(): Promise<PublishPlan> {
    const { loadPlan, steadyClock } = this.#options;
    try {
      this.#lastPlan = await loadPlan();
      return this.#lastPlan;
    } catch (error) {
      if (!this.#lastPlan || this.#anchoredAtMs === null) throw error;
      return { ...this.#lastPlan, elapsedMs: steadyClock() - this.#anchoredAtMs };
    }
  }

  async #anchor(): Promise<number> {
    const { anchor, steadyClock } = this.#options;
    try {
      const sinceMs = await anchor();
      this.#anchoredAtMs = steadyClock() - sinceMs;
      return sinceMs;
    } catch (error) {
      if (this.#anchoredAtMs === null) throw error;
      return steadyClock() - this.#anchoredAtMs;
    }
  }

  #report(state: ReplicaState, reason: StateReason | null, hopeless = false): void {
    const isIdle = this.#unreported === null;
    this.#unreported = { claim: this.claim, state, reason, hopeless, observedAtMs: this.#options.steadyClock() };
    if (isIdle) this.#reporting = this.#writeReports();
  }

  /** One at a time, the newest, until it is written: a database that is away for a while must not leave a stream in a state that is not so. */
  async #writeReports(): Promise<void> {
    const { report, log, replica } = this.#options;
    while (this.#unreported && !this.#isGivenBack) {
      const current = this.#unreported;
      try {
        const isHeld = await report(current);
        if (this.#unreported === current) this.#unreported = null;
        // Whoever lost the replica stops at once.
        if (!isHeld) {
          this.#unreported = null;
          this.#ending.abort();
        }
      } catch (error) {
        log('report_failed', { streamID: replica.stream_id, state: current.state, error: String(error) });
        await setTimeout(reportAgainMs);
      }
    }
  }
}

interface Judgement {
  readonly reason: StateReason;
  readonly blame: 'destination' | 'media' | 'ours';
  readonly pace: RetryPace;
  readonly cause?: string;
}

/** Where it is not the usual one. */
const paces: Partial<Record<DestinationErrorCode, RetryPace>> = { key_refused: 'rare', unanswered: 'eager', name_not_resolved: 'eager' };

/** Whose fault it was decides what the user reads, and whether trying again can help. */
function judge(error: unknown): Judgement {
  if (error instanceof DestinationError) {
    const pace = paces[error.code] ?? 'usual';
    return { reason: reasonOf(error), blame: 'destination', pace, ...(error.cause instanceof Error ? { cause: error.cause.message } : {}) };
  }
  if (error instanceof MediaError) return { reason: reasonOf(error), blame: 'media', pace: 'usual' };
  if (error instanceof TooSlow || error instanceof NothingReadable) return { reason: reasonOf(error), blame: 'ours', pace: 'usual' };
  const reason = { code: 'publisher_failed', detail: 'The publisher made a mistake and tries again.' };
  return { reason, blame: 'ours', pace: 'usual', cause: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

function reasonOf({ code, detail }: { code: string; detail: string }): StateReason {
  return { code, detail };
}
