// One replica, from its claim until it has to end: connects, plays, reports what happens, and tries again for as long as it may.
import { setTimeout } from 'node:timers/promises';
import type { ReplicaFigures } from '../data/figures.ts';
import type { Claim, Replica, ReplicaState } from '../data/replicas.ts';
import type { StateReason, StreamBackend } from '../data/streams.ts';
import { connectionEndsAfterMs } from '../domain/ingest-limits.ts';
import { parseRtmpURL } from '../domain/rtmp-url.ts';
import { Attempts, backoffMs } from './backoff.ts';
import { Bridge } from './bridge.ts';
import { Figures } from './figures.ts';
import { LastingPlan } from './lasting-plan.ts';
import type { LastingPlanOptions } from './lasting-plan.ts';
import { MediaError } from './media/media-error.ts';
import { TooSlow } from './paced-sender.ts';
import type { PublishPlan } from './publish-plan.ts';
import { runSession } from './publish-session.ts';
import { DestinationError } from './rtmp/destination-error.ts';
import type { RtmpClientOptions } from './rtmp/rtmp-client.ts';
import type { OpenMedia } from './stream-media.ts';
import { judge, reasonOf } from './whose-fault.ts';

export interface Report {
  readonly claim: Claim;
  readonly state: ReplicaState;
  readonly reason: StateReason | null;
  readonly hopeless: boolean;
  /** By the steady clock: it may take a while until it can be written. */
  readonly observedAtMs: number;
}

export interface ReplicaRunOptions extends LastingPlanOptions {
  readonly replica: Replica;
  readonly client: RtmpClientOptions;
  /** In place of what the platforms' walls ask for. */
  readonly connectionEndsAfterMs?: typeof connectionEndsAfterMs;
  /** Answers false when the replica is no longer this agent's. */
  readonly report: (report: Report) => Promise<boolean>;
  readonly random: () => number;
  readonly log: (event: string, fields: Record<string, unknown>) => void;
}

