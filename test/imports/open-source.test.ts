// Sources of imports: every redirect to the file is checked, and files that are not media are refused with a reason.
import type { LookupAddress } from 'node:dns';
import type { ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { createNameResolver } from '../../lambda/ports/outbound/name-resolver.ts';
import { importLimits } from '../../lambda/imports/import-limits.ts';
import { openSource } from '../../lambda/imports/open-source.ts';
import type { ResumePoint, SourceOptions } from '../../lambda/imports/open-source.ts';
import { makeCertificate } from '../support/certificates.ts';
import { anyBytes, sendFile, startSource } from './source-server.ts';

const never = new AbortController().signal;
const bytes = anyBytes(10_000);

const usual = { allowPrivateAddresses: true, resolve: createNameResolver(), limits: importLimits };
const open = (link: string, options: Partial<SourceOptions> = {}, resume: ResumePoint | null = null) =>
  openSource({ url: link }, resume, { ...usual, ...options }, never);

async function failureOf(link: string, options: Partial<SourceOptions> = {}) {
  const source = await open(link, options).catch((error: unknown) => error);
  expect(source).toBeInstanceOf(Error);
  return source as Error & { code: string; detail: string };
}

/** A resolver that answers each query with the next list of addresses, and later ones with the last list. */
function resolver(...lists: string[][]) {
  const asked: string[] = [];
  const resolve = async (hostname: string): Promise<LookupAddress[]> => {
    const list = lists[Math.min(asked.push(hostname), lists.length) - 1]!;
    return list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { asked, resolve };
}

describe('redirects', () => {
  test('are followed to the file, even relative ones, and the last address names the file', async () => {
    await using far = await startSource((request, response) => sendFile(bytes, request, response));
    await using near = await startSource((request, response) => {
      const location = { '/a/start': '../b/next?x=1', '/b/next?x=1': far.url('/my%20clip.mp4?sig=1') }[request.url!];
      if (location === undefined) response.writeHead(404).end();
      else response.writeHead(request.url === '/a/start' ? 302 : 308, { location }).end('elsewhere');
    });
    const source = await open(near.url('/a/start'));
    expect(source).toMatchObject({
      name: 'my clip.mp4',
      mimeType: 'video/mp4',
      offset: 0,
      version: { validator: '"one"', sizeBytes: bytes.length },
    });
    expect((await buffer(source.body)).equals(bytes)).toBe(true);
  });

  test.each(['/loop', '/chain'])('are not followed for ever: %s', async (path) => {
    await using source = await startSource((request, response) =>
      response.writeHead(301, { location: path === '/loop' ? path : `${request.url}/on` }).end(),
    );
    expect((await failureOf(source.url(path))).code).toBe('too_many_redirects');
    expect(source.requests.length).toBe(importLimits.maxRedirects + 1);
  });

  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0251.0376.0251.0376/',
    'http://169.254.43518/',
    'http://[::ffff:169.254.169.254]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'http://169.254.170.2/v2/credentials',
    'http://0/',
    'http://[::]/',
    'file:///etc/passwd',
    'ftp://127.0.0.1/',
    'gopher://127.0.0.1/',
    'data:video/mp4,x',
  ])('to %s are refused, even where private addresses are allowed', async (location) => {
    await using source = await startSource((_request, response) => response.writeHead(302, { location }).end());
    expect((await failureOf(source.url('/'))).code).toBe('address_forbidden');
  });

  test.each(['', 'http://', 'http://user:secret@127.0.0.1/', 'http://a b/'])(
    'to %j are refused as no link',
    async (location) => {
      await using source = await startSource((_request, response) =>
        response.writeHead(302, location === '' ? {} : { location }).end(),
      );
      expect((await failureOf(source.url('/'))).code).toBe('redirect_malformed');
    },
  );

  test('from a public name into a private network are refused, and nothing is sent there', async () => {
    await using inside = await startSource((request, response) => sendFile(bytes, request, response));
    await using outside = await startSource((_request, response) =>
      response.writeHead(302, { location: inside.url('/') }).end(),
    );
    const failure = await failureOf(`http://localhost.example:${outside.port}/`, {
      allowPrivateAddresses: false,
      resolve: resolver(['127.0.0.1']).resolve,
    });
    expect(failure.code).toBe('address_forbidden');
    expect([...outside.requests, ...inside.requests]).toEqual([]);
  });
});

