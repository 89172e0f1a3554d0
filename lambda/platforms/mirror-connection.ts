// Works the mirrors of one connection: by one worker at a time, one step after the other, until nothing is due.
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
import { noteRefusal } from './note-refusal.ts';

/** Longer than a call may take with the refresh of its grant, so that nobody takes over from a worker that lives. */
const leaseSeconds = 60;
/** A connection gives way to others after this; with the step that was begun last it is less than the function has. */
const turnMs = 10_000;

/**
 * Takes steps until nothing is due. If the time is over before, a command is sent for what is left. What is due later
 * has a command already.
 * @throws where the database fails
 */
export async function mirrorConnection(options: MirrorOptions, connectionID: string): Promise<void> {
  const data = mirrorDatabaseOn(options.pool);
  const beganMs = options.steadyClock();
  const leaseToken = options.newID('lse');
  // What became due between the last look and the release is worked, too.
  while (!options.signal.aborted && (await data.mirrorWork.nextDue(connectionID, options.clock())) !== null) {
    if (options.steadyClock() - beganMs >= turnMs) {
      await data.outbox.send({ queue: 'platforms', body: { connectionID } });
      return;
    }
    const turn = new Turn(options, connectionID, leaseToken);
    try {
      if (!(await turn.renew())) return;
      while (!options.signal.aborted && options.steadyClock() - beganMs < turnMs) if (!(await turn.step())) break;
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

/** Writes down how a step has ended. */
type Note = (data: MirrorDatabase, now: Date, begun: PlannedStep) => Promise<unknown>;

/** The work of one lease. Tokens stay in memory for as long as it. */
class Turn {
  readonly #options: MirrorOptions;
  readonly #connectionID: string;
  readonly #leaseToken: string;
  #access: string | null = null;
  /** Whether the token was made anew because the platform did not take the one before. */
  #isRenewed = false;

  constructor(options: MirrorOptions, connectionID: string, leaseToken: string) {
    this.#options = options;
    this.#connectionID = connectionID;
    this.#leaseToken = leaseToken;
  }

  /** @returns false where another worker has the connection */
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

  /** Takes one step for the stream that has waited for longest. @returns false where none waits */
  async step(): Promise<boolean> {
    const { pool, clock } = this.#options;
    const streamID = await mirrorDatabaseOn(pool).mirrorWork.nextDue(this.#connectionID, clock());
    if (streamID === null) return false;
    if (!(await this.renew())) throw new LeaseLost();
    const begun = await this.#begin(streamID);
    if (begun === null) return true;
    const settled = begun.needsAccess ? await this.#takeAccess(begun) : await this.#call(begun);
    if (settled !== null) await this.#settle(begun, settled);
    return true;
  }

  #begin(streamID: string): Promise<PlannedStep | null> {
    return inMirrorTransaction(this.#options.pool, async (data) => {
      // The stream before the connection, as everybody locks them.
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

  async #takeAccess({ mirror, platform }: PlannedStep): Promise<Note | null> {
    const how = { leaseToken: this.#leaseToken, force: this.#isRenewed };
    try {
      this.#access = await accessTokenOf(this.#options, platform, mirror.connection, how);
      return null;
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      return this.#refused(asRefusal(error));
    }
  }

  async #call(begun: PlannedStep): Promise<Note> {
    const { connection } = begun.mirror;
    try {
      const note = await callPlatform(this.#options, begun.platform, this.#access!, begun);
      if (connection.state !== 'live_not_enabled') return note;
      return async (data, now) => {
        await data.connectionLeases.setState(connection.id, 'ok', null);
        await note(data, now);
      };
    } catch (error) {
      const refusal = asRefusal(error);
      if (refusal.code !== 'grant_revoked' || this.#isRenewed) return this.#refused(refusal);
      // The token may have ended before its time.
      this.#isRenewed = true;
      this.#access = null;
      return async (data) => begun.makingID !== null && data.broadcastWork.markUnmade(begun.makingID);
    }
  }

  #refused(refusal: PlatformRefusal): Note {
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
        // What is no refusal of the platform is our own failure.
        ...(reason === ownFailure && { error: refusal.cause }),
      });
      return noteRefusal(data, this.#options, platform, begun, refusal);
    };
  }

  /** The second transaction of a step. Nothing is written where the worker has lost the connection meanwhile. */
  #settle(begun: PlannedStep, note: Note): Promise<void> {
    return inMirrorTransaction(this.#options.pool, async (data) => {
      const stream = await data.streams.lockAny(begun.mirror.stream.id);
      await this.#lockConnection(data);
      if (stream) await note(data, this.#options.clock(), begun);
    });
  }
}
