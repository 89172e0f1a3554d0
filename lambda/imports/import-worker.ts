// Carries out imports, several at a time: claims them, renews their leases, and records their results.
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { databaseOn, inTransaction } from '../data/database.ts';
import type { Database } from '../data/database.ts';
import type { ClaimedImport } from '../data/sources/imports.ts';
import { importLanes, recordingLane } from '../domain/fleet/lanes.ts';
import type { Lanes } from '../domain/fleet/lanes.ts';
import { isRecordingSource } from '../domain/live/recording.ts';
import { wordsOf } from '../domain/shared/limits.ts';
import { endImport } from '../orchestration/sources/end-import.ts';
import { limitReached } from '../orchestration/shared/limits.ts';
import type { CommandQueue } from '../ports/command-queue/command-queue.ts';
import { BusyLanes } from '../ports/command-queue/busy-lanes.ts';
import type { RoleSessions } from '../ports/role-sessions/role-sessions.ts';
import type { Sealer } from '../ports/sealer/sealer.ts';
import { ImportError } from './import-error.ts';
import { ImportRun } from './import-run.ts';
import type { OpenSource } from './open-source.ts';
import { openRecording } from './recording-source.ts';
import { linkOf } from './sources/source-access.ts';
import type { ImportRunOptions } from './import-run.ts';

export interface ImportWorkerOptions extends Pick<
  ImportRunOptions,
  'objects' | 'source' | 'steadyClock' | 'random' | 'log'
> {
  readonly pool: Pool;
  readonly queue: CommandQueue;
  /** Opens the credentials of watched sources. */
  readonly sourceSealer: Sealer;
  /** Null if roles cannot be assumed. */
  readonly roles: RoleSessions | null;
  /** Multiplies every limit of domain/shared/limits.ts. */
  readonly limitFactor: number;
  /** Most imports at a time, beside a recording in a lane of its own. */
  readonly lanes: Lanes;
  /** Another worker may claim an import whose lease was not renewed for this long. */
  readonly leaseSeconds: number;
  /** How often leases are renewed and progress is recorded. */
  readonly renewEveryMs: number;
  /** Called whenever an import begins or ends. */
  readonly onLoad?: (importsUnderWay: number) => void;
}

export const importWorkerDefaults = { lanes: importLanes, leaseSeconds: 20, renewEveryMs: 2000 } as const;

/** The import was deleted, or its lease is over, so that another worker may have it. */
class ImportTaken extends Error {
  override readonly name = 'ImportTaken';
}

/** The turn of the import is over: another user waits who has fewer imports under way. */
class TurnOver extends Error {
  override readonly name = 'TurnOver';
}

/** Users who are remembered as served. */
const mostServed = 1000;

/** An import that this worker has claimed. */
interface HeldImport {
  readonly claim: ClaimedImport;
  readonly run: ImportRun;
  readonly ending: AbortController;
  /** The time of the claim by the steady clock. */
  readonly beganAtMs: number;
  /** The time of the last renewal by the steady clock, read before the query. */
  renewedAtMs: number;
}

/** Runs until the signal aborts; then releases its imports, for other workers to continue. */
export async function runImportWorker(options: ImportWorkerOptions, signal: AbortSignal): Promise<void> {
  await new ImportWorker(options, signal).run();
}

class ImportWorker {
  readonly #options: ImportWorkerOptions;
  readonly #signal: AbortSignal;
  readonly #data: Database;
  /** The imports under way, each in a lane. */
  readonly #held = new Set<HeldImport>();
  readonly #lanes: BusyLanes;
  readonly #recordingLane = new BusyLanes(recordingLane);
  /** Users of imports that were claimed here, the last one at the end. */
  readonly #served = new Set<string>();
  #claiming: Promise<void> = Promise.resolve();
  #owesClaim = false;