describe('names', () => {
  test('are resolved once: the client connects to the address that was checked', async () => {
    await using source = await startSource((request, response) => sendFile(bytes, request, response));
    const { asked, resolve } = resolver(['127.0.0.1'], ['169.254.169.254']);
    const { body } = await open(`http://rebinding.example:${source.port}/clip.mp4`, { resolve });
    expect((await buffer(body)).equals(bytes)).toBe(true);
    expect(asked).toEqual(['rebinding.example']);
    // The next query gets another answer.
    const failure = await failureOf(`http://rebinding.example:${source.port}/clip.mp4`, { resolve });
    expect(failure.code).toBe('address_forbidden');
  });

  test.each([
    ['loopback', ['127.0.0.1'], false],
    ['private', ['10.0.0.1'], false],
    ['IPv4-mapped loopback', ['::ffff:127.0.0.1'], false],
    ['one of metadata, where private ones are allowed', ['169.254.169.254'], true],
    ['an allowed and a forbidden one', ['127.0.0.1', '169.254.169.254'], true],
    ['a forbidden and an allowed one', ['fd00:ec2::254', '127.0.0.1'], true],
  ])('with an address that is %s are refused, and nothing is sent', async (_, addresses, allowPrivateAddresses) => {
    await using source = await startSource((request, response) => sendFile(bytes, request, response));
    const options = { allowPrivateAddresses, resolve: resolver(addresses).resolve };
    expect((await failureOf(`http://name.example:${source.port}/`, options)).code).toBe('address_forbidden');
    expect(source.requests).toEqual([]);
  });

  test('that nobody knows are told apart from hosts that do not answer', async () => {
    const unknown = () => Promise.reject(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }));
    const confused = () => Promise.reject(Object.assign(new Error('try again'), { code: 'EAI_AGAIN' }));
    const unreachable = { code: 'source_unreachable', retriable: true };
    const nobody = await failureOf('http://nobody.example/', { resolve: unknown });
    expect(nobody).toMatchObject({ code: 'name_not_found', retriable: false });
    expect(await failureOf('http://somebody.example/', { resolve: confused })).toMatchObject(unreachable);
    expect(await failureOf('http://127.0.0.1:1/')).toMatchObject(unreachable);
  });
});

describe('an answer is refused', () => {
  test.each([
    [401, 'access_refused', false],
    [403, 'access_refused', false],
    [404, 'source_not_found', false],
    [410, 'source_not_found', false],
    [400, 'source_refused', false],
    [204, 'source_refused', false],
    [206, 'source_refused', false],
    [304, 'source_refused', false],
    [429, 'source_failed', true],
    [500, 'source_failed', true],
    [503, 'source_failed', true],
  ])('with status %i, as %s', async (status, code, retriable) => {
    await using source = await startSource((_request, response) =>
      response.writeHead(status, { 'retry-after': '7' }).end(),
    );
    const failure = await failureOf(source.url('/'));
    expect(failure).toMatchObject({ code, retriable, retryAfterMs: status === 429 || status >= 500 ? 7000 : 0 });
    expect(failure.detail).toContain(`status ${status}. `);
  });

  const mp4 = { 'content-type': 'video/mp4' };
  test.each([
    ['a web page', { 'content-type': 'text/html; charset=utf-8' }, 'web_page'],
    ['JSON', { 'content-type': 'application/json' }, 'not_media'],
    ['an archive', { 'content-type': 'application/zip' }, 'not_media'],
    ['a playlist', { 'content-type': 'application/vnd.apple.mpegurl' }, 'not_media'],
    ['a playlist that calls itself audio', { 'content-type': 'audio/x-mpegurl' }, 'not_media'],
    ['a file that is compressed for transport', { ...mp4, 'content-encoding': 'gzip' }, 'compressed'],
    ['an empty file', { ...mp4, 'content-length': '0' }, 'empty'],
    [
      'a file that is larger than an import may be',
      { ...mp4, 'content-length': String(importLimits.maxBytes + 1) },
      'too_large',
    ],
  ])('that is %s', async (_, headers, code) => {
    await using source = await startSource((_request, response) => response.writeHead(200, headers).end());
    const failure = await failureOf(source.url('/?token=secret'));
    expect(failure).toMatchObject({ code, retriable: false, detail: expect.stringMatching(/^[A-Z].*\.$/) });
    expect(failure.detail + failure.message).not.toContain('secret');
  });

  test('that never comes, or whose headers never end', async () => {
    const limits = { ...importLimits, answerMs: 100 };
    await using silent = await startSource(() => {});
    expect((await failureOf(silent.url('/'), { limits })).code).toBe('source_unreachable');
    await using dripping = await startSource((request) => {
      const { socket } = request;
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x-more: y\r\n'), 10);
      socket.on('close', () => clearInterval(drip));
    });
    expect((await failureOf(dripping.url('/'), { limits })).code).toBe('source_unreachable');
  });

  test('that is not HTTP', async () => {
    await using source = await startSource((request) => request.socket.end('220 mail.example ESMTP\r\n'));
    expect((await failureOf(source.url('/'))).code).toBe('protocol_error');
  });
});

