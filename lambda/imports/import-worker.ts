// Carries out imports, several at a time: claims them, renews their leases, and writes down how they end.
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Log } from '../log.ts';
import { databaseOn, inTransaction } from '../data/database.ts';
import type { Database } from '../data/database.ts';
import type { ClaimedImport } from '../data/sources/imports.ts';
import { importLanes } from '../domain/fleet/lanes.ts';
import type { Lanes } from '../domain/fleet/lanes.ts';
import { wordsOf } from '../domain/shared/limits.ts';
import { endImport } from '../orchestration/sources/end-import.ts';
import { limitReached } from '../orchestration/shared/limits.ts';
import type { CommandQueue } from '../ports/command-queue/command-queue.ts';
import { BusyLanes } from '../ports/command-queue/busy-lanes.ts';
import type { ObjectStore } from '../ports/object-store/object-store.ts';
import type { RoleSessions } from '../ports/role-sessions/role-sessions.ts';
import type { Sealer } from '../ports/sealer/sealer.ts';
import { ImportError } from './import-error.ts';
import { ImportRun } from './import-run.ts';
import type { OpenSource, SourceOptions } from './open-source.ts';
import { linkOf } from './sources/source-access.ts';

export interface ImportWorkerOptions {
  readonly pool: Pool;
  readonly objects: ObjectStore;
  readonly queue: CommandQueue;
  readonly source: SourceOptions;
  /** Of the credentials of watched sources. */
  readonly sourceSealer: Sealer;
  /** Null where roles cannot be taken on. */
  readonly roles: RoleSessions | null;
  /** Multiplies every limit of domain/shared/limits.ts. */
  readonly limitFactor: number;
  /** How many imports are carried out at a time, and how many of one user. */
  readonly lanes: Lanes;
  /** When its worker has not renewed it for this long, an import may be claimed by another. */
  readonly leaseSeconds: number;
  /** How often leases are renewed and progress is written down. */
  readonly renewEveryMs: number;
  readonly steadyClock: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  /** Called whenever an import begins or ends. */
  readonly onLoad?: (importsUnderWay: number) => void;
}

export const importWorkerDefaults = { lanes: importLanes, leaseSeconds: 20, renewEveryMs: 2000 } as const;

/** The import was deleted, or its lease is over, so that it may be another worker's. */
class ImportTaken extends Error {
  override readonly name = 'ImportTaken';
}

/** An import that this worker has claimed. */
interface HeldImport {
  readonly claim: ClaimedImport;
  readonly run: ImportRun;
  readonly ending: AbortController;
  /** When its lease was renewed, by the steady clock as it was before the database was asked. */
  renewedAtMs: number;
}

/** Runs until the signal aborts; then gives back what it holds, for others to go on with. */
export async function runImportWorker(options: ImportWorkerOptions, signal: AbortSignal): Promise<void> {
  await new ImportWorker(options, signal).run();
}

