// Imports from real HTTP servers, from the request to the stored object, with all possible failures.
import { StorageFull } from '../../lambda/ports/object-store/disk-room.ts';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { importLimits } from '../../lambda/imports/import-limits.ts';
import type { ImportLimits } from '../../lambda/imports/import-limits.ts';
import { recordingSource } from '../../lambda/domain/live/recording.ts';
import { partBytes } from '../../lambda/domain/media/upload-parts.ts';
import type { ObjectStore } from '../../lambda/ports/object-store/object-store.ts';
import { putToRest, wake } from '../support/account-rest.ts';
import { commandsTo } from '../support/outbox-rows.ts';
import { testService } from '../support/service.ts';
import { objectKeyOf } from '../support/stored-uploads.ts';
import { anyBytes, sendFile, startSource } from './source-server.ts';
import type { Answer } from './source-server.ts';
import { requestImport, startWorker as startWorkerOn } from './worker.ts';
import type { WorkerSettings } from './worker.ts';

const service = testService();
vi.setConfig({ testTimeout: 30_000 });
const patiently = { timeout: 15_000, interval: 20 };

const ended: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

function startWorker({ objects = service.objects(), ...settings }: WorkerSettings & { objects?: ObjectStore } = {}) {
  const worker = startWorkerOn(service.pool(), objects, settings);
  ended.push(() => worker.stop());
  return worker;
}

