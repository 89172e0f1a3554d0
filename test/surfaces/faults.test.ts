// Error messages to callers: each names its place and the correct input, and nothing is written.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../lambda/operations/index.ts';
import { countRows } from '../support/rows.ts';
import { baseURL, testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';

const service = testService();
let user: TestUser;
beforeAll(async () => {
  user = await service.user();
});

const errorsOf = async (method: string, path: string, body: unknown) =>
  (await user.call(method, path, body)).body.errors;
const post = (body: BodyInit, headers: Record<string, string> = {}) =>
  service.send(
    new Request(`${baseURL}/streams`, {
      method: 'POST',
      body,
      headers: { 'x-api-key': user.apiKey, 'content-type': 'application/json', ...headers },
    }),
  );

const knownOfUpload = 'Allowed here: name, folder, tags, mimeType, fileSize, multipart, type.';

describe('a field', () => {
  it.each([
    ['/uploads', {}, '/name', 'Is missing. Send text.'],
    ['/uploads', { name: 7 }, '/name', 'Must be text, not a number.'],
    ['/uploads', { name: null }, '/name', 'Must be text, not null.'],
    ['/uploads', { name: '' }, '/name', 'Must not be empty.'],
    ['/uploads', { name: 'x'.repeat(256) }, '/name', 'Must have at most 255 characters.'],
    ['/uploads', { name: 'a\0b' }, '/name', 'Must not contain the character U+0000.'],
    ['/uploads', { name: '\ud800' }, '/name', 'Must be Unicode text: it contains half of a surrogate pair.'],
    ['/uploads', { fileSize: 1.5 }, '/fileSize', 'Must be a whole number.'],
    ['/uploads', { fileSize: '3' }, '/fileSize', 'Must be a whole number, not text.'],
    ['/uploads', { fileSize: 0 }, '/fileSize', 'Must be at least 1.'],
    ['/uploads', { type: 'film' }, '/type', 'Must be one of video, audio, image.'],
    ['/uploads', { colour: 1 }, '/colour', `There is no field colour here. Leave it out. ${knownOfUpload}`],
    ['/uploads', { 'a/b~c': 1 }, '/a~1b~0c', `There is no field a/b~c here. Leave it out. ${knownOfUpload}`],
    ['/uploads', [], '', 'Must be an object, not a list.'],
    ['/streams', { agentModeEnabled: 'yes' }, '/agentModeEnabled', 'Must be true or false, not text.'],
    ['/streams', { playlistIDs: 'x' }, '/playlistIDs', 'Must be a list, not text.'],
    ['/streams', { playlistIDs: ['a', 'b', 'c'] }, '/playlistIDs', 'Must have at most 2 entries.'],
    ['/streams', { playlistIDs: ['a', 3] }, '/playlistIDs/1', 'Must be text, not a number.'],
    [
      '/streams',
      { scheduleStartAt: '2030-01-01T00:00:00' },
      '/scheduleStartAt',
      'Must be a time in ISO 8601 with its zone, such as 2030-01-31T18:00:00Z or 2030-01-31T18:00:00+01:00.',
    ],
    [
      '/playlists/x/operations',
      { operations: [{}] },
      '/operations/0/op',
      'Is missing. Send one of add, remove, move, replace, set, setMode, clear.',
    ],
    [
      '/playlists/x/operations',
      { operations: [{ op: 'sing' }] },
      '/operations/0/op',
      'Must be one of add, remove, move, replace, set, setMode, clear.',
    ],
    ['/playlists/x/operations', { operations: [3] }, '/operations/0', 'Must be an object, not a number.'],
    [
      '/playlists/x/operations',
      { operations: [{ op: 'clear', index: 1 }] },
      '/operations/0/index',
      'There is no field index here. Leave it out. Allowed here: op.',
    ],
    [
      '/streams/x/schedule',
      {},
      '/scheduleStartAt',
      'Is missing. Send a time in ISO 8601 with its zone, such as 2030-01-31T18:00:00Z or 2030-01-31T18:00:00+01:00.',
    ],
  ])('POST %s with %j: %s %s', async (path, body, pointer, detail) => {
    expect(await errorsOf('POST', path, body)).toContainEqual({ path: pointer, code: expect.any(String), detail });
  });

  it.each([
    ['limit=many', '/query/limit', 'Must be a whole number.'],
    ['limit=101', '/query/limit', 'Must be at most 100.'],
    ['limit=1&limit=2', '/query/limit', 'Send this parameter only once.'],
    ['archived=perhaps', '/query/archived', 'Must be true or false.'],
    [
      'colour=red',
      '/query/colour',
      'There is no parameter colour here. Leave it out. Allowed here: limit, cursor, archived.',
    ],
    ['cursor=%00', '/query/cursor', 'Must not contain the character U+0000.'],
  ])('GET /destinations?%s: %s %s', async (query, pointer, detail) => {
    expect(await errorsOf('GET', `/destinations?${query}`, undefined)).toContainEqual({
      path: pointer,
      code: 'validation_failed',
      detail,
    });
  });

  it.each(['cursor=%00&limit=%00', 'limit=%00&cursor=%00'])(
    'GET /destinations?%s: in the order of names',
    async (query) => {
      const errors = (await errorsOf('GET', `/destinations?${query}`, undefined)) as { path: string; detail: string }[];
      const texts = errors.filter(({ detail }) => detail.includes('U+0000'));
      expect(texts.map(({ path }) => path)).toEqual(['/query/cursor', '/query/limit']);
    },
  );
});

it('all faults of header, query and body are listed, and summed up in one line', async () => {
  const { status, body } = await user.call(
    'POST',
    '/uploads?colour=red',
    { name: 3, fileSize: 0, size: 1 },
    { 'idempotency-key': 'with space' },
  );
  expect([status, body.code]).toEqual([422, 'validation_failed']);
  expect(body.errors.map(({ path }: { path: string }) => path).sort()).toEqual([
    '/fileSize',
    '/header/Idempotency-Key',
    '/mimeType',
    '/name',
    '/query/colour',
    '/size',
  ]);
  expect(body.detail).toMatch(/^\/header\/Idempotency-Key: Must .* And 3 more\.$/);
});

it('of fifty thousand faults a hundred are listed', async () => {
  const { status, body } = await post(
    JSON.stringify(Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`f${index}`, 1]))),
  );
  expect([status, body.code]).toEqual([422, 'unknown_field']);
  expect(body.errors).toHaveLength(100);
  expect(body.detail).toContain('And 49997 more; errors lists the first 100.');
});

