// An import worker for tests with short waits, on a real database, queue and object store; and import requests.
import type { Pool } from 'pg';
import { createNameResolver } from '../../lambda/ports/outbound/name-resolver.ts';
import type { Resolve } from '../../lambda/ports/outbound/checked-lookup.ts';
import type { Lanes } from '../../lambda/domain/fleet/lanes.ts';
import { importLimits } from '../../lambda/imports/import-limits.ts';
import type { ImportLimits } from '../../lambda/imports/import-limits.ts';
import { runImportWorker } from '../../lambda/imports/import-worker.ts';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import type { ObjectStore } from '../../lambda/ports/object-store/object-store.ts';
import type { RoleSessions } from '../../lambda/ports/role-sessions/role-sessions.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { testDataKey } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';

export interface WorkerSettings {
  readonly limits?: Partial<ImportLimits>;
  readonly resolve?: Resolve;
  readonly allowPrivateAddresses?: boolean;
  readonly lanes?: Lanes;
  readonly roles?: RoleSessions;
}

export interface RunningWorker {
  /** Log entries of the worker. */
  readonly events: { readonly event: string; readonly fields: Record<string, unknown> }[];
  /** Asks the worker to end, as SIGTERM does. Resolves when it has ended. */
  stop(): Promise<void>;
}

/** Requests an import as a user. @returns the id of its upload */
export async function requestImport(user: TestUser, url: string): Promise<string> {
  return (await user.call('POST', '/uploads/import', { url })).body.id;
}

export function startWorker(pool: Pool, objects: ObjectStore, settings: WorkerSettings = {}): RunningWorker {
  const { limits = {}, resolve = createNameResolver(), allowPrivateAddresses = true } = settings;
  const { lanes = { count: 2, ofUser: 2, ofUnfunded: 2 }, roles = null } = settings;
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
      sourceSealer: createSealer([testDataKey]),
      roles,
      limitFactor: 100,
      lanes,
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