const certificate = await makeCertificate('DNS:localhost');

describe.skipIf(!certificate)('a source over TLS', () => {
  const serve = () => startSource((request, response) => sendFile(bytes, request, response), certificate!);

  test('has to prove its name', async () => {
    await using source = await serve();
    const tlsCa = certificate!.cert;
    const { body } = await open(source.url('/a'), { tlsCa });
    expect((await buffer(body)).equals(bytes)).toBe(true);
    const other = `https://other.example:${source.port}/a`;
    expect((await failureOf(other, { tlsCa, resolve: resolver(['127.0.0.1']).resolve })).code).toBe('tls_failed');
    expect((await failureOf(source.url('/a'))).code).toBe('tls_failed');
    expect(source.requests).toHaveLength(1);
  });

  test('has its name checked as over plain HTTP', async () => {
    await using source = await serve();
    expect((await failureOf(source.url('/a'), { allowPrivateAddresses: false })).code).toBe('address_forbidden');
    const { resolve } = resolver(['169.254.169.254']);
    expect((await failureOf(source.url('/a'), { resolve })).code).toBe('address_forbidden');
  });
});

describe('types and names', () => {
  test.each([
    ['video/quicktime; codecs=x', 'video/quicktime', 'video'],
    ['AUDIO/MPEG', 'audio/mpeg', 'audio'],
    ['image/png', 'image/png', 'image'],
    ['application/octet-stream', 'application/octet-stream', 'video'],
    ['binary/octet-stream', 'application/octet-stream', 'video'],
    ['text/plain', 'application/octet-stream', 'video'],
    ['', 'application/octet-stream', 'video'],
  ])('the type %j is taken as %s', async (header, mimeType, type) => {
    await using source = await startSource((request, response) =>
      sendFile(bytes, request, response, { headers: { 'content-type': header } }),
    );
    const { body, ...found } = await open(source.url('/'));
    body.destroy();
    expect(found).toMatchObject({ mimeType, type });
  });

  test.each([
    ['attachment; filename="a \\"b\\".mp4"', 'a "b".mp4'],
    [`attachment; filename=x.mp4; filename*=UTF-8''%c3%a9.mp4`, 'é.mp4'],
    ['attachment; filename="../../etc/passwd"', 'passwd'],
    ['attachment; filename="C:\\\\films\\\\a.mp4"', 'a.mp4'],
    ['attachment; filename="a\tb.mp4"', 'ab.mp4'],
    ['attachment; filename=""', 'file.bin'],
    ['nonsense; ;;=', 'file.bin'],
  ])('Content-Disposition %s names the file %s', async (header, name) => {
    await using source = await startSource((request, response) =>
      sendFile(bytes, request, response, { headers: { 'content-disposition': header } }),
    );
    const found = await open(source.url('/folder/file.bin'));
    found.body.destroy();
    expect(found.name).toBe(name);
  });

  test.each(['utf8', 'latin1'] as const)('a name that is written in %s is read', async (encoding) => {
    await using source = await startSource(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Disposition: attachment; filename="');
      socket.end(Buffer.from('é.mp4"\r\n\r\nx', encoding));
    });
    const found = await open(source.url('/'));
    found.body.destroy();
    expect(found.name).toBe('é.mp4');
  });
});

