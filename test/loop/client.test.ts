// The client of `loop`: its repetitions, and the words of its failures.
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { createClient } from '../../bin/loop/client.ts';
import type { LoopFailure } from '../../bin/loop/failure.ts';

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
  return { client, seen, [Symbol.asyncDispose]: async () => void server.close() };
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

it('does not take a fault of a file for a fault of the platform', async () => {
  await using site = await scripted({ status: 200, body: [] });
  const refused = await failure(site.client.sendParts('upl_1', '/no/such/file', () => {}));
  expect(refused).toMatchObject({ kind: 'refused', message: expect.stringContaining('ENOENT') });
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