class ImportWorker {
  readonly #options: ImportWorkerOptions;
  readonly #signal: AbortSignal;
  readonly #data: Database;
  /** The imports under way, each of which has a lane. */
  readonly #held = new Set<HeldImport>();
  readonly #lanes: BusyLanes;
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
  }

  async run(): Promise<void> {
    const renewing = this.#renewUntilAborted();
    await this.#consume();
    await this.#claiming.catch(() => {});
    const left = [...this.#held];
    for (const { ending } of left) ending.abort(this.#signal.reason);
    await this.#lanes.settled();
    await renewing;
    await this.#attempt('giveBack', async () => {
      await this.#data.imports.giveBack(left.map(({ claim }) => identityOf(claim)));
      await this.#options.queue.relay();
    });
  }

  /**
   * Takes messages while there are free lanes, so that a full worker takes none from others. A message only wakes the
   * worker up: it is gone once an import was claimed, which is the one whose turn it is, whatever it names.
   */
  #consume(): Promise<void> {
    const claimNext = async () => {
      await this.#claim();
      return { batchItemFailures: [] };
    };
    return this.#options.queue.consume('imports', claimNext, { signal: this.#signal, room: this.#lanes });
  }

  /** Claims an import if there is a lane for it. One claim waits for the other, so that none takes a lane too many. */
  #claim(): Promise<void> {
    const claim = async () => {
      const { steadyClock, leaseSeconds, source } = this.#options;
      if (this.#signal.aborted || this.#lanes.isFull) return;
      const renewedAtMs = steadyClock();
      const leaving = this.#lanes.usersAtBound();
      const claimed = await this.#data.imports.claim(leaseSeconds, source.limits.totalSeconds, leaving);
      if (claimed) this.#begin(claimed, renewedAtMs);
    };
    return (this.#claiming = this.#claiming.then(claim, claim));
  }

  /**
   * Claims one more for each import that has ended. The message of an import is gone when it came to a worker that
   * could not take it, since its user had as many there as they may.
   */
  async #claimAfterEnd(): Promise<void> {
    if (!this.#owesClaim) return;
    await this.#claim();
    this.#owesClaim = false;
  }

  #begin(claim: ClaimedImport, renewedAtMs: number): void {
    const { pool, sourceSealer: sealer, roles, source: sourceOptions, limitFactor, onLoad, log } = this.#options;
    const unannounced = sourceOptions.limits.maxBytesUnannounced;
    log('import_claimed', { uploadID: claim.upload_id, epoch: claim.epoch });
    const ending = new AbortController();
    const begin = async (multipartID: string, source: OpenSource) => {
      const expectedBytes = source.version.sizeBytes ?? unannounced;
      const work = { claim, multipartID, source, expectedBytes, limitFactor };
      if (await inTransaction(pool, (tx) => beginImport(tx, work))) return;
      ending.abort(new ImportTaken());
      ending.signal.throwIfAborted();
    };
    const link = () => linkOf({ data: this.#data, sealer, roles }, claim, ending.signal);
    const run = new ImportRun({ ...this.#options, claim, begin, link });
    const held: HeldImport = { claim, run, ending, renewedAtMs };
    this.#held.add(held);
    onLoad?.(this.#held.size);
    const work = async () => {
      await this.#attempt('import', () => this.#carryOut(held));
      this.#held.delete(held);
      onLoad?.(this.#held.size);
    };
    this.#lanes.begin(claim.user_id, work, claim.waited_ms);
  }

  async #carryOut({ claim, run, ending }: HeldImport): Promise<void> {
    const { pool, queue, limitFactor, log } = this.#options;
    const { upload_id: uploadID } = claim;
    const end = (bytesReceived: number, failure: ImportError | null) => {
      const told = failure && { code: failure.code, detail: failure.detail };
      return inTransaction(pool, (tx) => endImport(tx, claim, { bytesReceived, failure: told }, limitFactor));
    };
    try {
      const sizeBytes = await run.fetch(ending.signal);
      if (!(await end(sizeBytes, null))) throw new ImportTaken();
      log('import_completed', { uploadID, sizeBytes });
    } catch (error) {
      if (error instanceof ImportTaken) return this.#cleanUpAfter(claim, run);
      if (!(error instanceof ImportError)) throw error;
      if (!(await end(run.bytesReceived, error))) return this.#cleanUpAfter(claim, run);
      log('import_failed', { uploadID, code: error.code, cause: error.cause });
      await run.abandon();
    }
    await queue.relay();
  }

  /**
   * Deletes what is stored of an upload that was deleted. Of an import that another worker has now, everything stays.
   */
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
      // Where the lease was not renewed in time, the import may be another worker's by now.
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
  }

  /**
   * Does a task and writes its failure to the log. A task that fails, as when the database does not answer, is done
   * again: by the next renewal, or by the worker that claims the import once its lease is over.
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
  /** How many bytes come, or may come where the source does not say it. */
  readonly expectedBytes: number;
  readonly limitFactor: number;
}

/**
 * Writes down the beginning of an import.
 * @returns false, with nothing changed, when the import is no longer this worker's
 * @throws {ImportError} limit_reached where its user may not have so many bytes
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
