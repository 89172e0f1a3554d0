// Behaviour of every object store, whatever its implementation.
import * as fc from 'fast-check';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { MultipartLost, partBytes } from '../../lambda/domain/media/upload-parts.ts';
import {
  InvalidObjectKey,
  maxPutBytes,
  ObjectNotFound,
  PayloadTooLarge,
} from '../../lambda/ports/object-store/object-store.ts';
import type { ObjectStore, PartLimits } from '../../lambda/ports/object-store/object-store.ts';

export interface ObjectStoreUnderTest {
  readonly store: ObjectStore;
  /** The objects through a store whose clock is an hour behind. */
  readonly anHourAgo: ObjectStore;
}

const bytes = Buffer.from('0123456789');
const limits = { contentType: 'video/mp4', maxBytes: 100, expiresInSeconds: 60 };
const video = { contentType: 'video/mp4' };
const newKey = () => `tests/${randomUUID()}`;

/** Signs a URL for a PUT, and sends that PUT with some changes. */
async function put(
  store: ObjectStore,
  key: string,
  changes: {
    contentLength?: number;
    headers?: Record<string, string>;
    body?: Buffer;
    change?: (url: string) => string;
  },
) {
  const { contentLength, headers, body = bytes, change = (url) => url } = changes;
  const signed = await store.presignPut(key, contentLength === undefined ? limits : { ...limits, contentLength });
  return fetch(change(signed.url), {
    method: 'PUT',
    headers: { ...signed.headers, ...headers },
    body: new Uint8Array(body),
  });
}

/** Writes an object, and gets it by a signed URL. */
async function get(store: ObjectStore, headers: Record<string, string> = {}) {
  const key = newKey();
  await store.write(key, bytes, video);
  return fetch(await store.presignGet(key, { expiresInSeconds: 60 }), { headers });
}

const sha256Of = (body: Buffer) => createHash('sha256').update(body).digest('base64');

/** Limits of a URL for a part with these bytes. */
const partLimits = (body: Buffer, changes: Partial<PartLimits> = {}): PartLimits => ({
  partNumber: 1,
  contentLength: body.length,
  sha256: null,
  expiresInSeconds: 60,
  ...changes,
});

/** Signs a URL for a part, and sends these bytes there. */
async function sendPart(store: ObjectStore, key: string, multipartID: string, limits: PartLimits, body: Buffer) {
  const { url, headers } = await store.presignPart(key, multipartID, limits);
  return fetch(url, { method: 'PUT', headers, body: new Uint8Array(body) });
}

