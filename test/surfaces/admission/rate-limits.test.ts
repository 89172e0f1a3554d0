// Rate limits: their headers in every answer, and refusals beyond them.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { addressOf } from '../../../lambda/api/gateway-event.ts';
import { operations } from '../../../lambda/operations/index.ts';
import { sweep } from '../../../lambda/jobs/sweep.ts';
import { workLimits } from '../../../lambda/surfaces/admission/work-limits.ts';
import { planningMsPerMinute, requestsPerMinute } from '../../../lambda/surfaces/admission/rate-limits.ts';
import { countRows } from '../../support/rows.ts';
import { baseURL, testService } from '../../support/service.ts';
import type { Answer, TestUser } from '../../support/service.ts';

// A hundredth of the requests per minute that a stage allows: 12 reads, 6 writes, 3 refused credentials.
const service = testService({ rateLimitFactor: 0.01 });
const limits = { read: 12, write: 6, refused: 3 };
let user: TestUser;
beforeAll(async () => {
  user = await service.user();
});

/** The headers RateLimit-Limit, -Remaining and -Reset as numbers. */
const quotaOf = ({ headers }: Answer) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`ratelimit-${name}`) ?? Number.NaN));
const anonymous = (path: string, address: string, headers: Record<string, string> = {}, method = 'GET') =>
  service.send(new Request(baseURL + path, { method, headers }), address);
/** Ends the current minute of counted requests for all users. */
const endWindows = () => service.pool().query(`update request_windows set began_at = began_at - interval '60 seconds'`);

it('the limits are those that were decided', () => {
  const ofCallers = { read: 1200, write: 600, refused: 300, preview: 300, poster: 1800, page: 1200 };
  expect(requestsPerMinute).toEqual({ ...ofCallers, guest: 60, ask: 100, offer: 300 });
  expect(planningMsPerMinute).toEqual({ planning: 30_000, changes: 30_000 });
  expect(workLimits.guide.mostMs).toEqual([10_000, 30_000]);
});

describe('how much is left is said by every answer', () => {
  it.each(operations.map((operation) => [operation.id, operation] as const))(
    'to %s',
    async (id, { method, path, scopes }) => {
      const caller = await service.user();
      const answer =
        scopes === 'public'
          ? await anonymous(path, id, {}, method)
          : await caller.call(method, path.replace('{id}', 'x'));
      const limit = limits[method === 'GET' || scopes === 'public' ? 'read' : 'write'];
      expect(quotaOf(answer)).toEqual([limit, limit - 1, 60]);
      expect(answer.headers.has('retry-after')).toBe(false);
    },
  );

  it.each([
    ['a path that is not there', 'GET', '/nothing', 404, limits.read],
    ['a method that is not there', 'PUT', '/me', 405, limits.read],
    ['the explanation of a problem', 'GET', '/problems/not_found', 200, limits.read],
    ['a credential that is missing', 'GET', '/me', 401, limits.refused],
  ])('to %s', async (name, method, path, status, limit) => {
    const answer = await anonymous(path, name, {}, method);
    expect([answer.status, ...quotaOf(answer)]).toEqual([status, limit, limit - 1, 60]);
  });
});

describe('beyond the limit', () => {
  it('a client does not escape to other addresses of its network', async () => {
    const statuses: number[] = [];
    for (let index = 0; index <= limits.read; index++)
      statuses.push((await anonymous('/status', `2001:db8:7:7::${index}`)).status);
    expect(statuses).toEqual([...Array<number>(limits.read).fill(200), 429]);
    expect((await anonymous('/status', '2001:db8:7:8::1')).status).toBe(200);
  });

  it('requests at once are refused, told when to come back, and write nothing', async () => {
    const eager = await service.user();
    const answers = await Promise.all(Array.from({ length: 20 }, () => eager.call('POST', '/streams', {})));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(limits.write);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(20 - limits.write);
    for (const answer of refused) {
      expect(answer.body).toMatchObject({ code: 'rate_limited', type: `${baseURL}/problems/rate_limited` });
      expect(answer.headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/);
      expect(quotaOf(answer)).toEqual([limits.write, 0, Number(answer.headers.get('retry-after'))]);
    }
    expect((await eager.call('GET', '/streams')).body.data).toHaveLength(limits.write);
    expect((await user.call('POST', '/streams', {})).status).toBe(201);
    await endWindows();
    expect((await eager.call('POST', '/streams', {})).status).toBe(201);
  });

  it('a request is refused before its faults are told, and after its credential is', async () => {
    const eager = await service.user();
    for (let made = 0; made < limits.write; made++) await eager.call('POST', '/uploads', {});
    expect((await eager.call('POST', '/uploads', { colour: 1 })).status).toBe(429);
    expect((await eager.call('POST', '/streams/x/start')).status).toBe(429);
    expect((await anonymous('/uploads', 'elsewhere', {}, 'POST')).status).toBe(401);
  });

  it('an address cannot go on guessing credentials, while other addresses and good credentials pass', async () => {
    const guess = (address: string) => anonymous('/me', address, { 'x-api-key': 'lss_guess' });
    const statuses = [];
    for (let guesses = 0; guesses < limits.refused + 1; guesses++) statuses.push((await guess('192.0.2.66')).status);
    expect(statuses).toEqual([401, 401, 401, 429]);
    expect((await guess('192.0.2.67')).status).toBe(401);
    expect((await anonymous('/me', '192.0.2.66', { 'x-api-key': user.apiKey })).status).toBe(200);
  });

  it('anonymous requests are refused as well', async () => {
    const statuses = await Promise.all(
      Array.from({ length: limits.read + 3 }, async () => (await anonymous('/openapi.json', '192.0.2.68')).status),
    );
    expect(statuses.filter((status) => status === 429)).toHaveLength(3);
  });
});

it('the statement for the key counts the request: GET /me has three, with those for profile and limits', async () => {
  const queries = vi.spyOn(service.pool(), 'query');
  await user.call('GET', '/me');
  expect(queries.mock.calls).toHaveLength(3);
  queries.mockRestore();
});

it('the sweep deletes windows that have ended', async () => {
  await user.call('GET', '/me');
  await endWindows();
  const nothing = { relay: async () => 0 } as never;
  await sweep({
    pool: service.pool(),
    queue: nothing,
    timers: nothing,
    startOptions: { settings: { limitFactor: 1 } } as never,
    storage: { freeStoredGiB: 50 },
    clock: () => new Date(),
  });
  expect(await countRows(service, 'request_windows')).toBe(0);
});

it.each([
  ['198.51.100.7, 203.0.113.1', '198.51.100.7'],
  ['a word of the client, 198.51.100.7, 203.0.113.1', '198.51.100.7'],
  ['203.0.113.1', '10.0.0.1'],
])('a request with X-Forwarded-For: %s is from %s', (header, address) => {
  const event = {
    multiValueHeaders: { 'X-Forwarded-For': [header] },
    requestContext: { identity: { sourceIp: '10.0.0.1' } },
  };
  expect(addressOf(event as never)).toBe(address);
});
