// Works the mirrors of one connection: one worker at a time, one step after the other, until nothing is due.
import type { LeasedConnection } from '../data/channels/connection-leases.ts';
import { inMirrorTransaction, mirrorDatabaseOn } from '../data/mirror-database.ts';
import type { MirrorDatabase } from '../data/mirror-database.ts';
import type { ManagedPlatform, PlatformRefusal } from '../ports/managed-platforms/managed-platform.ts';
import { accessTokenOf, LeaseLost } from './access-token.ts';
import { beginStep } from './begin-step.ts';
import type { BegunStep } from './begin-step.ts';
import { asRefusal, callPlatform, ownFailure } from './call-platform.ts';
import { loadMirror } from './load-mirror.ts';
import type { MirrorOptions } from './mirror-options.ts';
import { recordRefusal } from './record-refusal.ts';

/** Longer than a call with a refresh of its grant, so that no worker takes over from a live one. */
const leaseSeconds = 60;
/** The length of a connection's turn. With the last step, it is shorter than the function's timeout. */
const turnMs = 10_000;

/**
 * Takes steps until nothing is due. If the turn ends first, sends a command for the rest. Steps that are due later
 * already have a command.
 * @throws if the database fails
 */
export async function mirrorConnection(options: MirrorOptions, connectionID: string): Promise<void> {
  const data = mirrorDatabaseOn(options.pool);
  const beganMs = options.steadyClock();
  const leaseToken = options.newID('lse');
  // The loop also works what becomes due between the last step and the release.
  while (!options.signal.aborted && (await data.mirrorWork.nextDue(connectionID, options.clock())) !== null) {
    if (options.steadyClock() - beganMs >= turnMs) {
      await data.outbox.send({ queue: 'platforms', body: { connectionID } });
      return;
    }
    const lease = new Lease(options, connectionID, leaseToken);
    try {
      if (!(await lease.renew())) return;
      while (!options.signal.aborted && options.steadyClock() - beganMs < turnMs) if (!(await lease.step())) break;
    } catch (error) {
      if (error instanceof LeaseLost) return;
      throw error;
    } finally {
      await data.connectionLeases.release(connectionID, leaseToken);
    }
  }
}

interface PlannedStep extends BegunStep {
  readonly platform: ManagedPlatform;
}

/** Records how a step has ended. */
type RecordOutcome = (data: MirrorDatabase, now: Date, begun: PlannedStep) => Promise<unknown>;

/** The work of one lease. Tokens stay in memory only during it. */
class Lease {
  readonly #options: MirrorOptions;
  readonly #connectionID: string;
  readonly #leaseToken: string;
  #access: string | null = null;
  /** Whether the token was refreshed because the platform rejected the previous one. */
  #isRenewed = false;

  constructor(options: MirrorOptions, connectionID: string, leaseToken: string) {
    this.#options = options;
    this.#connectionID = connectionID;
    this.#leaseToken = leaseToken;
  }

  /** @returns false if another worker has the connection */
  renew(): Promise<boolean> {
    const now = this.#options.clock();
    const until = new Date(now.getTime() + leaseSeconds * 1000);
    return mirrorDatabaseOn(this.#options.pool).connectionLeases.lease(
      this.#connectionID,
      this.#leaseToken,
      now,
      until,
    );
  }

  /** Takes one step for the stream that has waited longest. @returns false if none waits */
  async step(): Promise<boolean> {
    const { pool, clock } = this.#options;
    const streamID = await mirrorDatabaseOn(pool).mirrorWork.nextDue(this.#connectionID, clock());
    if (streamID === null) return false;
    if (!(await this.renew())) throw new LeaseLost();
    const begun = await this.#begin(streamID);
    if (begun === null) return true;
    const record = begun.needsAccess ? await this.#takeAccess(begun) : await this.#call(begun);
    if (record !== null) await this.#finish(begun, record);
    return true;
  }

  #begin(streamID: string): Promise<PlannedStep | null> {
    return inMirrorTransaction(this.#options.pool, async (data) => {
      // Locks are always taken on the stream first, then on the connection.
      const stream = await data.streams.lockAny(streamID);
      const connection = await this.#lockConnection(data);
      const platform = this.#options.platforms[connection.platform];
      const hasBroadcasts = platform?.broadcasts !== null;
      const mirror = stream && (await loadMirror(data, { stream, connection, hasBroadcasts }, this.#options.clock()));
      if (mirror === null) return null;
      const begun = await beginStep(data, this.#options, mirror, platform, this.#access !== null);
      return begun && { ...begun, platform: platform! };
    });
  }

  async #lockConnection(data: MirrorDatabase): Promise<LeasedConnection> {
    const connection = await data.connectionLeases.lockLeased(this.#connectionID, this.#leaseToken);
    if (!connection) throw new LeaseLost();
    return connection;
  }

  async #takeAccess({ mirror, platform }: PlannedStep): Promise<RecordOutcome | null> {
    const how = { leaseToken: this.#leaseToken, force: this.#isRenewed };
    try {
      this.#access = await accessTokenOf(this.#options, platform, mirror.connection, how);
      return null;
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      return this.#refused(asRefusal(error));
    }
  }

  async #call(begun: PlannedStep): Promise<RecordOutcome> {
    const { connection } = begun.mirror;
    try {
      const record = await callPlatform(this.#options, begun.platform, this.#access!, begun);
      if (connection.state !== 'live_not_enabled') return record;
      return async (data, now) => {
        await data.connectionLeases.setState(connection.id, 'ok', null);
        await record(data, now);
      };
    } catch (error) {
      const refusal = asRefusal(error);
      if (refusal.code !== 'grant_revoked' || this.#isRenewed) return this.#refused(refusal);
      // The token may have expired early: refresh it once.
      this.#isRenewed = true;
      this.#access = null;
      return async (data) => begun.makingID !== null && data.broadcastWork.markUnmade(begun.makingID);
    }
  }

  #refused(refusal: PlatformRefusal): RecordOutcome {
    return (data, _now, begun) => {
      const { mirror, step, platform } = begun;
      const { code, reason, outcome } = refusal;
      this.#options.log('mirror_refused', {
        streamID: mirror.stream.id,
        connectionID: this.#connectionID,
        step: step.do,
        code,
        reason,
        outcome,
        // The platform did not refuse: it is our own failure.
        ...(reason === ownFailure && { error: refusal.cause }),
      });
      return recordRefusal(data, this.#options, platform, begun, refusal);
    };
  }

  /** The second transaction of a step. Writes nothing if the worker has lost the connection meanwhile. */
  #finish(begun: PlannedStep, record: RecordOutcome): Promise<void> {
    return inMirrorTransaction(this.#options.pool, async (data) => {
      const stream = await data.streams.lockAny(begun.mirror.stream.id);
      await this.#lockConnection(data);
      if (stream) await record(data, this.#options.clock(), begun);
    });
  }
}
