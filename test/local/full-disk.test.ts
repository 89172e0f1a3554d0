// A full disk of the local run: uploads are refused with what to do, a failed write ends nothing, and room is enough.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, statfsSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRunLog } from '../../bin/local/run-log.ts';
import { serveObjects } from '../../bin/local/serve-objects.ts';
import { createFileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import { StorageFull } from '../../lambda/ports/object-store/disk-room.ts';
import type { FileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';

const mib = 1024 ** 2;
const diskBytes = 64 * mib;
const disk = mkdtempSync(join(tmpdir(), 'full-disk-'));
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', disk]).status === 0;
if (!isMounted) rmdirSync(disk);

describe.runIf(isMounted)(`a disk of 64 MiB${isMounted ? '' : ' (skipped: mounting a disk needs root)'}`, () => {
  const server = createServer();
  const logged: unknown[] = [];
  let store: FileObjectStore;
  let files = 0;

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address() as { readonly port: number };
    mkdirSync(join(disk, 'store'));
    const baseURL = `http://127.0.0.1:${address.port}`;
    store = createFileObjectStore({ folder: join(disk, 'store'), baseURL, signingKey: 'key' });
    server.on('request', serveObjects(store, { allowedOrigin: 'http://x', log: (...line) => logged.push(line) }));
  });
  afterAll(() => {
    server.close();
    // The log stays open.
    spawnSync('umount', ['--lazy', disk]);
    rmdirSync(disk);
  });

  function freeBytes(): number {
    const { bsize, bavail } = statfsSync(disk);
    return bavail * bsize;
  }

  /** Fills the disk with a file, also while others write. */
  function fill(path: string): void {
    const block = Buffer.alloc(mib / 16);
    try {
      for (;;) appendFileSync(path, block);
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
    }
  }

  /** Sends so many bytes to a signed URL. @returns status and code of the answer; null: the connection was closed */
  async function put(bytes: number): Promise<readonly [status: number, code?: string] | null> {
    const limits = { contentType: 'video/mp4', contentLength: bytes, maxBytes: bytes, expiresInSeconds: 60 };
    const { url, headers } = await store.presignPut(`uploads/file-${(files += 1)}`, limits);
    const answer = await fetch(url, { method: 'PUT', headers, body: Buffer.alloc(bytes) }).catch(() => null);
    if (answer === null) return null;
    return answer.ok ? [answer.status] : [answer.status, (await answer.json()).code];
  }

  test('takes uploads until a fifth is left, also of those together, and again once there is room', async () => {
    expect(await put(60 * mib)).toEqual([507, 'storage_full']);
    const together = await Promise.all(Array.from({ length: 8 }, () => put(8 * mib)));
    expect(together.filter((answer) => answer?.[0] === 200).length).toBeGreaterThanOrEqual(2);
    while ((await put(8 * mib))?.[0] === 200);
    expect(freeBytes()).toBeGreaterThanOrEqual(diskBytes / 5);
    for (let file = 1; file <= files; file++) await store.delete(`uploads/file-${file}`);
    expect(await put(8 * mib)).toEqual([200]);
  });

  test('keeps no room from others for uploads that send next to nothing', async () => {
    const limits = { contentType: 'video/mp4', maxBytes: 40 * mib, expiresInSeconds: 60 };
    const { url, headers } = await store.presignPut('uploads/idle', limits);
    const before = freeBytes();
    const idle = Array.from({ length: 4 }, () => {
      const sent = request(url, { method: 'PUT', headers: { ...headers, 'content-length': 40 * mib } });
      const ended = once(sent, 'error');
      sent.write(Buffer.alloc(1));
      return { sent, ended };
    });
    await expect.poll(() => before - freeBytes()).toBeGreaterThan(0);
    expect(await put(40 * mib)).toEqual([200]);
    for (const { sent, ended } of idle) {
      sent.destroy();
      await ended;
    }
    await store.delete(`uploads/file-${files}`);
    await expect.poll(freeBytes).toBe(before);
  });

  test('refuses segments of contributors when a fifth is left, with the words of uploads', async () => {
    const facts = { contentType: 'application/octet-stream' };
    const segment = (number: number) => store.write(`live/v1/lse_1/pictures/${number}`, Buffer.alloc(4 * mib), facts);
    let segments = 0;
    const untilFull = async () => {
      for (; segments < 32; segments++) await segment(segments);
    };
    await expect(untilFull()).rejects.toThrow(new StorageFull().message);
    expect(freeBytes()).toBeGreaterThanOrEqual(diskBytes / 5);
    await store.delete('live/v1/lse_1/pictures/0');
    await segment(segments);
    for (let number = 0; number <= segments; number++) await store.delete(`live/v1/lse_1/pictures/${number}`);
  });

  test('refuses prepared files, pictures and imports when a fifth is left', async () => {
    const facts = { contentType: 'application/octet-stream' };
    const bytes = Buffer.alloc(4 * mib);
    const full = new StorageFull().message;
    const multipartID = await store.createMultipart('uploads/import', facts);
    const writers = [
      (number: number) => store.write(`renditions/v1/${number}`, bytes, facts),
      (number: number) => store.write(`renditions/v1/${number}`, Readable.from([bytes, bytes]), facts),
      (number: number) => store.putPart('uploads/import', multipartID, number + 1, bytes),
    ];
    for (const write of writers) {
      const untilFull = async () => {
        for (let number = 0; number < 32; number++) await write(number);
      };
      await expect(untilFull()).rejects.toThrow(full);
      expect(freeBytes()).toBeGreaterThanOrEqual(diskBytes / 5);
      for (let number = 0; number < 32; number++) await store.delete(`renditions/v1/${number}`);
    }
    await expect(store.write('renditions/v1/0', bytes, facts)).rejects.toThrow(full);
    await store.abortMultipart('uploads/import', multipartID);
    await store.write('renditions/v1/0', bytes, facts);
    await store.delete('renditions/v1/0');
  });

  test('loses lines of the log, and the log goes on once there is room', async () => {
    const file = join(disk, 'platform.log');
    const { writeLine } = openRunLog(file);
    const other = join(disk, 'fills-it');
    fill(other);
    const line = 'x'.repeat(64 * 1024);
    let written = 0;
    const writtenLines = () => {
      writeLine(line);
      return (written += 1);
    };
    await expect.poll(writtenLines).toBe(3);
    rmSync(other);
    const readsLast = () => {
      writeLine('there is room');
      return readFileSync(file, 'utf8').includes('there is room');
    };
    await expect.poll(readsLast).toBe(true);
    rmSync(file);
  });

  test('that something else fills meanwhile fails the upload, and no other request', async () => {
    const size = 24 * mib;
    const limits = { contentType: 'video/mp4', contentLength: size, maxBytes: size, expiresInSeconds: 60 };
    const { url, headers } = await store.presignPut('uploads/half', limits);
    const sent = request(url, { method: 'PUT', headers: { ...headers, 'content-length': size } });
    const answered = once(sent, 'response').then(
      ([answer]) => (answer as IncomingMessage).statusCode,
      () => null,
    );
    // The connection may also be reset after the answer.
    sent.on('error', () => {});
    const before = freeBytes();
    sent.write(Buffer.alloc(mib));
    await expect.poll(freeBytes).toBeLessThan(before);
    const other = join(disk, 'other');
    fill(other);
    sent.end(Buffer.alloc(size - mib));
    expect([null, 507]).toContain(await answered);
    await expect
      .poll(() => logged)
      .toContainEqual(['object_request_failed', { method: 'PUT', error: expect.stringMatching(/ENOSPC|StorageFull/) }]);
    rmSync(other);
    expect(await put(1024)).toEqual([200]);
  });
});