/** What a connection goes on with where the one before it ended because its time was over. */
interface Continuation {
  readonly plan: PublishPlan;
  readonly open: OpenMedia;
}

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
  readonly #attempts = new Attempts();
  readonly #plan: LastingPlan;
  /** Begun as soon as the connection that there is knows with which frame it ends. */
  #continuing: Promise<Continuation> | null = null;
  /** The last one; it may still be there. */
  #bridge: Bridge | null = null;
  #leavesOtherURL = false;
  /** What is to be reported; a newer observation replaces one that could not be written yet. */
  #unreported: Report | null = null;
  #reporting: Promise<void> = Promise.resolve();

  constructor(options: ReplicaRunOptions) {
    this.#options = options;
    this.#plan = new LastingPlan(options);
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

  /** Leaves the destination's other URL to a successor. Resolves when nothing of this run is there; nothing comes there any more. */
  async leaveOtherURL(): Promise<void> {
    this.#leavesOtherURL = true;
    await this.#bridge?.end();
  }

  /** What is measured of it, as of now. @param sampledAt now, by the database's clock */
  sampleFigures(sampledAt: Date): ReplicaFigures {
    const { id: replicaID, epoch } = this.claim;
    return {
      replicaID,
      epoch,
      stats: this.figures.sample(this.#options.steadyClock(), sampledAt, this.framesPerSecond),
    };
  }

  async #run(): Promise<void> {
    const { log, random, steadyClock, replica } = this.#options;
    const { signal } = this.#ending;
    let movedTo: string | null = null;
    while (!signal.aborted) {
      const beganMs = steadyClock();
      try {
        movedTo = await this.#connectOnce(movedTo, signal);
        this.#attempts.succeeded();
      } catch (error) {
        movedTo = null;
        void this.#dropContinuation();
        void this.#bridge?.end();
        if (signal.aborted) break;
        const { reason, pace, blame, cause } = judge(error);
        const { failures, isHopeless } = this.#attempts.failed(pace, beganMs, steadyClock());
        this.#connectsFirst = pace === 'eager';
        log('session_ended', {
          streamID: replica.stream_id,
          role: replica.role,
          blame,
          code: reason.code,
          failures,
          cause,
        });
        this.#report('failing', reason, isHopeless || error instanceof MediaError);
        await setTimeout(backoffMs(failures, pace, random), undefined, { signal }).catch(() => {});
      }
    }
    await Promise.all([this.#dropContinuation(), this.#bridge?.end()]);
    if (this.#endsForGood) this.#report('ended', null);
    await this.#reporting;
  }

  /** @returns where the server wants the next connection, and it alone */
  async #connectOnce(movedTo: string | null, signal: AbortSignal): Promise<string | null> {
    const { client, log, random, replica, steadyClock } = this.#options;
    const continuation = await this.#takeContinuation();
    if (signal.aborted) return continuation?.open.close().then(() => null) ?? null;
    const plan = continuation?.plan ?? (await this.#plan.load());
    this.framesPerSecond = plan.media.profile.framesPerSecond;
    const endsAtMs =
      steadyClock() +
      (this.#options.connectionEndsAfterMs ?? connectionEndsAfterMs)(
        parseRtmpURL(plan.target.rtmpURL)!.hostname,
        random(),
      );
    let [bridge, nextPlan]: [Bridge | null, PublishPlan | null] = [null, null];
    const isReady = (mayBridge: boolean) =>
      (bridge ??= this.#openBridge(mayBridge, signal, (loaded) => (nextPlan = loaded))).isSettled;
    return runSession(
      {
        target: movedTo === null ? plan.target : { ...plan.target, rtmpURL: movedTo },
        client,
        media: continuation ? { ...plan.media, open: async () => continuation.open } : plan.media,
        isPlanned: continuation !== null,
        figures: this.figures,
        elapsedMs: plan.elapsedMs,
        connectsFirst: this.#connectsFirst && continuation === null,
        anchor: async () => (continuation && this.#plan.sinceAnchorMs()) ?? this.#plan.anchor(),
        steadyClock,
        onEvidence: () => {
          this.#attempts.tookMedia(steadyClock());
          this.#report('live', null);
          this.#bridge?.leave();
        },
        // Where the server has sent or sends us may be the other URL itself.
        isOver: (isMoveDue) => (isMoveDue || steadyClock() > endsAtMs) && isReady(movedTo === null && !isMoveDue),
        onEnding: (frame) => {
          log('session_replaced', { streamID: replica.stream_id, role: replica.role, frame });
          this.#continuing = this.#continueAt(frame, nextPlan, signal);
          // Met by whoever takes it.
          this.#continuing.catch(() => {});
        },
        onSlow: (through) =>
          through
            ? this.#report(
                'failing',
                reasonOf(through === 'publisher' ? new TooSlow() : new DestinationError('too_slow')),
              )
            : this.#report('live', null),
      },
      signal,
    );
  }

  async #continueAt(frame: number, loaded: PublishPlan | null, signal: AbortSignal): Promise<Continuation> {
    const plan = loaded ?? (await this.#plan.load());
    return { plan, open: await plan.media.open(frame, signal) };
  }

  /** Reads what the next connection needs. Where the destination has a URL that nobody uses, it may have the stream there until its own connection is back. */
  #openBridge(mayBridge: boolean, signal: AbortSignal, onLoaded: (plan: PublishPlan) => void): Bridge {
    const { client, log, replica, steadyClock } = this.#options;
    this.#bridge = new Bridge(
      {
        open: async () => {
          // Before the connection ends: a database that does not answer must not come between the two.
          const [plan] = await Promise.all([this.#plan.load(), this.#plan.anchor()]);
          onLoaded(plan);
          const { freeTarget: target, media, elapsedMs } = plan;
          // Encoding everything twice could cost other streams their time.
          if (!target || !mayBridge || this.#leavesOtherURL || this.backend === 'ffmpeg') return null;
          return {
            target,
            client,
            media,
            elapsedMs,
            steadyClock,
            anchor: () => this.#plan.anchor(),
            figures: new Figures(),
            connectsFirst: false,
            isPlanned: false,
          };
        },
        onFailure: (error) => log('session_not_bridged', { streamID: replica.stream_id, error: String(error) }),
      },
      signal,
    );
    return this.#bridge;
  }

  /** Without one, and if it fails, the next connection begins at the present. */
  async #takeContinuation(): Promise<Continuation | null> {
    const continuing = this.#continuing;
    this.#continuing = null;
    try {
      return await continuing;
    } catch (error) {
      this.#options.log('session_not_continued', { streamID: this.streamID, error: String(error) });
      return null;
    }
  }

  /** For where a connection fails that was about to end: the next one begins at the present. */
  async #dropContinuation(): Promise<void> {
    const dropped = this.#continuing;
    this.#continuing = null;
    await dropped?.then(({ open }) => open.close()).catch(() => {});
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
