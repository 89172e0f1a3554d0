// In addition to the contract: the local object store holds few parts in memory, and none on the disk for ever.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { partsKeptDays } from '../../lambda/domain/media/object-keys.ts';
import { MultipartLost, partBytes } from '../../lambda/domain/media/upload-parts.ts';
import { createFileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import type { FileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';

let folder: string;
let store: FileObjectStore;
const storeAt = (now: () => Date) =>
  createFileObjectStore({ folder, baseURL: 'http://127.0.0.1/objects', signingKey: 'a signing key', now });
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'multiparts-'));
  store = storeAt(() => new Date());
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

it('parts that nobody completes are deleted once nobody may send more, and no others', async () => {
  const multipartID = await store.createMultipart('given/up', { contentType: 'video/mp4' });
  const part = await store.putPart('given/up', multipartID, 1, Buffer.from('part'));
  await store.write('whole', Buffer.from('whole'), { contentType: 'video/mp4' });
  const hoursLater = (hours: number) => storeAt(() => new Date(Date.now() + hours * 3_600_000));
  await hoursLater(24 * partsKeptDays - 1).discardExpired();
  expect(await store.listParts('given/up', multipartID)).toEqual([part]);
  await hoursLater(24 * partsKeptDays + 1).discardExpired();
  await expect(store.listParts('given/up', multipartID)).rejects.toThrow(MultipartLost);
  expect(await readdir(join(folder, 'multiparts'))).toEqual([]);
  expect(await store.head('whole')).not.toBeNull();
});

it('segments of contributors and previews are deleted after a day, and no other objects', async () => {
  const daily = ['live/v1/lse_1/pictures/0', 'live/v1/lse_1/sound/0', 'previews/str_1/0.m4s'];
  const kept = ['renditions/v1/hash/q_720p-f_30/0', 'uploads/usr_1/upl_1'];
  const facts = { contentType: 'application/octet-stream' };
  for (const key of [...daily, ...kept]) await store.write(key, Buffer.from('bytes'), facts);
  const heads = async (keys: readonly string[]) =>
    (await Promise.all(keys.map((key) => store.head(key)))).filter((head) => head !== null).length;
  const hoursLater = (hours: number) => storeAt(() => new Date(Date.now() + hours * 3_600_000));
  await hoursLater(23).discardExpired();
  expect(await heads([...daily, ...kept])).toBe(5);
  await hoursLater(25).discardExpired();
  expect([await heads(daily), await heads(kept)]).toEqual([0, 2]);
  await hoursLater(50).discardExpired();
  expect(await readdir(join(folder, 'objects', 'live'))).toEqual([]);
  await store.write(daily[0]!, Buffer.from('bytes'), facts);
  expect(await heads(daily)).toBe(1);
});

it('where nothing has ever come in parts there is nothing to delete', async () => {
  const nothingYet = await mkdtemp(join(folder, 'empty-'));
  const fresh = createFileObjectStore({ folder: nothingYet, baseURL: 'http://127.0.0.1', signingKey: 'a signing key' });
  await expect(fresh.discardExpired()).resolves.toBeUndefined();
});
