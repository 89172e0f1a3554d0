// Uploads through the REST surface: from the record to the completed bytes, with every refusal.
import { beforeAll, describe, expect, it } from 'vitest';
import { commandsTo } from '../support/outbox-rows.ts';
import { countRows } from '../support/rows.ts';
import { testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';
import { objectKeyOf } from '../support/stored-uploads.ts';

const service = testService();
let user: TestUser;
let other: TestUser;
beforeAll(async () => {
  user = await service.user();
  other = await service.user();
});

const create = (body: object = { name: 'clip.mp4', mimeType: 'video/mp4' }) => user.call('POST', '/uploads', body);
/** Sends the bytes of an upload. */
const write = async (id: string, bytes: string) =>
  service.objects().write(await objectKeyOf(service, id), Buffer.from(bytes), { contentType: 'video/mp4' });

describe('POST /uploads', () => {
  it('makes a record, with Location, that waits for its bytes', async () => {
    const { status, headers, body } = await create({ name: 'clip.mp4', mimeType: 'video/mp4', fileSize: 3 });
    expect(status).toBe(201);
    expect(headers.get('location')).toMatch(new RegExp(`/v1/uploads/${body.id}$`));
    expect(body).toMatchObject({
      name: 'clip.mp4',
      type: 'video',
      mimeType: 'video/mp4',
      uploaded: false,
      probeState: 'pending',
      fileSize: 3,
      failure: null,
    });
    expect(new Date(body.createdAt).toISOString()).toBe(body.createdAt);
  });

  it('takes the type from the media type unless it is given, and leaves fileSize out when it is unknown', async () => {
    const image = await create({ name: 'still', mimeType: 'image/png' });
    expect(image.body.type).toBe('image');
    expect(image.body).not.toHaveProperty('fileSize');
    expect((await create({ name: 'sound of a film', mimeType: 'video/mp4', type: 'audio' })).body.type).toBe('audio');
  });

  it.each([
    ['a missing field', { name: 'x' }, 'validation_failed', '/mimeType'],
    ['a wrong type', { name: 7, mimeType: 'video/mp4' }, 'validation_failed', '/name'],
    ['an unknown field', { name: 'x', mimeType: 'video/mp4', colour: 'red' }, 'unknown_field', '/colour'],
    ['a type that is not media', { name: 'x', mimeType: 'text/html' }, 'validation_failed', '/mimeType'],
    ['a media type with a line break', { name: 'x', mimeType: 'video/mp4\r\nx: y' }, 'validation_failed', '/mimeType'],
    [
      'more than 5 GiB',
      { name: 'x', mimeType: 'video/mp4', fileSize: 5 * 1024 ** 3 + 1 },
      'validation_failed',
      '/fileSize',
    ],
    ['no bytes at all', { name: 'x', mimeType: 'video/mp4', fileSize: 0 }, 'validation_failed', '/fileSize'],
    ['a null character', { name: 'a\u0000b', mimeType: 'video/mp4' }, 'validation_failed', '/name'],
  ])('refuses %s and writes nothing', async (_, input, code, path) => {
    const before = (await user.call('GET', '/uploads?limit=100')).body.data.length;
    const { status, headers, body } = await create(input);
    expect(status).toBe(422);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(body).toMatchObject({ status: 422, code, errors: [{ path, code }] });
    expect((await user.call('GET', '/uploads?limit=100')).body.data).toHaveLength(before);
  });
});

describe('POST /uploads/import', () => {
  const importFrom = (body: object) => user.call('POST', '/uploads/import', body);

  it('makes an upload that waits for its source, with Location, and a command', async () => {
    const url = 'https://example.com/films/my%20clip.mp4?token=x';
    const { status, headers, body } = await importFrom({ url });
    expect(status).toBe(202);
    expect(headers.get('location')).toMatch(new RegExp(`/v1/uploads/${body.id}$`));
    const externalSource = { url, state: 'pending', bytesReceived: 0, failure: null };
    expect(body).toMatchObject({
      name: 'my clip.mp4',
      uploaded: false,
      probeState: 'pending',
      failure: null,
      externalSource,
    });
    expect((await user.call('GET', `/uploads/${body.id}`)).body).toEqual(body);
    expect((await user.call('GET', '/uploads?limit=1')).body.data).toEqual([body]);
    expect(await commandsTo(service, 'imports')).toContainEqual({ uploadID: body.id });
  });

  it('takes the name that is given, and only imported uploads have an externalSource', async () => {
    expect((await importFrom({ url: 'https://example.com/a.mp4', name: 'Mine' })).body.name).toBe('Mine');
    expect((await create()).body).not.toHaveProperty('externalSource');
  });

  it('runs once for one Idempotency-Key', async () => {
    const send = () =>
      user.call(
        'POST',
        '/uploads/import',
        { url: 'https://example.com/once.mp4' },
        { 'idempotency-key': 'import-once' },
      );
    const [first, second] = [await send(), await send()];
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
  });

  it.each([
    ['no url', {}, 'validation_failed', '/url'],
    ['what is no URL', { url: 'my clip' }, 'validation_failed', '/url'],
    ['a user name and password', { url: 'https://ada:secret@example.com/a.mp4' }, 'validation_failed', '/url'],
    ['a null character', { url: 'https://example.com/\u0000' }, 'validation_failed', '/url'],
    ['another scheme', { url: 'ftp://example.com/a.mp4' }, 'import_url_forbidden', '/url'],
    ['a file of ours', { url: 'file:///etc/passwd' }, 'import_url_forbidden', '/url'],
    ['instance metadata', { url: 'http://169.254.169.254/latest/meta-data' }, 'import_url_forbidden', '/url'],
    ['instance metadata in decimal', { url: 'http://2852039166/' }, 'import_url_forbidden', '/url'],
    ['instance metadata inside IPv6', { url: 'http://[::ffff:a9fe:a9fe]/' }, 'import_url_forbidden', '/url'],
    ['a link-local address', { url: 'http://[fe80::1]/a.mp4' }, 'import_url_forbidden', '/url'],
    ['an empty name', { url: 'https://example.com/a.mp4', name: '' }, 'validation_failed', '/name'],
    ['an unknown field', { url: 'https://example.com/a.mp4', mimeType: 'video/mp4' }, 'unknown_field', '/mimeType'],
  ])('refuses %s and writes nothing', async (_, input, code, path) => {
    const before = await countRows(service, 'imports');
    const { status, body } = await importFrom(input);
    expect([status, body.code, body.errors[0].path]).toEqual([422, code, path]);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(await countRows(service, 'imports')).toBe(before);
  });
});

describe('POST /uploads/import where private addresses are not allowed', () => {
  const inAWS = testService({ allowPrivateAddresses: false });

  it.each([
    'http://127.0.0.1/a',
    'http://localhost/a',
    'http://10.1.2.3/a',
    'http://[::1]/a',
    'http://2130706433/a',
    'http://db.internal/a',
  ])('refuses %s', async (url) => {
    const caller = await inAWS.user();
    const { status, body } = await caller.call('POST', '/uploads/import', { url });
    expect([status, body.code]).toEqual([422, 'import_url_forbidden']);
  });
});

describe('POST /uploads/{id}/upload-url', () => {
  it('answers a URL that is signed for a PUT of exactly this file', async () => {
    const { body: upload } = await create({ name: 'a', mimeType: 'video/mp4', fileSize: 3 });
    const { status, body } = await user.call('POST', `/uploads/${upload.id}/upload-url`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ method: 'PUT', headers: { 'content-type': 'video/mp4', 'if-none-match': '*' } });
    expect(new Date(body.expiresAt).getTime()).toBeGreaterThan(Date.now());
    const { pathname, search } = new URL(body.url);
    expect(service.objects().authorize('PUT', pathname + search)).toMatchObject({
      limits: { contentType: 'video/mp4', contentLength: 3 },
    });
  });

  it('is refused for an upload that is complete, as streams may play it', async () => {
    const { body: upload } = await create();
    await write(upload.id, 'abc');
    await user.call('POST', `/uploads/${upload.id}/complete`);
    const { status, body } = await user.call('POST', `/uploads/${upload.id}/upload-url`);
    expect([status, body.code]).toEqual([422, 'resource_in_use']);
  });
});

