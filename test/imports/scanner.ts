// A worker for watched sources in tests, on a real database and queue, and tests' access to sources.
import { expect } from 'vitest';
import { newID } from '../../lambda/data/shared/new-id.ts';
import { runScanWorker } from '../../lambda/imports/sources/scan-worker.ts';
import type { ScanWorkerOptions } from '../../lambda/imports/sources/scan-worker.ts';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { testDataKey } from '../support/service.ts';
import type { TestService, TestUser } from '../support/service.ts';

export interface Scanner extends AsyncDisposable {
  /** Log entries of the worker. */
  readonly events: { readonly event: string; readonly fields: Record<string, unknown> }[];
}

/** Starts a worker that scans sources as soon as they are due. */
export function startScanner(service: TestService, settings: Partial<ScanWorkerOptions> = {}): Scanner {
  const stopping = new AbortController();
  const events: Scanner['events'] = [];
  const pool = service.pool();
  const running = runScanWorker(
    {
      pool,
      queue: createPostgresCommandQueue({ pool, log: () => {} }),
      sourceSealer: createSealer([testDataKey]),
      roles: null,
      source: { allowPrivateAddresses: true },
      limitFactor: 100,
      pollMs: 20,
      newID: (prefix) => newID(prefix, new Date()),
      clock: () => new Date(),
      steadyClock: () => performance.now(),
      log: (event, fields) => void events.push({ event, fields }),
      ...settings,
    },
    stopping.signal,
  );
  return {
    events,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await running;
    },
  };
}

/** Makes the last scan of a source a minute old: the next one is not allowed sooner. */
export async function letMinutePass({ pool }: Pick<TestService, 'pool'>, id: string): Promise<void> {
  await pool().query(`update sources set last_scan_at = last_scan_at - interval '1 minute' where id = $1`, [id]);
}

/** Scans a source as if a minute had passed, and waits for the end. @returns the source after the scan */
export async function scanAgain(service: Pick<TestService, 'pool'>, user: TestUser, id: string) {
  await letMinutePass(service, id);
  const { lastScanAt } = (await user.call('GET', `/sources/${id}`)).body;
  await user.call('POST', `/sources/${id}/scan`);
  return untilScanned(user, id, lastScanAt);
}

/** Waits for the scan after the one at `before`; null: for the first. */
export async function untilScanned(user: TestUser, id: string, before: string | null = null) {
  const read = async () => (await user.call('GET', `/sources/${id}`)).body;
  await expect.poll(async () => (await read()).lastScanAt, { timeout: 60_000, interval: 20 }).not.toBe(before);
  return read();
}

/** Creates a source, and waits until it was scanned. */
export async function watch(user: TestUser, source: Record<string, unknown>) {
  const { status, body } = await user.call('POST', '/sources', source);
  expect({ status, body }).toMatchObject({ status: 201 });
  return untilScanned(user, body.id);
}

/** The uploads of a user, by name, with the fields of watched sources. */
export async function uploadsOf(user: TestUser) {
  const { data } = (await user.call('GET', '/uploads?limit=100&sort=name')).body;
  return (data as { id: string; name: string; folder: string; externalSource: Record<string, unknown> }[]).map(
    ({ id, name, folder, externalSource }) => ({
      id,
      name,
      folder,
      url: externalSource['url'],
      isRemoved: externalSource['removedAt'] !== null,
    }),
  );
}

/** Makes a source appear to have been failing for this many minutes. */
export async function letFailSince({ pool }: Pick<TestService, 'pool'>, id: string, minutes: number): Promise<void> {
  await pool().query('update sources set failing_since = now() - make_interval(mins => $2) where id = $1', [
    id,
    minutes,
  ]);
}
