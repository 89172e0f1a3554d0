// Imports from the request to the object, from real HTTP servers: what arrives, what is refused and whose fault it was, and what outlives a worker.
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { importLimits } from '../../lambda/imports/import-limits.ts';
import type { ImportLimits } from '../../lambda/imports/import-limits.ts';
import { runImportWorker } from '../../lambda/imports/import-worker.ts';
import type { Resolve } from '../../lambda/imports/checked-lookup.ts';
import { resolveBySystem } from '../../lambda/imports/checked-lookup.ts';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import { partBytes } from '../../lambda/ports/object-store/object-store.ts';
import { testService } from '../support/service.ts';
import { anyBytes, sendFile, startSource } from './source-server.ts';
import type { Answer } from './source-server.ts';

const service = testService();
const patiently = { timeout: 15_000, interval: 20 };

interface WorkerSettings {
  readonly limits?: Partial<ImportLimits>;
  readonly resolve?: Resolve;
  readonly allowPrivateAddresses?: boolean;
  readonly leaseSeconds?: number;
}

const ended: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

function startWorker({ limits = {}, resolve = resolveBySystem, allowPrivateAddresses = true, leaseSeconds = 2 }: WorkerSettings = {}) {
  const stopping = new AbortController();
  const events: { event: string; fields: Record<string, unknown> }[] = [];
  const running = runImportWorker(
    {
      pool: service.pool(),
      objects: service.objects(),
      queue: createPostgresCommandQueue({ pool: service.pool(), log: () => {} }),
      source: { allowPrivateAddresses, resolve, limits: { ...importLimits, firstDelayMs: 5, maxDelayMs: 20, ...limits } },
      slots: 2,
      leaseSeconds,
      renewEveryMs: 50,
      steadyClock: () => performance.now(),
      random: Math.random,
      log: (event, fields) => void events.push({ event, fields }),
    },
    stopping.signal,
  );
  const stop = async () => {
    stopping.abort();
    await running;
  };
  ended.push(stop);
  return { stop, events };
}

/** Asks for an import, and tells how it ended. */
async function importFrom(url: string, settings: WorkerSettings = {}, name?: string) {
  const user = await service.user();
  const { status, body } = await user.call('POST', '/uploads/import', { url, ...(name === undefined ? {} : { name }) });
  expect(status).toBe(202);
  const worker = startWorker(settings);
  const upload = await untilEnded(user, body.id);
  await worker.stop();
  return { upload, user, worker };
}

async function untilEnded(user: Awaited<ReturnType<typeof service.user>>, id: string) {
  const look = async () => (await user.call('GET', `/uploads/${id}`)).body;
  await expect.poll(async () => (await look()).externalSource.state, patiently).toMatch(/completed|failed/);
  return look();
}

async function storedBytes(uploadID: string): Promise<Buffer> {
  const upload = (await databaseOn(service.pool()).uploads.findAny(uploadID))!;
  return buffer(await service.objects().read(upload.object_key));
}

describe('a file', () => {
  test('arrives as it is, with the name, type and size that its source says, and is examined next', async () => {
    const bytes = anyBytes(partBytes + 1000);
    await using source = await startSource((request, response) => sendFile(bytes, request, response, { headers: { 'content-disposition': `attachment; filename*=UTF-8''%E2%82%AC.mp4` } }));
    const { upload } = await importFrom(source.url('/path/clip?token=secret'));
    expect(upload).toMatchObject({
      name: '€.mp4', mimeType: 'video/mp4', type: 'video', fileSize: bytes.length, uploaded: true, probeState: 'pending', failure: null,
      externalSource: { url: source.url('/path/clip?token=secret'), state: 'completed', bytesReceived: bytes.length, failure: null },
    });
    expect((await storedBytes(upload.id)).equals(bytes)).toBe(true);
    const commands = (await service.pool().query(`select body from outbox where queue = 'media'`)).rows.map(({ body }) => body);
    expect(commands).toContainEqual({ task: 'probe_upload', uploadID: upload.id });
  });
});