describe('POST /uploads/{id}/complete', () => {
  it('is refused while there are no bytes', async () => {
    const { body: upload } = await create();
    const { status, body } = await user.call('POST', `/uploads/${upload.id}/complete`);
    expect([status, body.code]).toEqual([422, 'upload_incomplete']);
  });

  it('is refused when another number of bytes has arrived than was announced', async () => {
    const { body: upload } = await create({ name: 'a', mimeType: 'video/mp4', fileSize: 4 });
    await write(upload.id, 'abc');
    const { status, body } = await user.call('POST', `/uploads/${upload.id}/complete`);
    expect([status, body.code]).toEqual([422, 'upload_mismatch']);
    expect((await user.call('GET', `/uploads/${upload.id}`)).body.uploaded).toBe(false);
  });

  it('marks the upload as complete, has it examined once, and can be repeated', async () => {
    const { body: upload } = await create();
    await write(upload.id, 'abc');
    const first = await user.call('POST', `/uploads/${upload.id}/complete`);
    expect(first.body).toMatchObject({ uploaded: true, fileSize: 3, probeState: 'pending' });
    const again = await user.call('POST', `/uploads/${upload.id}/complete`);
    expect(again).toMatchObject({ status: 200, body: first.body });
    const commands = await commandsTo(service, 'media');
    expect(commands.filter((command) => 'uploadID' in command && command.uploadID === upload.id)).toEqual([
      { task: 'probe_upload', uploadID: upload.id },
    ]);
  });
});

