// What the object store of one machine does with the parts of objects besides the contract: little at a time.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { partBytes } from '../../lambda/domain/upload-parts.ts';
import { createFileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import type { FileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';

let folder: string;
let store: FileObjectStore;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'multiparts-'));
  store = createFileObjectStore({ folder, baseURL: 'http://127.0.0.1/objects', signingKey: 'a signing key' });
});
afterAll(() => rm(folder, { recursive: true }));

it('parts that come at once wait for their turns on the disk, not in memory', async () => {
  const parts = 8;
  const multipartID = await store.createMultipart('film', { contentType: 'video/mp4' });
  const piece = Buffer.alloc(partBytes / 64, 'piece');
  const pieces = Array.from({ length: 64 }, () => piece);
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const looking = setInterval(() => {
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  });
  await Promise.all(
    Array.from({ length: parts }, (_, index) => {
      const part = { multipartID, partNumber: index + 1, contentLength: partBytes, sha256: null };
      return store.receivePart('film', part, Readable.from(pieces));
    }),
  ).finally(() => clearInterval(looking));
  expect(await store.listParts('film', multipartID)).toHaveLength(parts);
  expect(most).toBeLessThan((parts / 2) * partBytes);
});