  constructor(options: ImportWorkerOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#data = databaseOn(options.pool);
    this.#lanes = new BusyLanes(options.lanes);
    this.#lanes.onFreed(() => {
      this.#owesClaim = true;
      void this.#attempt('claim', () => this.#claimAfterEnd());
    });
    this.#recordingLane.onFreed(() => void this.#attempt('claim', () => this.#claimRecording()));
  }

  async run(): Promise<void> {
    const renewing = this.#renewUntilAborted();
    await this.#consume();
    await this.#claiming.catch(() => {});
    const left = [...this.#held];
    for (const { ending } of left) ending.abort(this.#signal.reason);
    await Promise.all([this.#lanes.untilIdle(), this.#recordingLane.untilIdle()]);
    await renewing;
    await this.#attempt('giveBack', async () => {
      await this.#data.imports.release(left.map(({ claim }) => identityOf(claim)));
      await this.#options.queue.relay();
    });
  }

  /**
   * Takes messages while there are free lanes, so that a full worker takes none from others. A message only wakes the
   * worker up, which then claims the import whose turn it is, not the one that the message names. Decision D37.
   */
  #consume(): Promise<void> {
    const claimNext = async () => {
      await this.#claim();
      return { batchItemFailures: [] };
    };
    return this.#options.queue.consume('imports', claimNext, { signal: this.#signal, room: this.#lanes });
  }

  /** Claims a recording for its lane, and an import for any other free lane. */
  #claim(): Promise<void> {
    return this.#inOrder(async () => {
      await this.#claimFor(this.#recordingLane);
      await this.#claimFor(this.#lanes);
    });
  }

  #claimRecording(): Promise<void> {
    return this.#inOrder(() => this.#claimFor(this.#recordingLane));
  }

  /** Claims run one after the other, so that they never exceed the lanes. */
  #inOrder(claim: () => Promise<void>): Promise<void> {
    return (this.#claiming = this.#claiming.then(claim, claim));
  }

  async #claimFor(lanes: BusyLanes): Promise<void> {
    const { steadyClock, leaseSeconds, source } = this.#options;
    if (this.#signal.aborted || lanes.isFull) return;
    const beganAtMs = steadyClock();
    const claimed = await this.#data.imports.claim(leaseSeconds, source.limits.totalSeconds, {
      leftOut: lanes.leftOut(),
      served: [...this.#served],
      recordingsOnly: lanes === this.#recordingLane,
    });
    if (claimed) this.#begin(claimed, lanes, beganAtMs);
  }

  /**
   * Claims one more import after one has ended. The message of an import may be lost: a worker that receives it cannot
   * take the import if the user already has the most allowed there.
   */
  async #claimAfterEnd(): Promise<void> {
    if (!this.#owesClaim) return;
    await this.#claim();
    this.#owesClaim = false;
  }

  #begin(claim: ClaimedImport, lanes: BusyLanes, beganAtMs: number): void {
    const { pool, sourceSealer: sealer, roles, source: sourceOptions, limitFactor, onLoad, log } = this.#options;
    const unannounced = sourceOptions.limits.maxBytesUnannounced;
    log('import_claimed', { uploadID: claim.upload_id, epoch: claim.epoch });
    const ending = new AbortController();
    const begin = async (multipartID: string, source: OpenSource) => {
      const expectedBytes = source.version.sizeBytes ?? source.mostBytes ?? unannounced;
      const work = { claim, multipartID, source, expectedBytes, limitFactor };
      if (await inTransaction(pool, (tx) => beginImport(tx, work))) return;
      ending.abort(new ImportTaken());
      ending.signal.throwIfAborted();
    };
    const link = () => linkOf({ data: this.#data, sealer, roles }, claim, ending.signal);
    const recorded = async () =>
      openRecording(this.#options.objects, await this.#data.liveRecordings.ofUpload(claim.upload_id));
    const open = isRecordingSource(claim.url) ? recorded : null;
    const run = new ImportRun({ ...this.#options, claim, begin, link, open });
    const held: HeldImport = { claim, run, ending, beganAtMs, renewedAtMs: beganAtMs };
    this.#held.add(held);
    this.#noteServed(claim.user_id);
    onLoad?.(this.#held.size);
    const work = async () => {
      await this.#attempt('import', () => this.#carryOut(held));
      this.#held.delete(held);
      onLoad?.(this.#held.size);
    };
    lanes.begin({ userID: claim.user_id, isUnfunded: claim.is_unfunded }, work, claim.waited_ms);
  }

  #noteServed(userID: string): void {
    this.#served.delete(userID);
    this.#served.add(userID);
    if (this.#served.size > mostServed) this.#served.delete(this.#served.values().next().value!);
  }

  async #carryOut({ claim, run, ending }: HeldImport): Promise<void> {
    const { pool, queue, limitFactor, log } = this.#options;
    const { upload_id: uploadID } = claim;
    const end = (bytesReceived: number, failure: ImportError | null) => {
      const shown = failure && { code: failure.code, detail: failure.detail };
      return inTransaction(pool, (tx) => endImport(tx, claim, { bytesReceived, failure: shown }, limitFactor));
    };
    try {
      const sizeBytes = await run.fetch(ending.signal);
      if (!(await end(sizeBytes, null))) throw new ImportTaken();
      log('import_completed', { uploadID, sizeBytes });
    } catch (error) {
      if (error instanceof ImportTaken) return this.#cleanUpAfter(claim, run);
      if (error instanceof TurnOver) return this.#release(claim);
      if (!(error instanceof ImportError)) throw error;
      if (!(await end(run.bytesReceived, error))) return this.#cleanUpAfter(claim, run);
      log('import_failed', { uploadID, code: error.code, cause: error.cause });
      await run.abandon();
    }
    await queue.relay();
  }

  /** Releases an import whose turn is over. Its user's next turn comes after those of all others. */
  async #release(claim: ClaimedImport): Promise<void> {
    await this.#data.imports.release([identityOf(claim)], { withAllTime: true });
    this.#options.log('import_turn_over', { uploadID: claim.upload_id });
    this.#noteServed(claim.user_id);
    await this.#options.queue.relay();
  }

  /** Deletes the stored parts of a deleted upload. If another worker has the import now, its parts are kept. */
  async #cleanUpAfter({ upload_id: uploadID, object_key: objectKey }: ClaimedImport, run: ImportRun): Promise<void> {
    const isDeleted = (await this.#data.uploads.findAny(uploadID)) === null;
    this.#options.log('import_taken', { uploadID, isDeleted });
    if (!isDeleted) return;
    await run.abandon();
    await this.#options.objects.delete(objectKey);
  }

  async #renewUntilAborted(): Promise<void> {
    const { steadyClock, leaseSeconds, renewEveryMs } = this.#options;
    while (!this.#signal.aborted) {
      await this.#attempt('renew', () => this.#renew());
      // If the lease was not renewed in time, another worker may have the import by now.
      for (const { ending, renewedAtMs } of this.#held)
        if (steadyClock() - renewedAtMs >= leaseSeconds * 1000) ending.abort(new ImportTaken());
      await delay(renewEveryMs, undefined, { signal: this.#signal }).catch(() => {});
    }
  }

  async #renew(): Promise<void> {
    const { steadyClock, leaseSeconds, queue } = this.#options;
    const asked = [...this.#held];
    const renewedAtMs = steadyClock();
    const figures = asked.map(({ claim, run }) => ({ ...identityOf(claim), bytesReceived: run.bytesReceived }));
    const renewed = asked.length === 0 ? [] : await this.#data.imports.renew(figures, leaseSeconds);
    for (const held of asked) {
      const { upload_id: uploadID, epoch } = held.claim;
      const isRenewed = renewed.some((one) => one.uploadID === uploadID && one.epoch === epoch);
      if (isRenewed) held.renewedAtMs = renewedAtMs;
      else held.ending.abort(new ImportTaken());
    }
    await this.#data.imports.freeExpired();
    await queue.relay();
    await this.#claimAfterEnd();
    // A worker whose other lanes are taken receives no command, and recordings cannot wait.
    await this.#claimRecording();
    await this.#endTurn();
  }

  /** Ends the turn of an import if another user with fewer imports under way waits for a lane of this worker. */
  async #endTurn(): Promise<void> {
    const held = [...this.#held];
    const { isFull } = this.#lanes;
    const leftOut = this.#lanes.leftOut();
    // One after the other: each end frees a lane.
    if ((!isFull && !leftOut.unfunded) || held.some(({ ending }) => ending.signal.aborted)) return;
    const over = held.filter((each) => this.#isTurnOver(each)).map(({ claim }) => identityOf(claim));
    if (over.length === 0) return;
    const uploadID = await this.#data.imports.nextToRelease(over, leftOut, isFull);
    held.find(({ claim }) => claim.upload_id === uploadID)?.ending.abort(new TurnOver());
  }

  #isTurnOver({ claim, run, beganAtMs }: HeldImport): boolean {
    const { steadyClock, source } = this.#options;
    if (isRecordingSource(claim.url)) return false;
    // A user who has paid may need hours for a file that cannot be resumed.
    if (!run.isResumable && !claim.is_unfunded) return false;
    const { turnSeconds, longTurnSeconds } = source.limits;
    const seconds = run.isResumable && run.hasGained ? turnSeconds : longTurnSeconds;
    return steadyClock() - beganAtMs >= seconds * 1000;
  }

  /**
   * Does a task and logs its failure. A failed task, as when the database does not answer, is retried by the next
   * renewal, or by the worker that claims the import after its lease is over.
   */
  async #attempt(work: string, task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      if (!this.#signal.aborted) this.#options.log('import_worker_hindered', { work, error });
    }
  }
}

interface BegunImport {
  readonly claim: ClaimedImport;
  readonly multipartID: string;
  readonly source: OpenSource;
  /** The size of the file, or the most that is allowed if the source does not announce it. */
  readonly expectedBytes: number;
  readonly limitFactor: number;
}

/**
 * Records the beginning of an import.
 * @returns false, with nothing changed, when the import is no longer this worker's
 * @throws {ImportError} limit_reached if the file would exceed the user's limit
 */
async function beginImport(
  data: Database,
  { claim, multipartID, source, expectedBytes, limitFactor }: BegunImport,
): Promise<boolean> {
  const { version, name, mimeType, type } = source;
  const upload = await data.uploads.lock(claim.user_id, claim.upload_id);
  if (!upload || !(await data.imports.beginParts(identityOf(claim), multipartID, version))) return false;
  const more = { storedBytes: expectedBytes, incomingBytes: expectedBytes - upload.expected_bytes };
  const reached = await limitReached(data, claim.user_id, limitFactor, more);
  if (reached) throw new ImportError('limit_reached', { seen: wordsOf(reached) });
  await data.uploads.describe(upload.id, {
    name,
    mimeType,
    type,
    sizeBytes: version.sizeBytes,
    expectedBytes,
  });
  return true;
}

function identityOf({ upload_id: uploadID, epoch }: ClaimedImport) {
  return { uploadID, epoch };
}
