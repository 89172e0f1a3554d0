// The local object store fulfils the contract, and refuses unsigned requests.
import * as fc from 'fast-check';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { buffer } from 'node:stream/consumers';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import type { FileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import { serveObjects } from '../../bin/local/serve-objects.ts';
import { objectStoreContract } from './object-store-contract.ts';

const webPage = 'http://127.0.0.1:3000';
const limits = { contentType: 'video/mp4', maxBytes: 100, expiresInSeconds: 60 };

describe('file object store', () => {
  let folder: string;
  let store: FileObjectStore;
  let anHourAgo: FileObjectStore;
  const logged: string[] = [];
  const server = createServer({ requestTimeout: 0 });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'object-store-'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const options = { folder, baseURL: `http://127.0.0.1:${port}/objects`, signingKey: 'a signing key' };
    store = createFileObjectStore(options);
    anHourAgo = createFileObjectStore({ ...options, now: () => new Date(Date.now() - 3_600_000) });
    server.on('request', serveObjects(store, { allowedOrigin: webPage, log: (event) => logged.push(event) }));
  });
  afterAll(async () => {
    server.close();
    server.closeAllConnections();
    await rm(folder, { recursive: true });
  });

  objectStoreContract(() => ({ store, anHourAgo }));

  const sizesIn = async (name: string) => {
    const files = await readdir(join(folder, name));
    return Promise.all(files.map(async (file) => (await stat(join(folder, name, file))).size));
  };
  const signedTarget = async (method: 'GET' | 'PUT') => {
    const url =
      method === 'GET'
        ? await store.presignGet('a/b', { expiresInSeconds: 60 })
        : (await store.presignPut('a/b', { ...limits, contentLength: 10 })).url;
    const { pathname, search } = new URL(url);
    return pathname + search;
  };

  describe('signed URLs', () => {
    test('allow exactly what they were made for', async () => {
      expect(store.authorize('GET', await signedTarget('GET'))).toEqual({ method: 'GET', key: 'a/b' });
      const granted = { contentType: 'video/mp4', contentLength: 10, maxBytes: 100 };
      expect(store.authorize('PUT', await signedTarget('PUT'))).toEqual({ method: 'PUT', key: 'a/b', limits: granted });
    });

    test.each(['GET', 'PUT'] as const)(
      'for %s are refused if any byte was changed, removed or added',
      async (method) => {
        const target = await signedTarget(method);
        const character = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCodePoint(code));
        const splice = fc.record({
          at: fc.nat({ max: target.length }),
          removed: fc.nat({ max: 3 }),
          added: fc.array(character, { maxLength: 3 }),
        });
        fc.assert(
          fc.property(splice, ({ at, removed, added }) => {
            const altered = target.slice(0, at) + added.join('') + target.slice(at + removed);
            fc.pre(altered !== target);
            expect(() => store.authorize(method, altered)).toThrow('not the one that the URL was signed for');
          }),
          { numRuns: 2000 },
        );
      },
    );

    // Not in the contract, because the AWS emulator accepts an unsigned request as the bucket owner's.
    test.each(['GET', 'PUT'] as const)('for %s without their signature are refused', async (method) => {
      const target = await signedTarget(method);
      expect(() => store.authorize(method, target.replace(/&signature=.*/, ''))).toThrow(
        'not the one that the URL was signed for',
      );
      expect(() => store.authorize(method, '/objects/a/b')).toThrow('not the one that the URL was signed for');
    });

    test('of another signing key are refused, with a problem that does not repeat the signature', async () => {
      const { origin } = new URL(await store.presignGet('a', { expiresInSeconds: 60 }));
      const stranger = createFileObjectStore({ folder, baseURL: `${origin}/objects`, signingKey: 'another key' });
      const response = await fetch(await stranger.presignGet('a', { expiresInSeconds: 60 }));
      expect(response.status).toBe(403);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
      expect(await response.json()).toEqual({
        type: 'about:blank',
        code: 'signature_mismatch',
        status: 403,
        title: 'Forbidden',
        detail: 'the request is not the one that the URL was signed for',
      });
    });

    test('that have expired are refused with that reason', async () => {
      const response = await fetch(await anHourAgo.presignGet('a', { expiresInSeconds: 60 }));
      expect(await response.json()).toMatchObject({ status: 403, code: 'url_expired' });
    });
  });

  describe('uploads', () => {
    test('of more than maxBytes are refused with 422, and nothing of them is kept', async () => {
      const { url, headers } = await store.presignPut('too/large', limits);
      const response = await fetch(url, { method: 'PUT', headers, body: new Uint8Array(101) });
      expect(response.status).toBe(422);
      expect(await response.json()).toMatchObject({ code: 'payload_too_large' });
      expect(await store.head('too/large')).toBeNull();
      expect(await sizesIn('parts')).toEqual([]);
    });

    test('at once to one key leave one object, and nothing of the other', async () => {
      const { url, headers } = await store.presignPut('raced', limits);
      const upload = (text: string) => {
        const request = httpRequest(url, { method: 'PUT', headers: { ...headers, 'content-length': 4 } });
        request.write(text.slice(0, 2));
        return request;
      };
      const [first, second] = [upload('aaaa'), upload('bbbb')];
      await expect.poll(() => sizesIn('parts')).toEqual([2, 2]);
      first.end('aa');
      const [made]: IncomingMessage[] = await once(first, 'response');
      second.end('bb');
      const [refused]: IncomingMessage[] = await once(second, 'response');
      expect([made?.statusCode, refused?.statusCode]).toEqual([200, 412]);
      expect(await buffer(await store.read('raced'))).toEqual(Buffer.from('aaaa'));
      expect(await sizesIn('parts')).toEqual([]);
    });

    test.each([
      ['content-type', 'text/html', 'Content-Type: video/mp4, and the request has Content-Type: text/html'],
      ['if-none-match', '"etag"', 'If-None-Match: *, and the request has If-None-Match: "etag"'],
    ])('with another %s are refused with the one that was signed', async (name, value, why) => {
      const { url, headers } = await store.presignPut('headers', limits);
      const response = await fetch(url, { method: 'PUT', headers: { ...headers, [name]: value }, body: 'x' });
      expect(await response.json()).toMatchObject({
        status: 403,
        code: 'signature_mismatch',
        detail: `the URL was signed for ${why}; send the headers that came with the URL`,
      });
    });

    // Not in the contract: the emulator ignores checksums in the query of a URL.
    test('of a part with other bytes than were signed are refused, and what was there stays', async () => {
      const multipartID = await store.createMultipart('in/parts', { contentType: 'video/mp4', hasSHA256: true });
      const sha256 = createHash('sha256').update('0123').digest('base64');
      const limits = { partNumber: 1, contentLength: 4, sha256, expiresInSeconds: 60 };
      const { url } = await store.presignPart('in/parts', multipartID, limits);
      const put = async (body: string) => (await fetch(url, { method: 'PUT', body })).status;
      expect([await put('0123'), await put('other'.slice(1))]).toEqual([200, 400]);
      expect(await store.listParts('in/parts', multipartID)).toMatchObject([{ partNumber: 1, sizeBytes: 4, sha256 }]);
      const left = await readdir(join(folder, 'multiparts', multipartID));
      expect(left.filter((name) => !/^(?:bytes|facts\.json|1-4-[0-9a-f]{64})$/.test(name))).toEqual([]);
    });

    // Not in the contract: the emulator ignores unsigned headers.
    test.each(['x-amz-acl', 'x-amz-checksum-crc32', 'x-amz-meta-name'])(
      'with the header %s, which was not signed, are refused, as by S3',
      async (name) => {
        const { url, headers } = await store.presignPut('unsigned', limits);
        const response = await fetch(url, { method: 'PUT', headers: { ...headers, [name]: 'x' }, body: 'x' });
        expect(await response.json()).toMatchObject({ status: 403, code: 'signature_mismatch' });
        expect(await store.head('unsigned')).toBeNull();
      },
    );

    test.each([
      ['of another body', createHash('md5').update('other').digest('base64'), 400],
      ['that is none', 'x', 400],
      ['of this body', createHash('md5').update('0123').digest('base64'), 200],
    ])('with a Content-MD5 %s are judged by it, as by S3', async (_what, digest, status) => {
      const { url, headers } = await store.presignPut(`digest/${status}`, limits);
      const response = await fetch(url, {
        method: 'PUT',
        headers: { ...headers, 'content-md5': digest },
        body: '0123',
      });
      expect(response.status).toBe(status);
      expect((await store.head(`digest/${status}`)) === null).toBe(status !== 200);
      expect(await sizesIn('parts')).toEqual([]);
    });

    test('without a Content-Length are refused, as by S3', async () => {
      const { url, headers } = await store.presignPut('chunked', limits);
      const upload = httpRequest(url, { method: 'PUT', headers: { ...headers, 'transfer-encoding': 'chunked' } }).end(
        '0123',
      );
      const [response]: IncomingMessage[] = await once(upload, 'response');
      expect(response?.statusCode).toBe(411);
      expect(await store.head('chunked')).toBeNull();
    });

    test('go to disk as they arrive, and leave nothing when they are given up half-way', async () => {
      const { url, headers } = await store.presignPut('given/up', { ...limits, contentLength: 100 });
      const upload = httpRequest(url, { method: 'PUT', headers: { ...headers, 'content-length': 100 } });
      upload.on('error', () => {});
      upload.write('0123456789'.repeat(5));
      await expect.poll(() => sizesIn('parts')).toEqual([50]);
      expect(await store.head('given/up')).toBeNull();
      upload.destroy();
      await expect.poll(() => sizesIn('parts')).toEqual([]);
      expect(await store.head('given/up')).toBeNull();
      expect(logged).toEqual([]);
    });
  });

  describe('a browser', () => {
    test('may upload and play on the origin of the web page', async () => {
      const { url } = await store.presignPut('from/browser', limits);
      const preflight = await fetch(url, {
        method: 'OPTIONS',
        headers: {
          origin: webPage,
          'access-control-request-method': 'PUT',
          'access-control-request-headers': 'content-type',
        },
      });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get('access-control-allow-origin')).toBe(webPage);
      expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT');
      expect(preflight.headers.get('access-control-allow-headers')).toBe('content-type, if-none-match, range');
      const refusal = await fetch(url, { method: 'PUT', headers: { origin: webPage }, body: 'x' });
      expect(refusal.status).toBe(403);
      expect(refusal.headers.get('access-control-allow-origin')).toBe(webPage);
    });

    test('may not do so on another origin', async () => {
      const url = await store.presignGet('a', { expiresInSeconds: 60 });
      const response = await fetch(url, { method: 'OPTIONS', headers: { origin: 'http://elsewhere.example' } });
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    });
  });
});