/** Requests an import, lets a worker carry it out, and returns its outcome. */
async function importFrom(url: string, settings: Parameters<typeof startWorker>[0] = {}, name?: string) {
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

const keyOf = (uploadID: string) => objectKeyOf(service, uploadID);
const storedBytes = async (uploadID: string) => buffer(await service.objects().read(await keyOf(uploadID)));
const mediaCommands = () => commandsTo(service, 'media');

/** The number of unfinished writes into the object store. */
const unfinished = async () => (await readdir(join(service.folder(), 'multiparts')).catch(() => [])).length;

describe('a file', () => {
  test('arrives with the name, type and size that its source says, and is examined next', async () => {
    const bytes = anyBytes(partBytes + 1000);
    const headers = { 'content-disposition': `attachment; filename*=UTF-8''%E2%82%AC.mp4` };
    await using source = await startSource((request, response) => sendFile(bytes, request, response, { headers }));
    const { upload } = await importFrom(source.url('/path/clip?token=secret'));
    expect(upload).toMatchObject({
      name: '€.mp4',
      mimeType: 'video/mp4',
      type: 'video',
      fileSize: bytes.length,
      uploaded: true,
      probeState: 'pending',
      failure: null,
      externalSource: {
        url: source.url('/path/clip?token=secret'),
        state: 'completed',
        bytesReceived: bytes.length,
        failure: null,
      },
    });
    expect((await storedBytes(upload.id)).equals(bytes)).toBe(true);
    expect(await mediaCommands()).toContainEqual({ task: 'probe_upload', uploadID: upload.id });
    expect(await unfinished()).toBe(0);
  });

  test('of unknown length arrives, and keeps the name that its user gave', async () => {
    const bytes = anyBytes(100_000);
    await using source = await startSource((_request, response) => response.writeHead(200, {}).end(bytes));
    const { upload } = await importFrom(source.url('/a'), {}, 'Mine');
    expect(upload).toMatchObject({ name: 'Mine', fileSize: bytes.length, externalSource: { state: 'completed' } });
    expect((await storedBytes(upload.id)).equals(bytes)).toBe(true);
  });

  test('that fills its last part has no empty one after it', async () => {
    const bytes = anyBytes(partBytes);
    await using source = await startSource((request, response) => sendFile(bytes, request, response));
    const { upload } = await importFrom(source.url('/a'));
    expect((await storedBytes(upload.id)).equals(bytes)).toBe(true);
  });
});

describe('a source that fails on the way', () => {
  test('is continued where it was cut off, as often as that brings more bytes', async () => {
    const bytes = anyBytes(partBytes + 5_000_000);
    await using source = await startSource((request, response) =>
      sendFile(bytes, request, response, { cutAfterBytes: 1_500_000 }),
    );
    const { upload } = await importFrom(source.url('/a'));
    expect(upload.externalSource).toMatchObject({ state: 'completed', bytesReceived: bytes.length });
    expect((await storedBytes(upload.id)).equals(bytes)).toBe(true);
    // There were more attempts than may fail in a row.
    expect(source.requests.length).toBeGreaterThan(importLimits.maxFailures);
    expect(source.requests.filter(({ range }) => range === undefined)).toHaveLength(1);
  });

  test.each([
    ['knows no ranges', { ranges: false }, {}],
    ['cannot say whether it is the same file', { etag: null }, { etag: null }],
    ['has another file by now', { etag: '"one"' }, { etag: '"two"' }],
  ])('is read anew from its beginning when it %s', async (_, first, later) => {
    const [before, bytes] = [anyBytes(500_000), anyBytes(400_000)];
    await using source = await startSource((request, response, number) => {
      if (number === 1) sendFile(before, request, response, { ...first, cutAfterBytes: 300_000 });
      else sendFile(bytes, request, response, later);
    });
    const { upload } = await importFrom(source.url('/a'));
    expect(upload).toMatchObject({
      fileSize: bytes.length,
      externalSource: { state: 'completed', bytesReceived: bytes.length },
    });
    expect((await storedBytes(upload.id)).equals(bytes)).toBe(true);
    expect(await unfinished()).toBe(0);
  });

  test('with a temporary status is asked again', async () => {
    const bytes = anyBytes(1000);
    await using source = await startSource((request, response, number) => {
      const status = [503, 429, 500][number - 1];
      if (status === undefined) sendFile(bytes, request, response);
      else response.writeHead(status).end();
    });
    expect((await importFrom(source.url('/a'))).upload.externalSource.state).toBe('completed');
  });
});

describe('an import that fails', () => {
  const failing: [string, string, Answer, Partial<ImportLimits>][] = [
    ['a file that is not there', 'source_not_found', (_, response) => response.writeHead(404).end(), {}],
    ['a file that is gone', 'source_not_found', (_, response) => response.writeHead(410).end(), {}],
    ['a file that is not shared', 'access_refused', (_, response) => response.writeHead(403).end(), {}],
    [
      'a web page',
      'web_page',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      {},
    ],
    [
      'a web page that calls itself a video',
      'web_page',
      (_, response) =>
        response.writeHead(200, { 'content-type': 'video/mp4' }).end('\n<!DOCTYPE html><title>Sign in</title>'),
      {},
    ],
    ['an empty body', 'empty', (_, response) => response.writeHead(200).end(), {}],
    [
      'a body that is always cut off',
      'cut_off',
      (request, response) => sendFile(anyBytes(90_000), request, response, { ranges: false, cutAfterBytes: 50_000 }),
      { maxFailures: 3 },
    ],
    [
      'a body shorter than its Content-Length',
      'cut_off',
      (_, response) =>
        response.writeHead(200, { 'content-length': '2000' }).write('short', () => response.socket?.end()),
      { maxFailures: 2 },
    ],
    ['a status that stays', 'source_failed', (_, response) => response.writeHead(500).end(), { maxFailures: 3 }],
    ['a body that never ends', 'too_large', (_, response) => void pour(response), { maxBytes: 3_000_000 }],
    [
      'a body that drips',
      'too_slow',
      (_, response) => drip(response),
      { periodMs: 150, minBytesPerPeriod: 1000, maxFailures: 2 },
    ],
    [
      'a body that stops',
      'too_slow',
      (_, response) => response.writeHead(200, { 'content-length': '9' }).write('12345'),
      { periodMs: 100, maxFailures: 2 },
    ],
    ['a file that takes too long', 'took_too_long', (_, response) => drip(response), { totalSeconds: 0.3 }],
  ];
  test.each(failing)(
    'from %s says %s with a reason and advice, and leaves nothing behind',
    async (_, code, answer, limits) => {
      await using source = await startSource(answer);
      const { upload } = await importFrom(source.url('/a?token=secret'), { limits });
      const failure = { code, detail: expect.stringMatching(/^[A-Z].*\. [A-Z].*\.$/) };
      expect(upload).toMatchObject({
        uploaded: false,
        probeState: 'failed',
        failure,
        externalSource: { state: 'failed', failure },
      });
      expect(upload.failure.detail).not.toContain('secret');
      expect(await unfinished()).toBe(0);
      expect(await service.objects().head(await keyOf(upload.id))).toBeNull();
    },
  );

  test('makes streams with its upload invalid, and their readiness says so', async () => {
    await using source = await startSource((_, response) => response.writeHead(404).end());
    const user = await service.user();
    const { body: upload } = await user.call('POST', '/uploads/import', { url: source.url('/a') });
    const { body: stream } = await user.call('POST', '/streams', { videoUploadObjectID: upload.id });
    const worker = startWorker();
    await untilEnded(user, upload.id);
    await worker.stop();
    expect((await user.call('GET', `/streams/${stream.id}`)).body.state).toBe('invalid');
    const { body: readiness } = await user.call('GET', `/streams/${stream.id}/readiness`);
    expect(readiness.issues).toContainEqual(expect.objectContaining({ code: 'upload_unusable' }));
  });

  test('for want of room on the disk says so, and goes on once there is room', async () => {
    await using source = await startSource((request, response) => sendFile(anyBytes(1000), request, response));
    const own = service.objects();
    const full = { ...own, putPart: () => Promise.reject(new StorageFull()) };
    const { upload } = await importFrom(source.url('/a'), { objects: full, limits: { maxFailures: 2 } });
    expect(upload.failure).toMatchObject({ code: 'storage_full', detail: expect.stringMatching('make room') });
    let refused = 0;
    const soon = {
      ...own,
      putPart: (...args: Parameters<typeof own.putPart>) =>
        refused++ === 0 ? Promise.reject(new StorageFull()) : own.putPart(...args),
    };
    const { upload: later } = await importFrom(source.url('/a'), { objects: soon, limits: { maxFailures: 2 } });
    expect([refused, later.failure]).toEqual([2, null]);
  });

  test('by our fault does not blame the source', async () => {
    await using source = await startSource((request, response) => sendFile(anyBytes(1000), request, response));
    const objects = { ...service.objects(), putPart: () => Promise.reject(new Error('the disk is full')) };
    const { upload } = await importFrom(source.url('/a'), { objects, limits: { maxFailures: 2 } });
    expect(upload.failure).toEqual({
      code: 'not_imported',
      detail: 'We could not import this file, by no fault of yours. Import it again.',
    });
  });
});

describe('a file for which its user has no room', () => {
  test.each([
    ['says how large it is', { 'content-length': '5000' }],
    ['does not say it', {}],
  ])('is not fetched where its source %s, and takes no room', async (_, headers) => {
    await using source = await startSource((_request, response) =>
      response.writeHead(200, { 'content-type': 'video/mp4', ...headers }).end(anyBytes(5000)),
    );
    const user = await service.user();
    await databaseOn(service.pool()).limits.override(user.id, 'storedBytes', 4999);
    const { body } = await user.call('POST', '/uploads/import', { url: source.url('/a') });
    startWorker();
    const { externalSource } = await untilEnded(user, body.id);
    expect(externalSource).toMatchObject({
      state: 'failed',
      bytesReceived: 0,
      failure: { code: 'limit_reached', detail: expect.stringContaining('bytes of uploads') },
    });
    expect(source.requests).toHaveLength(1);
    expect(await unfinished()).toBe(0);
    const { limits } = (await user.call('GET', '/me')).body as { limits: { limit: string; used: number }[] };
    const used = limits.filter(({ limit }) => ['imports', 'incomingBytes', 'storedBytes'].includes(limit));
    expect(used.map((use) => use.used)).toEqual([0, 0, 0]);
  });
});

describe('while an import is under way', () => {
  test('it ends within a renewal when its user is put to rest, and goes on where it was when woken', async () => {
    const whole = anyBytes(2 * partBytes);
    await using source = await startSource((request, response) => {
      const offset = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
      const headers = { 'content-length': String(whole.length - offset), etag: '"x"' };
      if (offset === 0) return response.writeHead(200, headers).write(whole.subarray(0, partBytes + 5));
      return response
        .writeHead(206, { ...headers, 'content-range': `bytes ${offset}-${whole.length - 1}/${whole.length}` })
        .end(whole.subarray(offset));
    });
    const user = await service.user();
    const id = await requestImport(user, source.url('/a'));
    const worker = startWorker();
    const external = async () => (await user.call('GET', `/uploads/${id}`)).body.externalSource;
    await expect.poll(external, patiently).toMatchObject({ state: 'downloading', bytesReceived: partBytes + 5 });
    await putToRest(service, user.id, 'held');
    await expect
      .poll(() => worker.events, patiently)
      .toContainEqual({
        event: 'import_taken',
        fields: { uploadID: id, isDeleted: false },
      });
    const { rows } = await service.pool().query('select lease_expires_at from imports where upload_id = $1', [id]);
    expect([rows[0].lease_expires_at, source.requests.length]).toEqual([null, 1]);
    await wake(service, user.id);
    await expect.poll(external, patiently).toMatchObject({ state: 'completed' });
    expect(source.requests.length).toBe(2);
    await worker.stop();
  });

  test('its progress can be seen, and when it is deleted it leaves nothing behind', async () => {
    await using source = await startSource((_, response) =>
      response.writeHead(200, { 'content-length': String(2 * partBytes), etag: '"x"' }).write(anyBytes(partBytes + 5)),
    );
    const user = await service.user();
    const id = await requestImport(user, source.url('/a'));
    const objectKey = await keyOf(id);
    const worker = startWorker();
    await expect
      .poll(async () => (await user.call('GET', `/uploads/${id}`)).body.externalSource, patiently)
      .toMatchObject({ state: 'downloading', bytesReceived: partBytes + 5 });
    expect(await unfinished()).toBe(1);
    expect((await user.call('GET', `/uploads/${id}`)).body).toMatchObject({
      uploaded: false,
      probeState: 'pending',
      fileSize: 2 * partBytes,
    });
    expect((await user.call('DELETE', `/uploads/${id}`)).status).toBe(204);
    const command = (await mediaCommands()).find((each) => 'objectKey' in each && each.objectKey === objectKey);
    expect(command).toMatchObject({ task: 'delete_object', multipartID: expect.any(String) });
    await expect.poll(unfinished, patiently).toBe(0);
    await worker.stop();
    expect(worker.events).toContainEqual({ event: 'import_taken', fields: { uploadID: id, isDeleted: true } });
    expect(await service.objects().head(objectKey)).toBeNull();
  });

  test('a worker that ends gives it back, and the next one continues after the last whole part', async () => {
    const bytes = anyBytes(2 * partBytes + 1000);
    const firstIsThere = Promise.withResolvers<void>();
    await using source = await startSource((request, response, number) => {
      if (number > 1) return sendFile(bytes, request, response);
      response.writeHead(200, { 'content-length': bytes.length, etag: '"one"' });
      response.write(bytes.subarray(0, partBytes + 500), () => firstIsThere.resolve());
    });
    const user = await service.user();
    const id = await requestImport(user, source.url('/a'));
    const first = startWorker();
    await expect
      .poll(async () => (await user.call('GET', `/uploads/${id}`)).body.externalSource.bytesReceived, patiently)
      .toBe(partBytes + 500);
    await first.stop();
    const second = startWorker();
    await untilEnded(user, id);
    await second.stop();
    expect(source.requests.map(({ range }) => range)).toEqual([undefined, `bytes=${partBytes}-`]);
    expect((await storedBytes(id)).equals(bytes)).toBe(true);
  });

  test('two workers do not claim it at once, and one whose lease is over lets go of it', async () => {
    const bytes = anyBytes(partBytes + 1000);
    const stalled = Promise.withResolvers<void>();
    await using source = await startSource((request, response, number) => {
      if (number > 1) return sendFile(bytes, request, response);
      response
        .writeHead(200, { 'content-length': bytes.length, etag: '"one"' })
        .write(bytes.subarray(0, 1000), () => stalled.resolve());
    });
    const user = await service.user();
    const id = await requestImport(user, source.url('/a'));
    const workers = [startWorker(), startWorker()];
    const logged = () => workers.flatMap(({ events }) => events.map(({ event }) => event));
    const claims = () => logged().filter((event) => event === 'import_claimed');
    await stalled.promise;
    expect(claims()).toHaveLength(1);
    // Both in one statement: the worker would renew a lease that is only over.
    await databaseOn(service.pool()).imports.freeAll();
    await untilEnded(user, id);
    expect(claims()).toHaveLength(2);
    await expect.poll(logged, patiently).toContain('import_taken');
    expect((await storedBytes(id)).equals(bytes)).toBe(true);
    expect((await user.call('GET', `/uploads/${id}`)).body.externalSource).toMatchObject({
      state: 'completed',
      bytesReceived: bytes.length,
    });
  });

  test('the last step of a worker that died is not done again', async () => {
    const bytes = anyBytes(1000);
    await using source = await startSource((request, response) => sendFile(bytes, request, response));
    const user = await service.user();
    const id = await requestImport(user, source.url('/a'));
    await service.objects().write(await keyOf(id), bytes, { contentType: 'video/mp4' });
    const worker = startWorker();
    expect((await untilEnded(user, id)).externalSource).toMatchObject({ state: 'completed', bytesReceived: 1000 });
    await worker.stop();
    expect(source.requests).toEqual([]);
  });

  test('its user can neither send other bytes nor complete it', async () => {
    const user = await service.user();
    const id = await requestImport(user, 'http://127.0.0.1:1/a');
    const sending = await user.call('POST', `/uploads/${id}/upload-url`);
    expect(sending).toMatchObject({ status: 422, body: { code: 'resource_in_use' } });
    const completing = await user.call('POST', `/uploads/${id}/complete`);
    expect(completing).toMatchObject({ status: 422, body: { code: 'upload_incomplete' } });
    await user.call('DELETE', `/uploads/${id}`);
  });
});

test('a user with many imports does not keep the imports of others waiting', async () => {
  const answered = Promise.withResolvers<void>();
  await using source = await startSource(async (request, response) => {
    if (source.requests.length >= 2) answered.resolve();
    await answered.promise;
    sendFile(anyBytes(10), request, response);
  });
  const [greedy, modest] = [await service.user(), await service.user()];
  for (const path of ['/greedy/1', '/greedy/2', '/greedy/3']) await requestImport(greedy, source.url(path));
  const id = await requestImport(modest, source.url('/modest'));
  const worker = startWorker();
  await untilEnded(modest, id);
  const firstPaths = source.requests.slice(0, 2).map(({ path }) => path);
  expect(firstPaths.sort()).toEqual(['/greedy/1', '/modest']);
  await expect.poll(() => source.requests.length, patiently).toBe(4);
  await worker.stop();
});

test('a user with many slow imports leaves a lane to whoever comes, and loses none of them', async () => {
  const goOn = Promise.withResolvers<void>();
  await using source = await startSource(async (request, response) => {
    if (request.url!.startsWith('/greedy')) await goOn.promise;
    sendFile(anyBytes(10), request, response);
  });
  const [greedy, modest] = [await service.user(), await service.user()];
  const ids: string[] = [];
  for (let number = 1; number <= 5; number++) ids.push(await requestImport(greedy, source.url(`/greedy/${number}`)));
  const worker = startWorker({ lanes: { count: 3, ofUser: 2, ofUnfunded: 2 } });
  await expect.poll(() => source.requests.length, patiently).toBe(2);
  for (const path of ['/modest/1', '/modest/2']) {
    const upload = await untilEnded(modest, await requestImport(modest, source.url(path)));
    expect(upload.externalSource.state).toBe('completed');
  }
  const paths = source.requests.map(({ path }) => path);
  expect(paths.slice(2)).toEqual(['/modest/1', '/modest/2']);
  // Messages for all five may be gone by now: the worker itself polls for imports that it had no room for.
  await service.pool().query(`delete from outbox where queue = 'imports'`);
  goOn.resolve();
  for (const id of ids) expect((await untilEnded(greedy, id)).externalSource.state).toBe('completed');
  await worker.stop();
});

test('users who are not funded leave a lane to whoever has paid, and get theirs done one after the other', async () => {
  const mayEnd = Promise.withResolvers<void>();
  await using source = await startSource(async (request, response) => {
    if (request.url!.startsWith('/free')) await mayEnd.promise;
    sendFile(anyBytes(10), request, response);
  });
  const free = await Promise.all(Array.from({ length: 4 }, () => service.user(0)));
  const ids = await Promise.all(free.map((user, index) => requestImport(user, source.url(`/free/${index}`))));
  const worker = startWorker({ lanes: { count: 4, ofUser: 3, ofUnfunded: 2 } });
  await expect.poll(() => source.requests.length, patiently).toBe(2);
  const funded = await service.user();
  for (const path of ['/funded/1', '/funded/2']) {
    const upload = await untilEnded(funded, await requestImport(funded, source.url(path)));
    expect(upload.externalSource.state).toBe('completed');
  }
  expect(source.requests.filter(({ path }) => path.startsWith('/free'))).toHaveLength(2);
  mayEnd.resolve();
  for (const [index, user] of free.entries())
    expect((await untilEnded(user, ids[index]!)).externalSource.state).toBe('completed');
  await worker.stop();
});

test('a user with a backlog waits for whoever has had no turn', async () => {
  await using source = await startSource((request, response) => sendFile(anyBytes(10), request, response));
  const [many, one] = [await service.user(), await service.user()];
  const ids: string[] = [];
  for (const path of ['/many/1', '/many/2', '/many/3']) ids.push(await requestImport(many, source.url(path)));
  ids.push(await requestImport(one, source.url('/one')));
  const worker = startWorker({ lanes: { count: 1, ofUser: 1, ofUnfunded: 1 } });
  for (const id of ids) await untilEnded(id === ids.at(-1) ? one : many, id);
  expect(source.requests.map(({ path }) => path)).toEqual(['/many/1', '/one', '/many/2', '/many/3']);
  await worker.stop();
});

test('a recording is made while slow links hold all lanes', async () => {
  await using source = await startSource((_, response) => drip(response));
  const [slow, live] = [await service.user(), await service.user(0)];
  for (const path of ['/1', '/2']) await requestImport(slow, source.url(path));
  const worker = startWorker({ lanes: { count: 2, ofUser: 2, ofUnfunded: 1 } });
  await expect.poll(() => source.requests.length, patiently).toBe(2);
  const id = await requestImport(live, source.url('/3'));
  await service.pool().query('update imports set url = $2 where upload_id = $1', [id, recordingSource('ses_gone')]);
  // It has no segments, which its worker finds out.
  expect((await untilEnded(live, id)).failure).toMatchObject({ code: 'recording_gone' });
  expect(source.requests).toHaveLength(2);
  await worker.stop();
});

describe('an import that takes long, while another user waits with fewer', () => {
  const bytes = anyBytes(2 * partBytes);
  /** A source that stops after one part and a bit, until its file is requested again. */
  const stopping = (first: Record<string, string>) =>
    startSource((request, response) => {
      if (request.url === '/short') return sendFile(anyBytes(10), request, response);
      if (request.headers.range) return sendFile(bytes, request, response);
      response.writeHead(200, { 'content-length': bytes.length, ...first }).write(bytes.subarray(0, partBytes + 500));
    });

  test.each([
    ['whose lanes are all taken', 1000, { count: 1, ofUser: 1, ofUnfunded: 1 }],
    ['where users who are not funded have their part', 0, { count: 3, ofUser: 3, ofUnfunded: 1 }],
  ])('ends its turn in a worker %s, and goes on later after the parts that it has', async (_, credits, lanes) => {
    await using source = await stopping({ etag: '"one"' });
    const [long, short] = [await service.user(credits), await service.user(credits)];
    const id = await requestImport(long, source.url('/long'));
    const worker = startWorker({ lanes, limits: { turnSeconds: 0.3 } });
    const external = async () => (await long.call('GET', `/uploads/${id}`)).body.externalSource;
    await expect.poll(external, patiently).toMatchObject({ bytesReceived: partBytes + 500 });
    const other = await untilEnded(short, await requestImport(short, source.url('/short')));
    expect(other.externalSource.state).toBe('completed');
    expect((await untilEnded(long, id)).externalSource.state).toBe('completed');
    expect(source.requests.map(({ path, range }) => [path, range])).toEqual([
      ['/long', undefined],
      ['/short', undefined],
      ['/long', `bytes=${partBytes}-`],
    ]);
    expect((await storedBytes(id)).equals(bytes)).toBe(true);
    await worker.stop();
  });

  test('keeps its lane if its user has paid and it cannot be continued; others end their turn', async () => {
    await using source = await startSource((request, response) =>
      request.url === '/short' ? sendFile(anyBytes(10), request, response) : drip(response),
    );
    const [paying, free, short] = [await service.user(), await service.user(0), await service.user()];
    await requestImport(paying, source.url('/paying'));
    const id = await requestImport(free, source.url('/free'));
    const lanes = { count: 2, ofUser: 2, ofUnfunded: 2 };
    const worker = startWorker({ lanes, limits: { turnSeconds: 0, longTurnSeconds: 0.3 } });
    await expect.poll(() => source.requests.length, patiently).toBe(2);
    const other = await untilEnded(short, await requestImport(short, source.url('/short')));
    expect(other.externalSource.state).toBe('completed');
    const over = () => worker.events.filter(({ event }) => event === 'import_turn_over').map(({ fields }) => fields);
    expect(over()).toEqual([{ uploadID: id }]);
    await worker.stop();
  });
});

/** Sends bytes endlessly, as fast as the client reads them. */
async function pour(response: ServerResponse): Promise<void> {
  response.writeHead(200);
  const piece = Buffer.alloc(65_536, 1);
  while (!response.destroyed) {
    if (!response.write(piece)) await once(response, 'drain').catch(() => {});
    if (response.socket?.destroyed) return;
  }
}

/** Sends a byte from time to time. */
function drip(response: ServerResponse): void {
  response.writeHead(200);
  const dripping = setInterval(() => response.write('x'), 20);
  response.on('close', () => clearInterval(dripping));
}