describe('GET /uploads', () => {
  it('shows each upload once, newest first, while others come and go', async () => {
    const lister = await service.user();
    const ids: string[] = [];
    for (let index = 0; index < 5; index++)
      ids.unshift((await lister.call('POST', '/uploads', { name: `${index}`, mimeType: 'video/mp4' })).body.id);
    const first = await lister.call('GET', '/uploads?limit=2');
    expect(first.body.page.hasMore).toBe(true);
    await lister.call('POST', '/uploads', { name: 'new', mimeType: 'video/mp4' });
    await lister.call('DELETE', `/uploads/${ids[2]}`);
    const second = await lister.call('GET', `/uploads?limit=100&cursor=${first.body.page.nextCursor}`);
    expect([...first.body.data, ...second.body.data].map((upload) => upload.id)).toEqual([
      ids[0],
      ids[1],
      ids[3],
      ids[4],
    ]);
    expect(second.body.page).toEqual({ hasMore: false, nextCursor: '' });
  });

  it.each(['limit=0', 'limit=101', 'limit=1.5', 'limit=many', 'limit=1&limit=2', 'colour=red'])(
    'refuses ?%s',
    async (query) => {
      const { status, body } = await user.call('GET', `/uploads?${query}`);
      expect([status, body.code]).toEqual([422, 'validation_failed']);
    },
  );

  it("refuses cursors that were altered, are of another list, or another user's", async () => {
    await create();
    await create();
    const cursor = (await user.call('GET', '/uploads?limit=1')).body.page.nextCursor as string;
    const altered = (cursor[0] === 'A' ? 'B' : 'A') + cursor.slice(1);
    const answers = await Promise.all([
      user.call('GET', `/uploads?cursor=${altered}`),
      user.call('GET', '/uploads?cursor='),
      user.call('GET', `/streams?cursor=${cursor}`),
      other.call('GET', `/uploads?cursor=${cursor}`),
    ]);
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      Array.from({ length: 4 }, () => [422, 'invalid_cursor']),
    );
  });
});

describe('DELETE /uploads/{id}', () => {
  it('removes the record at once and the bytes by a command', async () => {
    const { body: upload } = await create();
    const objectKey = await objectKeyOf(service, upload.id);
    expect(await user.call('DELETE', `/uploads/${upload.id}`)).toMatchObject({ status: 204, body: undefined });
    expect((await user.call('GET', `/uploads/${upload.id}`)).status).toBe(404);
    expect(await commandsTo(service, 'media')).toContainEqual({ task: 'delete_object', objectKey });
  });

  it('is refused while a playlist holds the upload', async () => {
    const { body: upload } = await create();
    const { body: stream } = await user.call('POST', '/streams', {});
    const { body: playlist } = await user.call('POST', '/playlists', {
      streamID: stream.id,
      kind: 'video',
      mode: 'sequential',
    });
    await user.call('POST', `/playlists/${playlist.id}/operations`, {
      operations: [{ op: 'add', uploadID: upload.id }],
    });
    const { status, body } = await user.call('DELETE', `/uploads/${upload.id}`);
    expect([status, body.code]).toEqual([422, 'resource_in_use']);
  });
});

it("every operation on an upload answers 404 for what is someone else's", async () => {
  const { body: upload } = await create();
  const answers = await Promise.all([
    other.call('GET', `/uploads/${upload.id}`),
    other.call('POST', `/uploads/${upload.id}/upload-url`),
    other.call('POST', `/uploads/${upload.id}/complete`),
    other.call('DELETE', `/uploads/${upload.id}`),
  ]);
  expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
    Array.from({ length: 4 }, () => [404, 'not_found']),
  );
});
