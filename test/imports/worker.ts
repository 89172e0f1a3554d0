// An import worker for tests: real database, queue and object store, impatient limits.
import type { Pool } from 'pg';
import { resolveBySystem } from '../../lambda/ports/outbound/checked-lookup.ts';
import type { Resolve } from '../../lambda/ports/outbound/checked-lookup.ts';
import { importLimits } from '../../lambda/imports/import-limits.ts';
import type { ImportLimits } from '../../lambda/imports/import-limits.ts';
import { runImportWorker } from '../../lambda/imports/import-worker.ts';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import type { ObjectStore } from '../../lambda/ports/object-store/object-store.ts';

export interface WorkerSettings {
  readonly limits?: Partial<ImportLimits>;
  readonly resolve?: Resolve;
  readonly allowPrivateAddresses?: boolean;
}

export interface RunningWorker {
  /** What it logged. */
  readonly events: { readonly event: string; readonly fields: Record<string, unknown> }[];
  /** As SIGTERM does. */
  stop(): Promise<void>;
}

export function startWorker(pool: Pool, objects: ObjectStore, settings: WorkerSettings = {}): RunningWorker {
  const { limits = {}, resolve = resolveBySystem, allowPrivateAddresses = true } = settings;
  const stopping = new AbortController();
  const events: RunningWorker['events'] = [];
  const running = runImportWorker(
    {
      pool,
      objects,
      queue: createPostgresCommandQueue({ pool, log: () => {} }),
      source: {
        allowPrivateAddresses,
        resolve,
        limits: { ...importLimits, firstDelayMs: 5, maxDelayMs: 20, ...limits },
      },
      slots: 2,
      leaseSeconds: 10,
      renewEveryMs: 50,
      steadyClock: () => performance.now(),
      random: Math.random,
      log: (event, fields) => void events.push({ event, fields }),
    },
    stopping.signal,
  );
  return {
    events,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
