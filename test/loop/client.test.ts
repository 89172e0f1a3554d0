// The client of `loop`: its repetitions, and the words of its failures.
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createClient } from '../../bin/loop/client.ts';
import type { LoopFailure } from '../../bin/loop/failure.ts';
import { runLoop, spawnLoop } from '../support/loop-command.ts';

interface Scripted {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** A platform that answers with these answers, one after the other, and repeats the last one. */
async function scripted(...answers: readonly Scripted[]) {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const { status, body, headers } = answers[Math.min(seen.length, answers.length - 1)]!;
    seen.push(request);
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const apiURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const client = createClient({ apiURL, headers: async () => ({ 'x-api-key': 'a key' }) });
  return { apiURL, client, seen, [Symbol.asyncDispose]: async () => void server.close() };
}

const failure = (promise: Promise<unknown>): Promise<LoopFailure> =>
  promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: LoopFailure) => error,
  );

it('repeats what may pass, with the same key', async () => {
  const away = { status: 503, body: { detail: 'Away.' } };
  await using site = await scripted(away, { status: 200, body: { id: 'one' } });
  expect(await site.client.call('POST', '/streams', {})).toEqual({ id: 'one' });
  const keys = site.seen.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toEqual([keys[0], keys[0]]);
  expect(keys[0]).toMatch(/^[\w-]{36}$/);
});

it('sends no key with a request that may run twice', async () => {
  await using site = await scripted({ status: 503, body: {} }, { status: 204 });
  await site.client.call('POST', '/streams/one/stop', undefined, { isRepeatable: true });
  expect(site.seen.map(({ headers }) => [headers['idempotency-key'], headers['x-api-key']])).toEqual([
    [undefined, 'a key'],
    [undefined, 'a key'],
  ]);
});

it.each([
  [401, 'not_signed_in', 1],
  [403, 'not_signed_in', 1],
  [404, 'not_found', 1],
  [409, 'refused', 1],
  [422, 'refused', 1],
])('a problem with status %i is %s, after one request', async (status, kind, requests) => {
  const errors = [{ path: '/name', detail: 'It is too long.' }];
  await using site = await scripted({ status, body: { code: 'a_code', detail: 'The reason.', errors } });
  const refused = await failure(site.client.call('PATCH', '/streams/one', {}));
  expect(refused).toMatchObject({ kind, message: 'The reason.', problem: { code: 'a_code' } });
  expect(refused.lines[0]).toBe('  /name: It is too long.');
  expect(site.seen).toHaveLength(requests);
});

it('ends well if another process has sent and completed the same file meanwhile', async () => {
  const complete = { code: 'resource_in_use', detail: 'This upload is complete.' };
  await using site = await scripted(
    { status: 200, body: [] },
    { status: 409, body: complete },
    { status: 200, body: {} },
  );
  await site.client.sendParts('upl_1', import.meta.filename, () => {});
  expect(site.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /v1/uploads/upl_1/parts',
    'POST /v1/uploads/upl_1/part-urls',
    'POST /v1/uploads/upl_1/complete',
  ]);
});

it('does not take a fault of a file for a fault of the platform', async () => {
  await using site = await scripted({ status: 200, body: [] });
  const refused = await failure(site.client.sendParts('upl_1', '/no/such/file', () => {}));
  expect(refused).toMatchObject({ kind: 'refused', message: expect.stringContaining('ENOENT') });
});

it.each([
  ['upload', ['upload', 'a.mp4']],
  ['up', ['up', '.']],
  ['apply', ['apply', '-f', 'channel.yaml']],
])('ends the wait of %s for an examination that never ends, by a sentence', async (_name, command) => {
  const upload = { id: 'upl_1', name: 'a.mp4', uploaded: true, probeState: 'pending', failure: null };
  const destination = { id: 'dst_1', name: 'here', platform: null };
  // One answer for all requests: the upload, and a list with the only destination.
  const body = { ...upload, data: [destination], page: { hasMore: false }, defaults: {}, creditsPerHour: [] };
  await using site = await scripted({ status: 200, body });
  await using home = await mkdtempDisposable(join(tmpdir(), 'loop-examined-'));
  await writeFile(join(home.path, 'a.mp4'), 'x');
  await writeFile(
    join(home.path, 'channel.yaml'),
    'version: 1\ncollections: { a: { kind: video, source: { uploads: [./a.mp4] } } }\n',
  );
  const environment = { LOOP_API_URL: site.apiURL, LOOP_API_KEY: 'a key' };
  const { code, stderr } = await runLoop([...command, '--timeout', '0'], { home: home.path, environment });
  expect([code, stderr]).toEqual([6, expect.stringContaining('a.mp4 has arrived, but was not examined within 0 s.')]);
});

it('ends with the process of an older Node that began it, however that dies', async () => {
  const upload = { id: 'upl_1', name: 'a.mp4', uploaded: true, probeState: 'pending', failure: null };
  await using site = await scripted({ status: 200, body: upload });
  await using home = await mkdtempDisposable(join(tmpdir(), 'loop-older-'));
  await writeFile(join(home.path, 'a.mp4'), 'x');
  const older = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } })";
  const environment = {
    LOOP_API_URL: site.apiURL,
    LOOP_API_KEY: 'a key',
    NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(older)}"`,
  };
  const child = spawnLoop(['upload', 'a.mp4'], { home: home.path, environment });
  await once(child.stderr!, 'data');
  child.kill('SIGKILL');
  // The command holds the pipes for as long as it runs.
  expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
});

it('calls a platform that does not answer unreachable, and shows a new credential at each attempt', async () => {
  let attempts = 0;
  const headers = async () => ({ 'x-attempt': String(++attempts) });
  // Nothing listens at the port for discarded bytes.
  const client = createClient({ apiURL: 'http://127.0.0.1:9/v1', headers }, 2);
  expect(await failure(client.call('GET', '/me'))).toMatchObject({ kind: 'unreachable' });
  expect(attempts).toBe(2);
});

it('reads lists page by page', async () => {
  const page = (hasMore: boolean) => ({ hasMore, nextCursor: 'a+b' });
  await using site = await scripted(
    { status: 200, body: { data: [1, 2], page: page(true) } },
    { status: 200, body: { data: [3], page: page(false) } },
  );
  expect(await site.client.all('/streams?q=a')).toEqual([1, 2, 3]);
  expect(site.seen.map(({ url }) => url)).toEqual([
    '/v1/streams?q=a&limit=100',
    '/v1/streams?q=a&limit=100&cursor=a%2Bb',
  ]);
});
