// Multipart uploads, through the REST surface and the URLs that it returns.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveObjects } from '../../bin/local/serve-objects.ts';
import { databaseOn } from '../../lambda/data/database.ts';
import { MultipartLost, partBytes } from '../../lambda/domain/media/upload-parts.ts';
import { discardAbandonedUploads } from '../../lambda/orchestration/media/discard-uploads.ts';
import { commandsTo } from '../support/outbox-rows.ts';
import { testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';
import { failImport, failProbe, letPartsAge, letUploadAge, objectKeyOf } from '../support/stored-uploads.ts';

const service = testService();
const server = createServer();
let user: TestUser;
let origin: string;
beforeAll(async () => {
  user = await service.user();
  server.on('request', serveObjects(service.objects(), { allowedOrigin: 'http://x', log: () => {} }));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const bytes = randomBytes(2 * partBytes + 7);
const bytesOf = (partNumber: number) => bytes.subarray((partNumber - 1) * partBytes, partNumber * partBytes);
const sha256Of = (body: Buffer) => createHash('sha256').update(body).digest('base64');

const create = async (more: object = {}) =>
  (
    await user.call('POST', '/uploads', {
      name: 'a',
      mimeType: 'video/mp4',
      fileSize: bytes.length,
      multipart: true,
      ...more,
    })
  ).body;
const urlsOf = (id: string, partNumbers: readonly number[], sha256?: readonly string[]) =>
  user.call('POST', `/uploads/${id}/part-urls`, { partNumbers, ...(sha256 && { sha256 }) });
const put = async (url: string, body: Buffer) => {
  const { pathname, search } = new URL(url);
  return (await fetch(origin + pathname + search, { method: 'PUT', body: new Uint8Array(body) })).status;
};
const send = async (id: string, ...partNumbers: number[]) => {
  const { parts } = (await urlsOf(id, partNumbers)).body;
  return Promise.all(
    parts.map(({ partNumber, url }: { partNumber: number; url: string }) => put(url, bytesOf(partNumber))),
  );
};
const complete = (id: string) => user.call('POST', `/uploads/${id}/complete`);
const usedOf = async (name: string) =>
  (await user.call('GET', '/me')).body.limits.find(({ limit }: { limit: string }) => limit === name).used;

describe('an upload in parts', () => {
  it('is whole once all parts have come, at once and in any order, and is examined as any other', async () => {
    const upload = await create();
    expect(upload).toMatchObject({ multipart: true, uploaded: false, fileSize: bytes.length });
    expect(await send(upload.id, 3, 1, 2)).toEqual([200, 200, 200]);
    const { status, body } = await complete(upload.id);
    expect([status, body]).toMatchObject([200, { uploaded: true, multipart: false, fileSize: bytes.length }]);
    const stored = await buffer(await service.objects().read(await objectKeyOf(service, upload.id)));
    expect(stored.equals(bytes)).toBe(true);
    expect((await complete(upload.id)).body).toEqual(body);
    expect(await commandsTo(service, 'media')).toContainEqual({ task: 'probe_upload', uploadID: upload.id });
    expect((await urlsOf(upload.id, [1])).body.code).toBe('resource_in_use');
  });

  it('goes on after a day: what has arrived is listed, and complete names what is missing', async () => {
    const { id } = await create();
    expect((await user.call('GET', `/uploads/${id}/parts`)).body).toEqual([]);
    expect((await complete(id)).body).toMatchObject({ code: 'parts_missing', partNumbers: [1, 2, 3] });
    await send(id, 2);
    await letPartsAge(service, id, 1);
    expect((await user.call('GET', `/uploads/${id}/parts`)).body).toEqual([
      { partNumber: 2, sizeBytes: partBytes, sha256: null },
    ]);
    const { status, body } = await complete(id);
    expect([status, body.code, body.partNumbers]).toEqual([422, 'parts_missing', [1, 3]]);
    await send(id, ...body.partNumbers);
    expect((await complete(id)).status).toBe(200);
  });

  it('begins anew where its parts are so old that the store may have thrown them away', async () => {
    const { id } = await create();
    await send(id, 1, 2);
    await letPartsAge(service, id, 8);
    expect((await complete(id)).body.partNumbers).toEqual([1, 2, 3]);
    const { object_key: key } = (await databaseOn(service.pool()).uploads.findAny(id))!;
    const ofBefore = (await databaseOn(service.pool()).multiparts.find(id, 9))!.multipart_id!;
    expect(await service.objects().listParts(key, ofBefore)).toHaveLength(2);
    expect(await send(id, 1, 2, 3)).toEqual([200, 200, 200]);
    // The earlier multipart upload accepts no more parts, and is no longer stored.
    await expect(service.objects().listParts(key, ofBefore)).rejects.toThrow(MultipartLost);
    expect((await complete(id)).status).toBe(200);
  });

  it('is checked part by part where the parts have their SHA-256', async () => {
    const { id } = await create();
    const { parts } = (await urlsOf(id, [1, 2], [sha256Of(bytesOf(1)), sha256Of(bytesOf(2))])).body;
    expect(await put(parts[0].url, bytesOf(2))).toBe(400);
    expect(await put(parts[1].url, bytesOf(2))).toBe(200);
    expect((await user.call('GET', `/uploads/${id}/parts`)).body).toEqual([
      { partNumber: 2, sizeBytes: partBytes, sha256: sha256Of(bytesOf(2)) },
    ]);
    expect((await urlsOf(id, [1])).body).toMatchObject({ code: 'part_mismatch', errors: [{ path: '/sha256' }] });
  });

  it('has parts of exactly the length that they have to have', async () => {
    const { id } = await create();
    const { parts, partSizeBytes } = (await urlsOf(id, [3])).body;
    expect(partSizeBytes).toBe(partBytes);
    expect(await put(parts[0].url, bytesOf(1))).toBe(403);
    expect(await put(parts[0].url, bytes.subarray(0, 6))).toBe(403);
    expect(await put(parts[0].url, bytesOf(3))).toBe(200);
  });

  it('is complete where the call that joined it was cut off before it could be noted', async () => {
    const { id } = await create();
    await send(id, 1, 2, 3);
    const { multipart_id: multipartID } = (await databaseOn(service.pool()).multiparts.find(id, 7))!;
    const key = await objectKeyOf(service, id);
    const objects = service.objects();
    await objects.completeMultipart(key, multipartID!, await objects.listParts(key, multipartID!));
    expect((await complete(id)).body).toMatchObject({ uploaded: true, multipart: false });
  });

  it.each([
    ['without fileSize', { fileSize: undefined }],
    ['of more than 100 GiB', { fileSize: 100 * 1024 ** 3 + 1 }],
    ['of nothing', { fileSize: 0 }],
    ['of half a byte', { fileSize: 1.5 }],
  ])('%s is refused', async (_, changes) => {
    expect(await create(changes)).toMatchObject({ code: 'validation_failed', errors: [{ path: '/fileSize' }] });
  });

  it.each([
    ['part 0', { partNumbers: [0] }, '/partNumbers/0'],
    ['a part beyond the last', { partNumbers: [1, 4] }, '/partNumbers/1'],
    ['a part beyond all', { partNumbers: [6401] }, '/partNumbers/0'],
    ['no part', { partNumbers: [] }, '/partNumbers'],
    ['101 parts', { partNumbers: Array.from({ length: 101 }, () => 1) }, '/partNumbers'],
    ['fewer checksums than parts', { partNumbers: [1, 2], sha256: [`${'A'.repeat(43)}=`] }, '/sha256'],
    ['what is no checksum', { partNumbers: [1], sha256: ['abc'] }, '/sha256/0'],
  ])('a URL for %s is refused', async (_, body, path) => {
    const { id } = await create();
    const answer = await user.call('POST', `/uploads/${id}/part-urls`, body);
    expect([answer.status, answer.body.errors?.[0].path]).toEqual([422, path]);
  });

  it('of 100 GiB has 6,400 parts, of which complete names 100', async () => {
    const rich = await service.user(100_000);
    const fileSize = 100 * 1024 ** 3;
    const { body } = await rich.call('POST', '/uploads', {
      name: 'a',
      mimeType: 'video/mp4',
      fileSize,
      multipart: true,
    });
    expect((await rich.call('POST', `/uploads/${body.id}/part-urls`, { partNumbers: [6400] })).status).toBe(200);
    const problem = (await rich.call('POST', `/uploads/${body.id}/complete`)).body;
    expect([problem.partNumbers.length, problem.detail.slice(0, 4)]).toEqual([100, '6400']);
  });

  it('takes no URL for all its bytes, and one that is sent whole takes none for parts', async () => {
    const { id } = await create();
    expect((await user.call('POST', `/uploads/${id}/upload-url`)).body.code).toBe('resource_in_use');
    const whole = (await user.call('POST', '/uploads', { name: 'a', mimeType: 'video/mp4', fileSize: 7 })).body;
    expect((await urlsOf(whole.id, [1])).body.code).toBe('resource_in_use');
  });

  it("is nobody else's", async () => {
    const { id } = await create();
    const other = await service.user();
    const answers = [
      await other.call('POST', `/uploads/${id}/part-urls`, { partNumbers: [1] }),
      await other.call('GET', `/uploads/${id}/parts`),
      await other.call('POST', `/uploads/${id}/retry`),
      await other.call('POST', `/uploads/${id}/download-url`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });

  it('counts against the limits until it is complete, or deleted with its parts', async () => {
    const [before, incoming] = [await usedOf('multipartUploads'), await usedOf('incomingBytes')];
    const { id } = await create();
    expect([await usedOf('multipartUploads'), await usedOf('incomingBytes')]).toEqual([
      before + 1,
      incoming + bytes.length,
    ]);
    await databaseOn(service.pool()).limits.override(user.id, 'multipartUploads', before + 1);
    expect(await create()).toMatchObject({ code: 'limit_reached', limit: 'multipartUploads', used: before + 1 });
    await databaseOn(service.pool()).limits.override(user.id, 'multipartUploads', null);
    await send(id, 1);
    const { multipart_id: multipartID } = (await databaseOn(service.pool()).multiparts.find(id, 7))!;
    const objectKey = await objectKeyOf(service, id);
    expect((await user.call('DELETE', `/uploads/${id}`)).status).toBe(204);
    expect([await usedOf('multipartUploads'), await usedOf('incomingBytes')]).toEqual([before, incoming]);
    expect(await commandsTo(service, 'media')).toContainEqual({ task: 'delete_object', objectKey, multipartID });
  });

  it('that is abandoned is deleted with its parts', async () => {
    const { id } = await create();
    await send(id, 1);
    await letUploadAge(service, id, 8);
    const objectKey = await objectKeyOf(service, id);
    await discardAbandonedUploads(service.pool());
    expect((await user.call('GET', `/uploads/${id}`)).status).toBe(404);
    const commands = await commandsTo(service, 'media');
    expect(commands).toContainEqual({ task: 'delete_object', objectKey, multipartID: expect.any(String) });
  });
});

describe('POST /uploads/{id}/retry', () => {
  it('has a file examined again that could not be', async () => {
    const { body } = await user.call('POST', '/uploads', { name: 'a', mimeType: 'video/mp4' });
    await service.objects().write(await objectKeyOf(service, body.id), bytesOf(3), { contentType: 'video/mp4' });
    await complete(body.id);
    await failProbe(service, body.id, 'not_examined');
    const stored = await usedOf('storedBytes');
    const { status, body: retried } = await user.call('POST', `/uploads/${body.id}/retry`);
    expect([status, retried]).toMatchObject([
      200,
      { uploaded: true, probeState: 'pending', failure: null, fileSize: 7 },
    ]);
    const commands = (await commandsTo(service, 'media')).filter(
      (each) => 'uploadID' in each && each.uploadID === body.id,
    );
    expect(commands).toHaveLength(2);
    expect(await usedOf('storedBytes')).toBe(stored);
    expect((await user.call('POST', `/uploads/${body.id}/retry`)).body).toEqual(retried);
  });

  it('has an import fetched again, from its beginning', async () => {
    const { body } = await user.call('POST', '/uploads/import', { url: 'https://example.com/a.mp4' });
    await failImport(service, body.id);
    expect((await user.call('GET', `/uploads/${body.id}`)).body.probeState).toBe('failed');
    expect((await user.call('POST', `/uploads/${body.id}/retry`)).body).toEqual(body);
    const told = { uploadID: body.id };
    expect((await commandsTo(service, 'imports')).slice(-2)).toEqual([told, told]);
  });
});

it('a download URL answers the bytes, to be saved under the name of the upload', async () => {
  const { body } = await user.call('POST', '/uploads', { name: 'Zürich.mp4', mimeType: 'video/mp4' });
  await service.objects().write(await objectKeyOf(service, body.id), bytesOf(3), { contentType: 'video/mp4' });
  await complete(body.id);
  const { url } = (await user.call('POST', `/uploads/${body.id}/download-url`)).body;
  const { pathname, search } = new URL(url);
  const response = await fetch(origin + pathname + search);
  expect(response.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''Z%C3%BCrich.mp4");
  expect(Buffer.from(await response.arrayBuffer()).equals(bytesOf(3))).toBe(true);
});
