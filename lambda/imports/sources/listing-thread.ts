// Lists a source on a thread of its own: a hostile listing may keep a parser busy, but neither streams nor imports.
import { Worker } from 'node:worker_threads';
import { scanBounds } from '../../domain/sources/source-scan.ts';
import type { ListedFile } from '../../domain/sources/source-scan.ts';
import type { S3Place, SourceCredentials } from '../../domain/sources/source-url.ts';
import type { ListingOptions } from './listing-requests.ts';
import { ScanError } from './scan-error.ts';
import type { ScanErrorCode } from './scan-error.ts';
import type { Keys } from './source-keys.ts';

/** A source that the thread is to list, with opened credentials. */
export type ListedSource =
  | { readonly kind: 's3'; readonly place: S3Place; readonly keys: Keys | null }
  | { readonly kind: 'webdav' | 'rss'; readonly url: string; readonly credentials: SourceCredentials | null };

/** Servers that a listing may reach. */
export type ListingReach = Omit<ListingOptions, 'resolve'>;

/** Data of the thread. It has a resolver of its own, as functions cannot be sent to it. */
export interface ListingTask {
  readonly source: ListedSource;
  readonly reach: ListingReach;
  readonly now: Date;
}

export interface Listing {
  readonly files: readonly ListedFile[];
  /** Whether the listing is complete. If not, a missing file may still exist. */
  readonly isWhole: boolean;
  /** Number of files and folders outside the limits. */
  readonly leftOut: number;
}

/** An answer of the thread. Messages lose the class of an error, so a failure is sent by its fields. */
export type ListingAnswer =
  | { readonly listing: Listing }
  | { readonly code: ScanErrorCode; readonly seen: string | undefined; readonly cause: string };

/** The program of the thread. In the bundle it has a folder of its own. */
const path = import.meta.url.endsWith('.ts') ? './list.task.ts' : './listing/index.mjs';
const program = new URL(path, import.meta.url);
const resourceLimits = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: scanBounds.memoryMiB };
const busyCheckMs = 250;

/** @throws {ScanError} @throws the signal's reason when aborted */
export async function listOnThread(task: ListingTask, signal: AbortSignal): Promise<Listing> {
  signal.throwIfAborted();
  const thread = new Worker(program, { workerData: task, resourceLimits, execArgv: [] });
  const { promise, resolve, reject } = Promise.withResolvers<ListingAnswer>();
  thread.once('message', resolve);
  thread.once('error', (error) => reject(failureOf(error)));
  thread.once('exit', () => reject(new Error('The thread that lists a source has ended.')));
  const busy = setInterval(() => {
    if (thread.performance.eventLoopUtilization().active > scanBounds.busyMs) reject(new ScanError('answer_too_large'));
  }, busyCheckMs);
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    const answer = await promise;
    if ('listing' in answer) return answer.listing;
    throw new ScanError(answer.code, { ...(answer.seen !== undefined && { seen: answer.seen }), cause: answer.cause });
  } finally {
    clearInterval(busy);
    signal.removeEventListener('abort', abort);
    // Ends a parser in the middle of its work, too.
    await thread.terminate();
  }
}

/** The failure of a thread that its heap ended, or one by our fault. */
function failureOf(error: unknown): unknown {
  const isOutOfMemory = (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isOutOfMemory ? new ScanError('answer_too_large', { cause: error }) : error;
}
