// Carries out imports, several at a time: claims them, holds each by a lease that it renews, and writes down how they end.
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { databaseOn, inTransaction } from '../data/database.ts';
import type { Database } from '../data/database.ts';
import type { ClaimedImport } from '../data/imports.ts';
import { endImport } from '../orchestration/end-import.ts';
import type { CommandQueue } from '../ports/command-queue/command-queue.ts';
import { createWakeUp } from '../ports/command-queue/wake-up.ts';
import type { ObjectStore } from '../ports/object-store/object-store.ts';
import { ImportError } from './import-error.ts';
import { ImportRun } from './import-run.ts';
import type { OpenSource, SourceOptions } from './open-source.ts';

export interface ImportWorkerOptions {
  readonly pool: Pool;
  readonly objects: ObjectStore;
  readonly queue: CommandQueue;
  readonly source: SourceOptions;
  /** Imports at a time. Each takes two parts of memory. */
  readonly slots: number;
  /** An import whose worker has not renewed for this long is another's. */
  readonly leaseSeconds: number;
  /** How often leases are renewed and progress is written down. */
  readonly renewEveryMs: number;
  readonly steadyClock: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: (event: string, fields: Record<string, unknown>) => void;
  /** Told whenever an import begins or ends. */
  readonly onLoad?: (importsUnderWay: number) => void;
}

export const importWorkerDefaults = { slots: 4, leaseSeconds: 20, renewEveryMs: 2000 } as const;

/** The import was deleted, or its lease is over and it may be another worker's. */
class ImportTaken extends Error {
  override readonly name = 'ImportTaken';
}

interface Held {
  readonly claim: ClaimedImport;
  readonly run: ImportRun;
  readonly ending: AbortController;
  /** By the steady clock, before the database was asked. */
  renewedAtMs: number;
}

/** Runs until the signal aborts; then gives back what it holds, for others to go on with. */
export async function runImportWorker(options: ImportWorkerOptions, signal: AbortSignal): Promise<void> {
  const { pool, objects, queue, slots, leaseSeconds, steadyClock, log } = options;
  const data = databaseOn(pool);
  const held = new Map<Held, Promise<void>>();
  const slotFreed = createWakeUp();
  signal.addEventListener('abort', slotFreed.ring, { once: true });

  const renewing = renewUntilAborted();
  await consumeWhileFree();
  const left = [...held.keys()];
  for (const { ending } of left) ending.abort(signal.reason);
  await Promise.all(held.values());
  await renewing;
  await attempt('giveBack', async () => {
    await data.imports.giveBack(left.map(({ claim }) => identityOf(claim)));
    await queue.relay();
  });

  /** A message is a wake-up: it is gone once an import was claimed, whichever waited longest. While full, none is taken from others. */
  async function consumeWhileFree(): Promise<void> {
    while (!signal.aborted) {
      if (held.size >= slots) {
        await slotFreed.wait(1000);
        continue;
      }
      const full = new AbortController();
      const claimNext = async () => {
        const renewedAtMs = steadyClock();
        const claim = await data.imports.claim(leaseSeconds, options.source.limits.totalSeconds);
        if (claim) begin(claim, renewedAtMs);
        if (held.size >= slots) full.abort();
        return { batchItemFailures: [] };
      };
      await queue.consume('imports', claimNext, { signal: AbortSignal.any([signal, full.signal]), batchSize: 1 });
    }
  }

  function begin(claim: ClaimedImport, renewedAtMs: number): void {
    log('import_claimed', { uploadID: claim.upload_id, epoch: claim.epoch });
    const ending = new AbortController();
    const noteBegin = async (multipartID: string, source: OpenSource) => {
      if (await inTransaction(pool, (tx) => beginImport(tx, claim, multipartID, source))) return;
      ending.abort(new ImportTaken());
      ending.signal.throwIfAborted();
    };
    const run = new ImportRun({ ...options, claim, begin: noteBegin });
    const mine: Held = { claim, run, ending, renewedAtMs };
    const finished = attempt('import', () => carryOut(mine)).finally(() => {
      held.delete(mine);
      slotFreed.ring();
      options.onLoad?.(held.size);
    });
    held.set(mine, finished);
    options.onLoad?.(held.size);
  }

  async function carryOut({ claim, run, ending }: Held): Promise<void> {
    const { upload_id: uploadID } = claim;
    const end = (bytesReceived: number, failure: ImportError | null) =>
      inTransaction(pool, (tx) =>
        endImport(tx, claim, { bytesReceived, failure: failure && { code: failure.code, detail: failure.detail } }),
      );
    try {
      const sizeBytes = await run.fetch(ending.signal);
      if (!(await end(sizeBytes, null))) throw new ImportTaken();
      log('import_completed', { uploadID, sizeBytes });
    } catch (error) {
      if (error instanceof ImportTaken) return cleanUpAfter(claim, run);
      if (!(error instanceof ImportError)) throw error;
      if (!(await end(run.bytesReceived, error))) return cleanUpAfter(claim, run);
      log('import_failed', { uploadID, code: error.code, cause: error.cause });
      await run.abandon();
    }
    await queue.relay();
  }

  /** Others go on with what they have taken; of an upload that was deleted nothing stays. */
  async function cleanUpAfter(
    { upload_id: uploadID, object_key: objectKey }: ClaimedImport,
    run: ImportRun,
  ): Promise<void> {
    const isDeleted = (await data.uploads.findAny(uploadID)) === null;
    log('import_taken', { uploadID, isDeleted });
    if (!isDeleted) return;
    await run.abandon();
    await objects.delete(objectKey);
  }

  async function renewUntilAborted(): Promise<void> {
    while (!signal.aborted) {
      await attempt('renew', renew);
      // It cannot be known whether they are still held.
      for (const { ending, renewedAtMs } of held.keys())
        if (steadyClock() - renewedAtMs >= leaseSeconds * 1000) ending.abort(new ImportTaken());
      await delay(options.renewEveryMs, undefined, { signal }).catch(() => {});
    }
  }

  async function renew(): Promise<void> {
    const mine = [...held.keys()];
    const renewedAtMs = steadyClock();
    const figures = mine.map(({ claim, run }) => ({ ...identityOf(claim), bytesReceived: run.bytesReceived }));
    const renewed = mine.length === 0 ? [] : await data.imports.renew(figures, leaseSeconds);
    for (const one of mine) {
      if (renewed.some(({ uploadID, epoch }) => uploadID === one.claim.upload_id && epoch === one.claim.epoch))
        one.renewedAtMs = renewedAtMs;
      else one.ending.abort(new ImportTaken());
    }
    await data.imports.freeExpired();
    await queue.relay();
  }

  /** What fails now, as when the database does not answer, is done again: by the next renewal, or once the lease is over. */
  async function attempt(work: string, task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      if (!signal.aborted) log('import_worker_hindered', { work, error });
    }
  }
}

/** @returns false, with nothing changed, when the import is no longer this worker's */
async function beginImport(
  data: Database,
  claim: ClaimedImport,
  multipartID: string,
  { version, name, mimeType, type }: OpenSource,
): Promise<boolean> {
  const upload = await data.uploads.lock(claim.user_id, claim.upload_id);
  if (!upload || !(await data.imports.beginParts(identityOf(claim), multipartID, version))) return false;
  await data.uploads.describe(upload.id, {
    name: claim.named ? null : name,
    mimeType,
    type,
    sizeBytes: version.sizeBytes,
  });
  return true;
}

function identityOf({ upload_id: uploadID, epoch }: ClaimedImport) {
  return { uploadID, epoch };
}