it('no word of the validator is in an answer, whatever is sent', { timeout: 60_000 }, async () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  for (const { body, path, method } of operations) {
    if (!body) continue;
    const { properties = {} } = (await service.send(new Request(`${baseURL}/openapi.json`))).body.paths[path][
      method.toLowerCase()
    ].requestBody.content['application/json'].schema;
    const bodies = fc.oneof(
      value,
      fc.record(Object.fromEntries(Object.keys(properties).map((name) => [name, value])), { requiredKeys: [] }),
    );
    await fc.assert(
      fc.asyncProperty(bodies, async (sent) => {
        const { status, body } = await user.call(method, path.replace('{id}', 'x'), sent);
        expect(status).toBeLessThan(500);
        for (const { detail } of body.errors ?? []) {
          expect(detail).toMatch(
            /^(Is|It|Must|There|A|At|The|This|Use|Set|Send|Name|Only|Leave|fileSize|Imports) .*\.$/s,
          );
          // The name of an unknown field is the caller's own word, and may be anything.
          const ours = detail.replace(/^There is no field .* here\./s, '');
          expect(ours).not.toMatch(/\binvalid\b|\breceived\b|unrecognized|undefined|NaN|\[object/i);
        }
      }),
      { numRuns: 30 },
    );
  }
});