describe('an import that goes on at an offset', () => {
  const version = { validator: '"one"', sizeBytes: bytes.length };
  const rangeOf = (totalBytes: number, start: number) => `bytes ${start}-${bytes.length - 1}/${totalBytes}`;

  test('asks with If-Range, and gets the rest where the source knows ranges', async () => {
    await using source = await startSource((request, response) => sendFile(bytes, request, response));
    const found = await open(source.url('/'), {}, { offset: 4000, version });
    expect(found).toMatchObject({ offset: 4000, version });
    expect((await buffer(found.body)).equals(bytes.subarray(4000))).toBe(true);
  });

  test.each([
    ['knows no ranges', { ranges: false }, 1],
    ['has another file by now', { etag: '"two"' }, 1],
    ['sends another range', { headers: { 'content-range': rangeOf(bytes.length, 3999) } }, 2],
    ['sends a range without saying which', { headers: { 'content-range': 'all of it' } }, 2],
    ['sends a range of a larger file', { headers: { 'content-range': rangeOf(bytes.length + 1, 4000) } }, 2],
    ['sends a range of another file', { headers: { etag: '"three"' } }, 2],
  ])('begins anew where the source %s', async (_, options, requests) => {
    await using source = await startSource((request, response) =>
      sendFile(bytes, request, response, request.headers.range === undefined ? {} : options),
    );
    const found = await open(source.url('/'), {}, { offset: 4000, version });
    expect(found.offset).toBe(0);
    expect((await buffer(found.body)).equals(bytes)).toBe(true);
    expect(source.requests).toHaveLength(requests);
  });

  test('begins anew where the file has become shorter', async () => {
    await using source = await startSource((request, response) => sendFile(bytes, request, response));
    const found = await open(source.url('/'), {}, { offset: 20_000, version });
    found.body.destroy();
    expect(found.offset).toBe(0);
  });

  test.each([
    ['a strong ETag', { etag: '"x"' }, '"x"'],
    ['nothing when the ETag is weak', { etag: 'W/"x"' }, null],
    [
      'a settled Last-Modified',
      { 'last-modified': 'Sat, 01 Nov 2025 10:00:00 GMT', date: 'Sat, 01 Nov 2025 10:01:00 GMT' },
      'Sat, 01 Nov 2025 10:00:00 GMT',
    ],
    [
      'nothing when Last-Modified is of just now',
      { 'last-modified': 'Sat, 01 Nov 2025 10:00:00 GMT', date: 'Sat, 01 Nov 2025 10:00:30 GMT' },
      null,
    ],
    ['nothing when there are no ranges', { etag: '"x"', 'accept-ranges': 'none' }, null],
    ['nothing when there is neither', {}, null],
  ])('recognizes the file later by %s', async (_, headers, validator) => {
    await using source = await startSource((_request, response) =>
      response.writeHead(200, { 'content-length': '5', ...headers }).end('12345'),
    );
    const found = await open(source.url('/'));
    found.body.destroy();
    expect(found.version).toEqual({ validator, sizeBytes: 5 });
  });
});

describe('the page of Google Drive that warns of a missing virus scan', () => {
  const toLoopback = resolver(['127.0.0.1']).resolve;
  const drive = (port: number) => `http://drive.usercontent.google.com:${port}`;
  const sendPage = (response: ServerResponse, port: number) => {
    const form = `<form id="download-form" action="${drive(port)}/download" method="get">`;
    const fields = ['<input type="submit" value="Go"/>', '<input type="hidden" name="id" value="F1">'];
    const uuid = '<input type="hidden" name="uuid" value="a&amp;b">';
    const page = `<!DOCTYPE html><html>${form}${fields.join('\n    ')}${uuid}</form></html>`;
    response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  };

  test('is answered, and the file comes', async () => {
    await using source = await startSource((request, response) => {
      if (request.url === '/download?id=F1&uuid=a%26b') sendFile(bytes, request, response);
      else sendPage(response, source.port);
    });
    const found = await open(`${drive(source.port)}/download?id=F1`, { resolve: toLoopback });
    expect((await buffer(found.body)).equals(bytes)).toBe(true);
  });

  test('is not answered on other hosts, and not for ever', async () => {
    await using source = await startSource((_request, response) => sendPage(response, source.port));
    expect((await failureOf(source.url('/'))).code).toBe('web_page');
    const failure = await failureOf(`${drive(source.port)}/`, { resolve: toLoopback });
    expect(failure.code).toBe('too_many_redirects');
  });
});
