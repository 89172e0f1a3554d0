// One replica, from its claim to its end: it connects, publishes, reports its state, and retries after failures.
//
// States of its loop (`#publish`):
// - connecting: waits for a turn, connects, opens the media (of the replacement, else at the present). Next: sending.
// - sending: `onEvidence` reports `live`. Once its time is over, the replacement prepares the next one: connecting.
// - waiting, after any error: reports `failing`, waits for the backoff: connecting. After two minutes off the air it
//   rests (`held-share.ts`): it holds no share of the agent, and takes it back once the destination waits for media.
// - ended: by `end` (released), by `endForGood` (`ended` is reported), or by a lost claim.
import { setTimeout } from 'node:timers/promises';
import type { ReplicaFigures } from '../../data/fleet/figures.ts';
import type { StoredCost } from '../../data/fleet/replica-costs.ts';
import type { Claim, Replica } from '../../data/fleet/replicas.ts';
import { seriesOf } from '../../data/fleet/series.ts';
import type { StateReason, StreamBackend } from '../../domain/streams/stream-words.ts';
import { connectionEndsAfterMs } from '../../domain/destinations/ingest-limits.ts';
import { failsAfterMs, restingDelayMs } from '../../domain/fleet/off-air.ts';
import type { Log } from '../../log.ts';
import { MediaError } from '../media/media-error.ts';
import { DestinationError } from '../destination/destination-error.ts';
import { serverOf } from '../destination/publishing-ways.ts';
import type { PublishTarget } from '../destination/publishing-ways.ts';
import type { PublishOptions } from '../destination/publisher.ts';
import { Attempts, backoffMs } from './backoff.ts';
import { ConnectionReplacement } from './connection-replacement.ts';
import type { Continuation } from './connection-replacement.ts';
import type { ConnectionTurns } from './connection-turns.ts';
import { NoRoom, stoodStill } from './faults.ts';
import { Figures } from './figures.ts';
import { HeldShare } from './held-share.ts';
import { LastingPlan } from './lasting-plan.ts';
import type { LastingPlanOptions } from './lasting-plan.ts';
import { LatestReport } from './latest-report.ts';
import type { Report } from './latest-report.ts';
import { ObservedState } from './observed-state.ts';
import { runConnection } from './publish-connection.ts';
import type { PublishConnectionOptions } from './publish-connection.ts';
import type { PublishPlan } from './publish-plan.ts';
import type { StreamMedia } from './stream-media.ts';
import { SlowDestination } from './slow-destination.ts';
import { givenUp, judge } from './whose-fault.ts';
import type { ReplicaState } from '../../domain/fleet/replica-words.ts';
import type { HeldShareOptions } from './held-share.ts';

export interface HeldReplicaOptions extends LastingPlanOptions, HeldShareOptions {
  readonly client: PublishOptions;
  /** How long a connection lasts. Default: as long as its platform allows. */
  readonly connectionEndsAfterMs?: typeof connectionEndsAfterMs;
  /** When its agent stopped sending it and told no one, by the steady clock; null if it did not. */
  readonly silentSinceMs?: number | null;
  /** Writes a report. @returns false when the replica is no longer this agent's */
  readonly report: (report: Report) => Promise<boolean>;
  readonly turns: Pick<ConnectionTurns, 'take'>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Log;
}

/** `released`: another agent may claim the replica. `for good`: its stream or output ends, and its end is reported. */
type Ending = 'none' | 'released' | 'for good';

export class HeldReplica {
  readonly claim: Claim;
  readonly streamID: string;
  readonly series: ReturnType<typeof seriesOf>;
  readonly backend: StreamBackend;
  readonly figures = new Figures();
  /** Resolves when the connection is closed and no process of the replica is left. */
  readonly finished: Promise<void>;
  framesPerSecond = 30;
  readonly #options: HeldReplicaOptions;
  readonly #stopping = new AbortController();
  #ending: Ending = 'none';
  /** Whether to open the media, and so start an encoder, only after connecting: the destination did not answer. */
  #connectsFirst: boolean;
  readonly #attempts = new Attempts();
  readonly #share: HeldShare;
  #cost: StoredCost;
  readonly #plan: LastingPlan;
  readonly #replacement: ConnectionReplacement;
  readonly #reports: LatestReport;
  readonly #observed = new ObservedState((...state) => this.#report(...state));

