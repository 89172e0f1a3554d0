// Common behaviour of REST for every operation: credentials, bodies, methods, problems.
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRestService } from '../../../lambda/api/create-rest-service.ts';
import { createPool } from '../../../lambda/data/shared/queryable.ts';
import { operations } from '../../../lambda/operations/index.ts';
import { toolName } from '../../../lambda/operations/operation.ts';
import { problemCodes } from '../../../lambda/operations/problem-kinds.ts';
import { createRestHandler } from '../../../lambda/surfaces/rest/rest-handler.ts';
import { baseURL, testService } from '../../support/service.ts';
import type { TestUser } from '../../support/service.ts';
import { revokeKeysOf } from '../../support/stored-credentials.ts';

const service = testService();
let user: TestUser;
beforeAll(async () => {
  user = await service.user();
});

const post = (body: BodyInit, contentType = 'application/json') =>
  service.send(
    new Request(`${baseURL}/uploads`, {
      method: 'POST',
      body,
      headers: { 'x-api-key': user.apiKey, 'content-type': contentType },
    }),
  );

describe('credentials', () => {
  it('a key without the prefix is refused', async () => {
    const { status, body } = await service.send(new Request(`${baseURL}/me`, { headers: { 'x-api-key': 'abc' } }));
    expect([status, body.code]).toEqual([401, 'unauthenticated']);
  });

  it('a revoked key is refused at once', async () => {
    const leaver = await service.user();
    expect((await leaver.call('GET', '/me')).status).toBe(200);
    await revokeKeysOf(service, leaver.id);
    expect((await leaver.call('GET', '/me')).status).toBe(401);
  });
});

describe('bodies', () => {
  it.each([
    ['bad JSON', '{"name": ', 'application/json', 'malformed_json'],
    ['no JSON at all', '', 'application/json', 'malformed_json'],
    ['another content type', '{}', 'text/plain', 'malformed_json'],
    ['bytes that are not UTF-8', new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]), 'application/json', 'malformed_json'],
    ['more than a megabyte', `"${'x'.repeat(1024 * 1024)}"`, 'application/json', 'payload_too_large'],
    ['a list instead of an object', '[]', 'application/json', 'validation_failed'],
    ['JSON nested a thousand deep', `${'['.repeat(1000)}${']'.repeat(1000)}`, 'application/json', 'validation_failed'],
  ])('%s is refused as a problem', async (_, body, contentType, code) => {
    const answer = await post(body as BodyInit, contentType);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.body).toMatchObject({ status: 422, code, type: `${baseURL}/problems/${code}` });
  });

  it('a content type with a charset is accepted', async () => {
    expect((await post('{"name":"x","mimeType":"video/mp4"}', 'application/json; charset=utf-8')).status).toBe(201);
  });

  it('an operation without fields accepts no body or an empty object', async () => {
    const { body: upload } = await user.call('POST', '/uploads', { name: 'x', mimeType: 'video/mp4' });
    const path = `/uploads/${upload.id}/upload-url`;
    expect((await user.call('POST', path)).status).toBe(200);
    expect((await user.call('POST', path, {})).status).toBe(200);
    expect((await user.call('POST', path, { a: 1 })).body.code).toBe('unknown_field');
  });
});

describe('paths and methods', () => {
  it('a method that a path does not have is answered 405 with Allow', async () => {
    const { status, headers, body } = await user.call('DELETE', '/uploads');
    expect([status, body.code, headers.get('allow')]).toEqual([405, 'method_not_allowed', 'GET, POST']);
  });

  it('GET /uploads/import does not read an upload with the id import', async () => {
    const { status, headers } = await user.call('GET', '/uploads/import');
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });

  it.each(['9999-12-31T23:59:59-01:00', '0001-01-01T00:00:00+01:00', '0000-01-01T00:00:00Z'])(
    'nothing can be scheduled at %s',
    async (scheduleStartAt) => {
      const { status, body } = await user.call('POST', '/streams', { name: 'far', scheduleStartAt });
      expect([status, body.code, body.errors[0].path]).toEqual([422, 'validation_failed', '/scheduleStartAt']);
    },
  );

  it.each([
    '/nothing',
    '/uploads/x/nothing',
    '',
    '/uploads/%00',
    '/uploads/%E0%A4%A',
    `/uploads/${'x'.repeat(10_000)}`,
  ])('%s is answered 404', async (path) => {
    expect((await user.call('GET', path)).body).toMatchObject({ status: 404, code: 'not_found' });
  });

  it('HEAD answers what GET does, without a body', async () => {
    const response = await service.handler()(
      new Request(`${baseURL}/me`, { method: 'HEAD', headers: { 'x-api-key': user.apiKey } }),
      '192.0.2.1',
    );
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  it.each(Object.keys(problemCodes))('the type of the problem %s is the address of its explanation', async (code) => {
    const { status, body } = await service.send(new Request(`${baseURL}/problems/${code}`));
    expect(status).toBe(200);
    expect(body).toMatchObject({ code, explanation: expect.stringMatching(/\.$/) });
  });
});

describe('the reference page', () => {
  const page = async () => service.handler()(new Request(`${baseURL}/reference`), '192.0.2.1');

  it('has every operation, resource and problem, and no link that leads nowhere', async () => {
    const response = await page();
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const text = await response.text();
    const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    for (const operation of operations) expect(ids).toContain(toolName(operation));
    for (const code of operations.flatMap(({ errors }) => errors)) expect(ids).toContain(`problem-${code}`);
    expect([...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id).filter((id) => !ids.has(id))).toEqual([]);
  });

  it('says to search engines and previews what it is', async () => {
    expect(await (await page()).text()).toMatch(/<meta name="description" content="[A-Z][^"]+\.">/);
  });

  it('runs no scripts, loads nothing, and allows its own style by hash', async () => {
    const response = await page();
    const text = await response.text();
    expect(/<script|<link|<img|\ssrc=|url\(/.exec(text)).toBeNull();
    const style = /<style>(.*?)<\/style>/s.exec(text)![1]!;
    expect(response.headers.get('content-security-policy')).toContain(
      `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    );
  });
});

describe('service', () => {
  it('reports its health without a credential', async () => {
    const { status, body } = await service.send(new Request(`${baseURL}/status`));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'ok',
      checks: { database: { status: 'ok' }, storage: { status: 'ok' }, queue: { status: 'ok' } },
    });
  });

  it("answers the caller's profile", async () => {
    expect((await user.call('GET', '/me')).body).toMatchObject({
      id: user.id,
      defaults: { streamDuration: 0, quality: 'q_1080p', framerate: 'f_30' },
      featureFlags: { streamBackendEdit: false },
    });
  });

  it('answers 502, not 500, when the database is gone', async () => {
    const pool = createPool({ host: '127.0.0.1', port: 1, connectionTimeoutMillis: 500 });
    const nothing = null as never;
    const dead = createRestService(
      {
        pool,
        objects: nothing,
        queue: nothing,
        sealer: nothing,
        sourceSealer: nothing,
        liveSealer: nothing,
        payment: nothing,
        crypto: nothing,
        platforms: {},
        serviceSecret: '',
        origin: 'http://x',
      },
      { rateLimitFactor: 1 } as never,
      () => {},
    );
    const response = await createRestHandler(dead)(
      new Request('http://x/v1/me', { headers: { 'x-api-key': user.apiKey } }),
      '192.0.2.1',
    );
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
      502,
      'upstream_unavailable',
    ]);
  });
});