describe('a hostile body', () => {
  const rows = () => countRows(service, 'streams', 'uploads', 'idempotent_answers');

  it.each([
    ['cut in the middle', '{"name": "x', {}, 'malformed_json'],
    ['followed by more', '{} {}', {}, 'malformed_json'],
    ['in Latin-1, and says so', '{}', { 'content-type': 'application/json; charset=iso-8859-1' }, 'malformed_json'],
    ['in UTF-16', new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0]), {}, 'malformed_json'],
    ['in bytes that are not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), {}, 'malformed_json'],
    ['as a form', 'name=x', { 'content-type': 'application/x-www-form-urlencoded' }, 'malformed_json'],
    ['that is empty', '', {}, 'malformed_json'],
    ['of a megabyte of brackets', '['.repeat(1024 * 1024), {}, 'malformed_json'],
    ['nested half a million deep', '['.repeat(500_000) + ']'.repeat(500_000), {}, 'validation_failed'],
    [
      'nested half a million deep in a field',
      `{"playlistIDs":${'['.repeat(500_000) + ']'.repeat(500_000)}}`,
      {},
      'validation_failed',
    ],
    [
      'of objects nested a hundred thousand deep',
      `${'{"name":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
      {},
      'validation_failed',
    ],
    ['of more than a megabyte', `{"name":"${'x'.repeat(1024 * 1024)}"}`, {}, 'payload_too_large'],
    ['that reaches for the prototype', '{"__proto__":{"name":"x"},"constructor":1}', {}, 'unknown_field'],
    ['with a number beyond all numbers', '{"streamDuration":1e999}', {}, 'validation_failed'],
    ['with an id of 10,000 characters', JSON.stringify({ destinationID: 'x'.repeat(10_000) }), {}, 'validation_failed'],
    ['with a null character in an id', JSON.stringify({ destinationID: 'a\0' }), {}, 'validation_failed'],
    ['with half a character in an id', String.raw`{"destinationID":"\ud800"}`, {}, 'validation_failed'],
  ])('%s is answered with a problem, and writes nothing', async (_, body, headers, code) => {
    const before = await rows();
    const answer = await post(body, { 'idempotency-key': 'hostile', ...headers });
    expect([answer.status, answer.body.code, answer.body.type]).toEqual([422, code, `${baseURL}/problems/${code}`]);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(JSON.stringify(answer.body)).not.toMatch(/\bat \S+:\d+:\d+|node_modules|SyntaxError/);
    expect(await rows()).toBe(before);
  });

  it('that ends with its connection is not logged as a failure, and writes nothing', async () => {
    const before = await rows();
    const answered = Promise.withResolvers<Response>();
    const server = createServer((request, response) => {
      void getRequestListener(async (fetched: Request) => {
        const answer = await service.handler()(fetched, '192.0.2.1');
        answered.resolve(answer.clone());
        return answer;
      })(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => {});
    const lines = [
      'POST /v1/streams HTTP/1.1',
      'host: 127.0.0.1:3999',
      `x-api-key: ${user.apiKey}`,
      'content-type: application/json',
      'content-length: 1000',
      '',
      '{"name":',
    ];
    socket.write(lines.join('\r\n'));
    await once(server, 'request');
    socket.destroy();
    expect(((await (await answered.promise).json()) as { code: string }).code).toBe('malformed_json');
    server.close();
    expect(service.logged.filter((line) => line.includes('request_failed'))).toEqual([]);
    expect(await rows()).toBe(before);
  });
});

describe('hostile identifiers', () => {
  const ids = [
    '%00',
    '%E0%A4%A',
    '%ED%A0%80',
    'x'.repeat(10_000),
    '%F0%9F%8E%AC',
    "'%3B--",
    '..%2f..',
    '%0d%0a',
    'null',
    '%25',
  ];

  it.each(
    operations
      .filter(({ path }) => path.includes('{id}'))
      .map((operation) => [`${operation.method} ${operation.path}`, operation] as const),
  )('%s finds nothing by them', async (_, { method, path, body, errors }) => {
    // These bodies are correct: only the identifier is wrong.
    const bodies: Record<string, unknown> = {
      '/playlists/{id}/operations': { operations: [{ op: 'clear' }] },
      '/streams/{id}/schedule': { scheduleStartAt: '2999-01-01T00:00:00Z' },
    };
    for (const id of ids) {
      const answer = await user.call(method, path.replace('{id}', id), body ? (bodies[path] ?? {}) : undefined);
      const allowed = ['not_found', 'validation_failed', ...errors];
      expect({ id, problem: answer.body }).toEqual({
        id,
        problem: expect.objectContaining({ type: `${baseURL}/problems/${answer.body.code}`, status: answer.status }),
      });
      expect([404, 422]).toContain(answer.status);
      expect(allowed).toContain(answer.body.code);
    }
  });
});
