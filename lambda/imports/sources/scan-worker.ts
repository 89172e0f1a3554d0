// Scans watched sources that are due, a few at a time, in parallel with the imports of this process.
import { setTimeout as delay } from 'node:timers/promises';
import { databaseOn } from '../../data/database.ts';
import type { ClaimedSource, ScanOutcome } from '../../data/sources/sources.ts';
import { leftOut, scanLanes } from '../../domain/fleet/lanes.ts';
import { afterFailedScan, nextScanMinutes, scanBounds } from '../../domain/sources/source-scan.ts';
import { s3Place } from '../../domain/sources/source-url.ts';
import { applyScan, SourceTaken } from '../../orchestration/sources/apply-scan.ts';
import { listOnThread } from './listing-thread.ts';
import type { ListedSource, Listing, ListingReach } from './listing-thread.ts';
import { asScanError, ScanError } from './scan-error.ts';
import { openCredentials } from './source-access.ts';
import { assertExternalIDRequired, keysOf } from './source-keys.ts';
import type { ImportWorkerOptions } from '../import-worker.ts';

type SharedOptions = 'pool' | 'queue' | 'sourceSealer' | 'roles' | 'limitFactor' | 'steadyClock' | 'log';

export interface ScanWorkerOptions extends Pick<ImportWorkerOptions, SharedOptions> {
  readonly source: ListingReach;
  /** How often the worker checks whether a source is due. */
  readonly pollMs: number;
  readonly newID: (prefix: string) => string;
  readonly clock: () => Date;
}

/** Longer than a scan may take, including its changes. */
const leaseSeconds = 300;
export const pollMs = 2000;
const minuteMs = 60_000;

/** Runs until the signal aborts; then releases the sources under scan. */
export async function runScanWorker(options: ScanWorkerOptions, signal: AbortSignal): Promise<void> {
  const { sources } = databaseOn(options.pool);
  const hinder = (error: unknown) => options.log('scan_worker_hindered', { error });
  let claiming: Promise<ClaimedSource | null | void> = Promise.resolve();
  const underWay = new Set<ClaimedSource>();
  const claimNext = async () => {
    const owners = Array.from(underWay, (source) => ({ userID: source.user_id, isUnfunded: source.is_unfunded }));
    const source = await sources.claim(leaseSeconds, leftOut(owners, scanLanes));
    if (source) underWay.add(source);
    return source;
  };
  // One after the other, as simultaneous claims would not see which user the other one chooses.
  const claim = () => (claiming = claiming.then(claimNext).catch(hinder));
  const runLane = async () => {
    while (!signal.aborted) {
      const source = await claim();
      if (!source) await delay(options.pollMs, undefined, { signal }).catch(() => {});
      else
        await scan(options, source, signal)
          .catch(hinder)
          .finally(() => underWay.delete(source));
    }
  };
  await Promise.all(Array.from({ length: scanLanes.count }, runLane));
}

async function scan(options: ScanWorkerOptions, source: ClaimedSource, signal: AbortSignal): Promise<void> {
  const { pool, queue, steadyClock, log } = options;
  const { sources } = databaseOn(pool);
  const beganMs = steadyClock();
  let outcome: ScanOutcome;
  try {
    outcome = await outcomeOf(options, source, signal);
  } catch (error) {
    if (error instanceof SourceTaken) return;
    if (signal.aborted) return void (await sources.release(source));
    const failure = asScanError(error);
    log('source_not_listed', { sourceID: source.id, code: failure.code, cause: failure.cause });
    outcome = failedScan(source, failure);
  }
  const tookMinutes = (steadyClock() - beganMs) / minuteMs;
  await sources.endScan(source, { ...outcome, nextScanMinutes: outcome.nextScanMinutes - tookMinutes });
  await queue.relay();
}

async function outcomeOf(options: ScanWorkerOptions, source: ClaimedSource, signal: AbortSignal): Promise<ScanOutcome> {
  const tooLate = AbortSignal.timeout(scanBounds.listingMs);
  const listing = await list(options, source, AbortSignal.any([signal, tooLate])).catch((error: unknown) =>
    Promise.reject(tooLate.aborted ? new ScanError('took_too_long', { cause: error }) : error),
  );
  const { files, isWhole, leftOut } = listing;
  const { reason, isSoon } = await applyScan({ ...options, source }, { files, isWhole, leftOut });
  options.log('source_listed', { sourceID: source.id, files: files.length, isWhole });
  return {
    state: 'ok',
    isFailed: false,
    reason,
    found: files.length,
    nextScanMinutes: nextScanMinutes(source.every_minutes, isSoon),
  };
}

async function sourceToList(
  options: ScanWorkerOptions,
  source: ClaimedSource,
  signal: AbortSignal,
): Promise<ListedSource> {
  const credentials = openCredentials(options.sourceSealer, source);
  if (source.kind !== 's3') return { kind: source.kind, url: source.url, credentials };
  const place = s3Place(source.url)!;
  const use = { source, place, roles: options.roles };
  const keys = await keysOf(credentials, use, signal);
  await assertExternalIDRequired(credentials, use, signal);
  return { kind: 's3', place, keys };
}

async function list(options: ScanWorkerOptions, source: ClaimedSource, signal: AbortSignal): Promise<Listing> {
  const listed = await sourceToList(options, source, signal);
  // Some callers give more, which cannot be sent to a thread.
  const { allowPrivateAddresses, tlsCa } = options.source;
  const reach = { allowPrivateAddresses, ...(tlsCa !== undefined && { tlsCa }) };
  return listOnThread({ source: listed, reach, now: options.clock() }, signal);
}

function failedScan(source: ClaimedSource, { code, detail, mayPass }: ScanError): ScanOutcome {
  const after = afterFailedScan(source.every_minutes, source.failing_minutes ?? 0, mayPass);
  return {
    // A reported failure stays until a scan succeeds.
    state: after.isFailing ? 'failing' : source.state,
    isFailed: true,
    reason: { code, detail },
    found: null,
    nextScanMinutes: after.nextScanMinutes,
  };
}