export function objectStoreContract(underTest: () => ObjectStoreUnderTest): void {
  const store = () => underTest().store;

  describe('reading and writing', () => {
    test('what was written is read back, with its size and type', async () => {
      const key = newKey();
      await store().write(key, bytes, video);
      expect(await buffer(await store().read(key))).toEqual(bytes);
      expect(await store().head(key)).toEqual({ sizeBytes: 10, contentType: 'video/mp4' });
    });

    test('any bytes are read back under any valid key, even if another key begins with it', async () => {
      const segment = fc.stringMatching(/^[A-Za-z0-9_=-][A-Za-z0-9._=-]{0,20}$/);
      const keys = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));
      await fc.assert(
        fc.asyncProperty(keys, fc.uint8Array({ maxLength: 500 }), async (path, content) => {
          const key = `${newKey()}/${path}`;
          await store().write(key, Buffer.from(content), video);
          await store().write(`${key}/below`, Buffer.from('another'), { contentType: 'text/plain' });
          expect(await buffer(await store().read(key))).toEqual(Buffer.from(content));
          expect(await store().head(key)).toEqual({ sizeBytes: content.length, contentType: 'video/mp4' });
        }),
        { numRuns: 25 },
      );
    });

    test('a stream of several parts arrives whole', async () => {
      const key = newKey();
      const piece = randomBytes(1_000_003);
      await store().write(key, Readable.from(Array.from({ length: 36 }, () => piece)), video);
      const stored = await buffer(await store().read(key));
      expect(stored.equals(Buffer.concat(Array.from({ length: 36 }, () => piece)))).toBe(true);
    });

    test.each([
      [{ start: 0, end: 2 }, '012'],
      [{ start: 7, end: 7 }, '7'],
      [{ start: 8, end: 100 }, '89'],
    ])('a range is read without the rest: %j', async (range, expected) => {
      const key = newKey();
      await store().write(key, bytes, video);
      expect((await buffer(await store().read(key, range))).toString()).toBe(expected);
    });

    test('an empty object is an object', async () => {
      const key = newKey();
      await store().write(key, Readable.from([]), video);
      expect(await store().head(key)).toEqual({ sizeBytes: 0, contentType: 'video/mp4' });
      expect(await buffer(await store().read(key))).toHaveLength(0);
    });

    test('writing again replaces bytes and type, while earlier readers go on with the old ones', async () => {
      const key = newKey();
      await store().write(key, bytes, video);
      const before = await store().read(key);
      await store().write(key, Buffer.from('other'), { contentType: 'text/plain' });
      expect(await buffer(before)).toEqual(bytes);
      expect(await buffer(await store().read(key))).toEqual(Buffer.from('other'));
      expect(await store().head(key)).toEqual({ sizeBytes: 5, contentType: 'text/plain' });
    });

    test.each([0, 20])('a stream that fails after %i MiB leaves what was there', async (mebibytes) => {
      const key = newKey();
      await store().write(key, bytes, video);
      const failing = Readable.from(
        (function* () {
          for (let index = 0; index < mebibytes; index += 1) yield Buffer.alloc(1024 ** 2);
          throw new Error('the source failed');
        })(),
      );
      await expect(store().write(key, failing, video)).rejects.toThrow('the source failed');
      expect(await buffer(await store().read(key))).toEqual(bytes);
    });

    test('of an object that does not exist head is null, read fails and delete succeeds', async () => {
      const key = newKey();
      expect(await store().head(key)).toBeNull();
      await expect(store().read(key)).rejects.toThrow(ObjectNotFound);
      await store().delete(key);
    });

    test('an object that was deleted is gone', async () => {
      const key = newKey();
      await store().write(key, bytes, video);
      await store().delete(key);
      expect(await store().head(key)).toBeNull();
    });

    test.each([
      '',
      '/',
      'a/',
      '/a',
      'a//b',
      '..',
      'a/../b',
      '../a',
      '.hidden',
      'a/.b',
      String.raw`a\b`,
      'a b',
      'a%2fb',
      'a?b',
      'a\0',
      'a\n',
      'ä',
      'a@object',
      'a'.repeat(600),
    ])('every method refuses the key %j', async (key) => {
      const uses = [
        () => store().presignPut(key, limits),
        () => store().presignGet(key, { expiresInSeconds: 60 }),
        () => store().head(key),
        () => store().read(key),
        () => store().write(key, bytes, video),
        () => store().delete(key),
        () => store().createMultipart(key, video),
        () => store().presignPart(key, 'x', partLimits(bytes)),
        () => store().putPart(key, 'x', 1, bytes),
        () => store().listParts(key, 'x'),
        () => store().completeMultipart(key, 'x', []),
        () => store().abortMultipart(key, 'x'),
      ];
      for (const use of uses) await expect(use()).rejects.toThrow(InvalidObjectKey);
    });
  });

  describe('an object that arrives in parts', () => {
    const first = Buffer.alloc(partBytes, 'first');

    test('does not exist before it is complete, and then is whole, with its type', async () => {
      const key = newKey();
      const multipartID = await store().createMultipart(key, video);
      // Parts may arrive in any order: a restarted writer may begin with the second.
      const second = await store().putPart(key, multipartID, 2, bytes);
      const parts = [await store().putPart(key, multipartID, 1, first), second];
      expect(await store().head(key)).toBeNull();
      expect(await store().listParts(key, multipartID)).toEqual(parts);
      await store().completeMultipart(key, multipartID, parts);
      expect(await store().head(key)).toEqual({ sizeBytes: partBytes + bytes.length, contentType: 'video/mp4' });
      expect((await buffer(await store().read(key))).equals(Buffer.concat([first, bytes]))).toBe(true);
    });

    test('tells everybody its parts with their sizes, and takes a part again', async () => {
      const key = newKey();
      const multipartID = await store().createMultipart(key, video);
      const before = await store().putPart(key, multipartID, 1, bytes);
      expect(before).toMatchObject({ partNumber: 1, sizeBytes: 10 });
      expect(await store().putPart(key, multipartID, 1, bytes)).toEqual(before);
      const after = await store().putPart(key, multipartID, 1, Buffer.from('other'));
      expect(after.etag).not.toBe(before.etag);
      expect(await underTest().anHourAgo.listParts(key, multipartID)).toEqual([after]);
    });

    test('is not made of a part that others have replaced', async () => {
      const key = newKey();
      const multipartID = await store().createMultipart(key, video);
      const mine = await store().putPart(key, multipartID, 1, bytes);
      const theirs = await store().putPart(key, multipartID, 1, Buffer.from('other'));
      await expect(store().completeMultipart(key, multipartID, [mine])).rejects.toThrow(MultipartLost);
      expect(await store().head(key)).toBeNull();
      await store().completeMultipart(key, multipartID, [theirs]);
      expect(await buffer(await store().read(key))).toEqual(Buffer.from('other'));
    });

    test('takes no parts once it is complete or aborted, and can be aborted twice', async () => {
      const key = newKey();
      const [complete, aborted] = [
        await store().createMultipart(key, video),
        await store().createMultipart(key, video),
      ];
      const part = await store().putPart(key, complete, 1, bytes);
      await store().putPart(key, aborted, 1, bytes);
      await store().completeMultipart(key, complete, [part]);
      await store().abortMultipart(key, aborted);
      await store().abortMultipart(key, aborted);
      for (const gone of [complete, aborted]) {
        await expect(store().putPart(key, gone, 2, bytes)).rejects.toThrow(MultipartLost);
        await expect(store().listParts(key, gone)).rejects.toThrow(MultipartLost);
      }
      await expect(store().completeMultipart(key, aborted, [part])).rejects.toThrow(MultipartLost);
      expect(await buffer(await store().read(key))).toEqual(bytes);
    });
  });

  describe('a part that a client sends', () => {
    const first = randomBytes(partBytes);

    test.each([true, false])('comes in any order, and once more, with a checksum: %s', async (hasSHA256) => {
      const key = newKey();
      const multipartID = await store().createMultipart(key, { ...video, hasSHA256 });
      const send = async (partNumber: number, body: Buffer) => {
        const limits = partLimits(body, { partNumber, sha256: hasSHA256 ? sha256Of(body) : null });
        return (await sendPart(store(), key, multipartID, limits, body)).status;
      };
      expect([await send(2, bytes), await send(1, first), await send(2, bytes)]).toEqual([200, 200, 200]);
      const parts = await store().listParts(key, multipartID);
      expect(parts.map(({ partNumber, sizeBytes, sha256 }) => [partNumber, sizeBytes, sha256])).toEqual([
        [1, partBytes, hasSHA256 ? sha256Of(first) : null],
        [2, 10, hasSHA256 ? sha256Of(bytes) : null],
      ]);
      await store().completeMultipart(key, multipartID, parts);
      expect(await store().head(key)).toEqual({ sizeBytes: partBytes + 10, contentType: 'video/mp4' });
      expect((await buffer(await store().read(key))).equals(Buffer.concat([first, bytes]))).toBe(true);
    });

    test('is refused at another length or place, once the URL has expired, and once the parts are gone', async () => {
      const key = newKey();
      const multipartID = await store().createMultipart(key, video);
      const { url } = await store().presignPart(key, multipartID, partLimits(bytes));
      const put = (to: string, body: string) => fetch(to, { method: 'PUT', body });
      expect((await put(url, '012345678')).status).toBe(403);
      expect((await put(url.replace(/(partNumber=)1/i, '$12'), '0123456789')).status).toBe(403);
      const late = await underTest().anHourAgo.presignPart(key, multipartID, partLimits(bytes));
      expect((await put(late.url, '0123456789')).status).toBe(403);
      expect(await store().listParts(key, multipartID)).toEqual([]);
      await store().abortMultipart(key, multipartID);
      expect((await put(url, '0123456789')).status).toBe(404);
    });
  });

  describe('signed PUT', () => {
    test('writes the bytes as they are', async () => {
      const key = newKey();
      const { status } = await put(store(), key, { contentLength: 10 });
      expect(status).toBe(200);
      expect(await buffer(await store().read(key))).toEqual(bytes);
      expect(await store().head(key)).toEqual({ sizeBytes: 10, contentType: 'video/mp4' });
    });

    test('accepts any length when none was signed', async () => {
      const key = newKey();
      expect((await put(store(), key, {})).status).toBe(200);
      expect(await store().head(key)).toEqual({ sizeBytes: 10, contentType: 'video/mp4' });
    });

    test('makes an object, and is refused where there is one', async () => {
      const key = newKey();
      const { url, headers } = await store().presignPut(key, limits);
      const send = (text: string) => fetch(url, { method: 'PUT', headers, body: text });
      expect((await send('0123456789')).status).toBe(200);
      expect((await send('other')).status).toBe(412);
      expect(await buffer(await store().read(key))).toEqual(bytes);
      await store().write(key, Buffer.from('written'), video);
      expect((await send('other')).status).toBe(412);
      expect(await buffer(await store().read(key))).toEqual(Buffer.from('written'));
    });

    test('says when it expires', async () => {
      const before = Math.floor(Date.now() / 1000) * 1000;
      const { expiresAt } = await store().presignPut(newKey(), limits);
      expect(expiresAt.getTime()).toBeGreaterThanOrEqual(before + 60_000);
      expect(expiresAt.getTime()).toBeLessThanOrEqual(Date.now() + 60_000);
    });

    test.each([
      ['another length', { contentLength: 9 }],
      ['another type', { headers: { 'content-type': 'text/html' } }],
      ['to leave the condition out', { headers: { 'if-none-match': '' } }],
      ['another key', { change: (url: string) => url.replace('tests/', 'tests/x') }],
      ['a later expiry', { change: (url: string) => url.replace(/(expires=)\d+/i, '$199999') }],
      [
        'another signature',
        { change: (url: string) => url.replace(/(signature=)[0-9a-f]{64}/i, `$1${'0'.repeat(64)}`) },
      ],
    ])('refuses %s', async (_, changes) => {
      const key = newKey();
      expect((await put(store(), key, changes)).status).toBe(403);
      expect(await store().head(key)).toBeNull();
    });

    test('refuses every other method', async () => {
      const key = newKey();
      await store().write(key, bytes, video);
      const { url } = await store().presignPut(key, limits);
      for (const method of ['GET', 'HEAD', 'DELETE']) expect((await fetch(url, { method })).status).toBe(403);
      expect(await store().head(key)).not.toBeNull();
    });

    test('is refused once the URL has expired', async () => {
      const key = newKey();
      expect((await put(underTest().anHourAgo, key, {})).status).toBe(403);
      expect(await store().head(key)).toBeNull();
    });

    test('is not made for more bytes than allowed', async () => {
      await expect(store().presignPut(newKey(), { ...limits, contentLength: 101 })).rejects.toThrow(PayloadTooLarge);
      const huge = maxPutBytes + 1;
      await expect(store().presignPut(newKey(), { ...limits, maxBytes: huge, contentLength: huge })).rejects.toThrow(
        PayloadTooLarge,
      );
    });
  });

  // https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html, X-Amz-Expires
  test('no URL is signed for more than a week', async () => {
    const tooLong = { expiresInSeconds: 604_801 };
    await expect(store().presignPut(newKey(), { ...limits, ...tooLong })).rejects.toThrow('one week');
    await expect(store().presignGet(newKey(), tooLong)).rejects.toThrow('one week');
    expect(await store().presignGet(newKey(), { expiresInSeconds: 604_800 })).toContain('http');
  });

  describe('signed GET', () => {
    test('answers with the object', async () => {
      const response = await get(store());
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('video/mp4');
      expect(response.headers.get('content-length')).toBe('10');
      expect(response.headers.get('accept-ranges')).toBe('bytes');
      expect(await response.text()).toBe('0123456789');
    });

    test.each([
      ['bytes=2-5', '2345', 'bytes 2-5/10'],
      ['bytes=7-', '789', 'bytes 7-9/10'],
      ['bytes=-3', '789', 'bytes 7-9/10'],
      ['bytes=8-100', '89', 'bytes 8-9/10'],
    ])('answers %s with that part', async (range, text, contentRange) => {
      const response = await get(store(), { range });
      expect(response.status).toBe(206);
      expect(response.headers.get('content-range')).toBe(contentRange);
      expect(response.headers.get('content-length')).toBe(String(text.length));
      expect(await response.text()).toBe(text);
    });

    test('refuses a range outside of the object with 416', async () => {
      expect((await get(store(), { range: 'bytes=10-' })).status).toBe(416);
    });

    test('names the file that it is saved as, whatever the name', async () => {
      const key = newKey();
      await store().write(key, bytes, video);
      const names = ['a.mp4', 'Zürich (live)*; "x"\r\nset-cookie: y', '\ud800'];
      for (const downloadName of names) {
        const response = await fetch(await store().presignGet(key, { expiresInSeconds: 60, downloadName }));
        expect(await response.text()).toBe('0123456789');
        const [, escaped = ''] = /^attachment; filename\*=UTF-8''([\w.%~!-]*)$/.exec(
          response.headers.get('content-disposition') ?? '',
        )!;
        expect(decodeURIComponent(escaped)).toBe(downloadName.toWellFormed());
      }
    });

    test('answers 404 where there is nothing', async () => {
      expect((await fetch(await store().presignGet(newKey(), { expiresInSeconds: 60 }))).status).toBe(404);
    });

    test('refuses every other method, and a PUT above all', async () => {
      const key = newKey();
      await store().write(key, bytes, video);
      const url = await store().presignGet(key, { expiresInSeconds: 60 });
      for (const method of ['PUT', 'HEAD', 'DELETE']) expect((await fetch(url, { method })).status).toBe(403);
      expect(await store().head(key)).toEqual({ sizeBytes: 10, contentType: 'video/mp4' });
    });

    test('is refused once the URL has expired', async () => {
      const key = newKey();
      await store().write(key, bytes, video);
      expect((await fetch(await underTest().anHourAgo.presignGet(key, { expiresInSeconds: 60 }))).status).toBe(403);
    });
  });
}