  constructor(options: HeldReplicaOptions) {
    const { replica, client, steadyClock, report, log } = options;
    this.#options = options;
    this.claim = { id: replica.id, agent_id: replica.agent_id, epoch: replica.epoch };
    this.#share = new HeldShare(options);
    this.#connectsFirst = this.#share.isResting;
    this.#cost = replica;
    this.streamID = replica.stream_id;
    this.series = seriesOf(replica);
    this.backend = replica.backend;
    this.#plan = new LastingPlan(options);
    const { streamID, backend } = this;
    this.#replacement = new ConnectionReplacement({
      streamID,
      backend,
      plan: this.#plan,
      client,
      takeTurn: (plan, target, signal) => this.#takeTurn(plan, target, signal),
      steadyClock,
      log,
    });
    // An agent that lost the claim stops at once.
    const onClaimLost = () => this.#stopping.abort();
    this.#reports = new LatestReport({ streamID, write: report, onClaimLost, log });
    this.finished = this.#publish();
  }

  /** The share of the agent that it occupies: 0 after minutes off the air. */
  get share(): number {
    return this.#share.now;
  }

  /** The row of its claim. */
  get claimed(): Replica {
    return this.#options.replica;
  }

  /** The cost that the agent has room for on the air. */
  get cost(): StoredCost {
    return this.#cost;
  }

  /** Sets the cost on the air, and its share of the agent, which has room for it; or the replica rests. */
  setCost(cost: StoredCost, share: number): void {
    this.#cost = cost;
    this.#share.setTo(share);
  }

  /** Whether its encoder falls behind. */
  get isShortOfMedia(): boolean {
    return this.#observed.isShortOfMedia;
  }

  /** Ends the replica here, for another agent to claim. Unwritten reports are dropped. @returns `finished` */
  end(): Promise<void> {
    this.#ending = 'released';
    this.#reports.giveUp();
    this.#stopping.abort();
    return this.finished;
  }

  /** Ends a replica whose stream or output ends, and reports `ended` once nothing of it is left. */
  endForGood(): void {
    if (this.#ending === 'none') this.#ending = 'for good';
    this.#stopping.abort();
  }

  /** Leaves the destination's other URL to a successor, for good. Resolves when nothing is connected to it. */
  leaveOtherURL(): Promise<void> {
    return this.#replacement.leaveOtherURL();
  }

  /** The current figures of the replica. @param sampledAt now, by the database's clock */
  sampleFigures(sampledAt: Date): ReplicaFigures {
    const { id: replicaID, epoch } = this.claim;
    const sinceAnchorMs = this.#plan.sinceAnchorMs();
    const dueFrame = sinceAnchorMs === null ? null : (sinceAnchorMs * this.framesPerSecond) / 1000;
    const stats = this.figures.sample(this.#options.steadyClock(), sampledAt, this.framesPerSecond, dueFrame);
    return { replicaID, epoch, stats };
  }

  /** Publishes over one connection after the other, until the replica has to end. */
  async #publish(): Promise<void> {
    const { signal } = this.#stopping;
    const { silentSinceMs = null } = this.#options;
    // The constructor calls this, and only then its caller has the replica that it reports.
    await Promise.resolve();
    if (silentSinceMs !== null) this.#report('failing', stoodStill, { observedAtMs: silentSinceMs });
    let movedTo: string | null = null;
    while (!signal.aborted) {
      const beganMs = this.#options.steadyClock();
      try {
        movedTo = await this.#connect(movedTo, signal);
        this.#attempts.succeeded();
      } catch (error) {
        movedTo = null;
        void this.#replacement.drop();
        if (!signal.aborted) await this.#recoverFrom(error, beganMs, signal);
      }
    }
    await this.#replacement.drop();
    if (this.#ending === 'for good') this.#report('ended', null);
    await this.#reports.written();
  }

  /** Reports the failure, and waits until the next attempt. */
  async #recoverFrom(failure: unknown, beganMs: number, signal: AbortSignal): Promise<void> {
    const { log, random, steadyClock, replica } = this.#options;
    const { reason, pace, blame, cause } = judge(failure);
    const { failures, isHopeless } = this.#attempts.failed(pace, beganMs, steadyClock());
    this.#share.failed();
    const { isResting, offAirMs } = this.#share;
    this.#connectsFirst = pace === 'eager' || isResting;
    const { role } = replica;
    log('session_ended', { streamID: this.streamID, role, blame, code: reason.code, failures, cause, offAirMs });
    const isGivenUp = blame === 'destination' && offAirMs > failsAfterMs;
    const hopeless = isGivenUp || isHopeless || failure instanceof MediaError;
    const restMs = isResting ? restingDelayMs(offAirMs, random) : 0;
    const nextInMs = Math.max(restMs, backoffMs(failures, pace, random));
    const attempt = { failures, nextInMs, blame };
    this.#report('failing', isGivenUp ? givenUp(reason) : reason, { hopeless, attempt });
    if (failure instanceof NoRoom) void this.#leaveOnceReported();
    await setTimeout(nextInMs, undefined, { signal }).catch(() => {});
  }

  async #leaveOnceReported(): Promise<void> {
    await this.#reports.written();
    if (this.#ending === 'none') this.#options.room.leave();
  }

  /**
   * Publishes over one connection until its time is over. @throws the errors of `runConnection`
   * @param movedTo the URL that the last connection's server asked us to use, for this connection only; null if none
   * @returns the URL that this connection's server asks the next one to use; null if none
   */
  async #connect(movedTo: string | null, signal: AbortSignal): Promise<string | null> {
    const continuation = await this.#replacement.take();
    if (signal.aborted) {
      await continuation?.open.close();
      return null;
    }
    const plan = continuation?.plan ?? (await this.#plan.load());
    this.framesPerSecond = plan.media.profile.framesPerSecond;
    const slowness = new SlowDestination(this.#share);
    const mediaAndTarget = this.#mediaAndTarget(plan, continuation, movedTo);
    const nextURL = await runConnection(
      {
        ...mediaAndTarget,
        ...this.#endOf(plan, movedTo, signal),
        client: this.#options.client,
        takeTurn: (ending) => this.#takeTurn(plan, mediaAndTarget.target, ending),
        figures: this.figures,
        steadyClock: this.#options.steadyClock,
        onEvidence: () => this.#tookMedia(),
        onSlow: (through) => {
          slowness.setSlow(through === 'destination');
          this.#observed.slow(through);
        },
        onTaking: (isTaking) => this.#observed.takesPart(isTaking),
        onShort: (isShort) => this.#observed.short(isShort),
      },
      AbortSignal.any([signal, slowness.isUnbearable]),
    ).finally(() => {
      slowness.end();
      this.#observed.connectionEnded();
    });
    if (slowness.isUnbearable.aborted) throw new DestinationError('too_slow');
    return nextURL;
  }

  #takeTurn({ userID }: PublishPlan, target: PublishTarget, signal: AbortSignal): Promise<() => void> {
    const { isResting } = this.#share;
    const { way } = target;
    return this.#options.turns.take({ userID, host: serverOf(target).hostname, way, isResting }, signal);
  }

  #mediaAndTarget(plan: PublishPlan, continuation: Continuation | null, movedTo: string | null) {
    const target = movedTo === null ? plan.target : { ...plan.target, url: movedTo };
    const { elapsedMs } = plan;
    const fromPlan = { target, elapsedMs };
    if (!continuation) {
      const anchor = () => this.#plan.anchor();
      const open: StreamMedia['open'] = async (...from) => {
        await this.#share.takeBack();
        return plan.media.open(...from);
      };
      const media = { ...plan.media, open };
      return { ...fromPlan, anchor, media, isPlanned: false, connectsFirst: this.#connectsFirst };
    }
    // A connection that continues knows the anchor, so that no database query comes between two pictures.
    const anchor = async () => this.#plan.sinceAnchorMs() ?? this.#plan.anchor();
    const media = { ...plan.media, open: async () => continuation.open };
    return { ...fromPlan, anchor, media, isPlanned: true, connectsFirst: false };
  }

  /** Decides when the connection ends, and prepares the next one then. */
  #endOf(
    plan: PublishPlan,
    movedTo: string | null,
    signal: AbortSignal,
  ): Pick<PublishConnectionOptions, 'prepareEnd' | 'onEnding'> {
    const { log, random, replica, steadyClock } = this.#options;
    const lastsMs = this.#options.connectionEndsAfterMs ?? connectionEndsAfterMs;
    const { hostname, way } = serverOf(plan.target);
    const endsAtMs = steadyClock() + lastsMs(hostname, random(), way);
    return {
      prepareEnd: (isMoveDue) => {
        if (!isMoveDue && steadyClock() <= endsAtMs) return false;
        // The URL that the server asks for may itself be the destination's other URL.
        this.#replacement.prepare({ mayBridge: movedTo === null && !isMoveDue }, signal);
        return this.#replacement.isPrepared;
      },
      onEnding: (frame) => {
        log('session_replaced', { streamID: this.streamID, role: replica.role, frame });
        this.#replacement.continueAt(frame, signal);
      },
    };
  }

  #tookMedia(): void {
    this.#attempts.tookMedia(this.#options.steadyClock());
    this.#share.setOnAir(true);
    this.#observed.tookMedia();
    this.#replacement.connected();
  }

  #report(state: ReplicaState, reason: StateReason | null, more: Partial<Report> = {}): void {
    const observedAtMs = this.#options.steadyClock();
    const { now: share } = this.#share;
    this.#reports.write({ claim: this.claim, state, reason, share, hopeless: false, observedAtMs, ...more });
  }
}
