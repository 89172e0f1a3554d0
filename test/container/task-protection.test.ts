// A container asks ECS to protect its task, here a fake endpoint that answers as in ECS's documentation.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createTaskProtection } from '../../lambda/container/task-protection.ts';

const protectedState = { ProtectionEnabled: true, ExpiresInMinutes: 60 };
const asked: unknown[] = [];
let answer: { readonly status: number; readonly body: object };
let nowMs: number;
let protection: ReturnType<typeof createTaskProtection>;

const endpoint = createServer((request, response) => {
  void text(request).then((body) => {
    asked.push([request.method, request.url, JSON.parse(body)]);
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
  });
});
const put = (body: object) => ['PUT', '/api/container/task-protection/v1/state', body];

beforeAll(() => once(endpoint.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => void endpoint.close());
beforeEach(() => {
  asked.length = 0;
  answer = { status: 200, body: { protection: { ProtectionEnabled: true, TaskArn: 'arn' } } };
  nowMs = 0;
  const { port } = endpoint.address() as AddressInfo;
  protection = createTaskProtection({ agentURI: `http://127.0.0.1:${port}/api/container`, steadyClock: () => nowMs });
});

it('protection is asked for at once, for an hour, and again long before that is over', async () => {
  await protection.set(true);
  nowMs += 19 * 60_000;
  await protection.set(true);
  expect(asked).toEqual([put(protectedState)]);
  nowMs += 60_000;
  await protection.set(true);
  expect(asked).toEqual([put(protectedState), put(protectedState)]);
});

it('protection is given up once, even by a container that has not asked for any', async () => {
  await protection.set(false);
  await protection.set(false);
  await protection.set(true);
  await protection.set(false);
  expect(asked).toEqual([put({ ProtectionEnabled: false }), put(protectedState), put({ ProtectionEnabled: false })]);
});

it.each([
  [
    'a refusal of ECS',
    { status: 200, body: { failure: { Arn: 'arn', Reason: 'DEPLOYMENT_BLOCKED', Detail: null } } },
    'DEPLOYMENT_BLOCKED',
  ],
  [
    'an error of the endpoint',
    { status: 400, body: { error: { Arn: 'arn', Code: 'AccessDeniedException', Message: '' } } },
    'AccessDeniedException',
  ],
])('%s is told with its reason, and protection is asked for again', async (_name, refusal, reason) => {
  answer = refusal;
  await expect(protection.set(true)).rejects.toThrow(reason);
  await expect(protection.set(true)).rejects.toThrow(reason);
  expect(asked).toHaveLength(2);
});
