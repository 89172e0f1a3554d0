// The time that calls of a user take: it is limited by minute, and reads that may take long pay in advance.
// Decision D271.
import { createHmac } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../../lambda/data/database.ts';
import { createPoolLike } from '../../../lambda/data/shared/queryable.ts';
import { ProblemError } from '../../../lambda/operations/problem-codes.ts';
import { budgetOf } from '../../../lambda/orchestration/programme/planning-turns.ts';
import { authorizationServerSecret, sessionCookieName } from '../../../lambda/surfaces/admission/page-sessions.ts';
import { createUncountedWorks } from '../../../lambda/surfaces/admission/uncounted-work.ts';
import { createRestHandler } from '../../../lambda/surfaces/rest/rest-handler.ts';
import type { RestHandler } from '../../../lambda/surfaces/rest/rest-handler.ts';
import { recordStatements } from '../../migrate/statement-recording.ts';
import { actorsOn } from '../../support/actors.ts';
import { graphqlOn } from '../../support/graphql.ts';
import { heldWork, surfaceOfWork } from '../../support/held-work.ts';
import { baseURL, testService } from '../../support/service.ts';
import type { TestUser } from '../../support/service.ts';

let nowMs = 0;
const service = testService({ rateLimitFactor: 1, steadyClock: () => nowMs });
let user: TestUser;
beforeAll(async () => {
  user = await service.user();
});

const origin = new URL(baseURL).origin;
const endWindows = () => service.pool().query(`update request_windows set began_at = began_at - interval '60 seconds'`);

const surfaceOf = (work: (data: Database) => Promise<void>, settings = service.service().settings) =>
  surfaceOfWork({ ...service.service(), settings }, work);

/** The headers of a request. */
type Fields = Record<string, string>;
const withKey = ({ apiKey }: TestUser): Fields => ({ 'x-api-key': apiKey });

let sessions = 0;
/** The headers of a page of the user. */
async function withSession({ id }: TestUser): Promise<Fields> {
  const token = `a-session-of-a-test-${++sessions}`.padEnd(32, 'x');
  const { serviceSecret } = service.service();
  await service
    .pool()
    .query(`insert into auth_sessions (id, user_id, token, expires_at) values ($1, $2, $1, now() + interval '1 day')`, [
      token,
      id,
    ]);
  const signature = createHmac('sha256', authorizationServerSecret(serviceSecret)).update(token).digest('base64');
  return {
    cookie: `${sessionCookieName(origin)}=${encodeURIComponent(`${token}.${signature}`)}`,
    'sec-fetch-site': 'same-origin',
    origin,
  };
}

const send = (rest: RestHandler, headers: Fields, path = '/tests', method = 'GET') =>
  rest(new Request(baseURL + path, { method, headers }), '192.0.2.1');

describe('reads that may take long', () => {
  it('are forty of a user with programs and sixty with pages at once, and ended ones make room', async () => {
    const [held, caller] = [heldWork(), await service.user()];
    const rest = surfaceOf(held.hold);
    const page = await withSession(caller);
    expect(await held.begunOf(100, () => send(rest, withKey(caller)))).toBe(40);
    expect(await held.begunOf(100, () => send(rest, page))).toBe(60);
    await held.end();
    expect(await held.begunOf(30, () => send(rest, withKey(caller)))).toBe(30);
    await held.end();
  });

  it('keep their charge if they never end, until the minute ends', async () => {
    const [held, caller] = [heldWork(), await service.user()];
    const rest = surfaceOf(held.hold);
    await held.begunOf(40, () => send(rest, withKey(caller)));
    const refused = await send(rest, withKey(caller));
    expect(refused.status).toBe(429);
    expect((await send(rest, withKey(caller), '/tests/x')).status).toBe(429);
    expect(await refused.json()).toMatchObject({ code: 'rate_limited', detail: expect.stringMatching(/10 seconds/) });
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    expect(refused.headers.get('retry-after')).toBe(refused.headers.get('ratelimit-reset'));
    await endWindows();
    expect(await held.begunOf(1, () => send(rest, withKey(caller)))).toBe(1);
    await held.end();
  });

  it('are more at once where a stage has a higher factor', async () => {
    const [held, caller] = [heldWork(), await service.user()];
    const rest = surfaceOf(held.hold, { ...service.service().settings, rateLimitFactor: 2 });
    expect(await held.begunOf(100, () => send(rest, withKey(caller)))).toBe(80);
    await held.end();
  });

  it('that are refused keep nothing', async () => {
    const [held, caller] = [heldWork(), await service.user()];
    const rest = surfaceOf(held.hold);
    await held.begunOf(300, () => send(rest, withKey(caller)));
    await held.end();
    expect(await held.begunOf(40, () => send(rest, withKey(caller)))).toBe(40);
    await held.end();
  });
});

describe('lists at ordinary speed', () => {
  const quick = () => surfaceOf(async () => void (nowMs += 10));
  const isAdmission = (text: string) => /count_work/.test(text);

  it('are as many as the limit of requests, without a further statement', async () => {
    const [rest, caller] = [quick(), await service.user()];
    const recording = recordStatements();
    for (let made = 1; made <= 1200; made++) {
      const { status, headers } = await send(rest, withKey(caller));
      expect([status, headers.get('ratelimit-remaining')]).toEqual([200, String(1200 - made)]);
    }
    expect((await send(rest, withKey(caller))).status).toBe(429);
    expect(recording.stop().filter(([, text]) => isAdmission(text))).toHaveLength(1201);
  });

  it('are as many in functions of which each has one call, and few of them have a further statement', async () => {
    const caller = await service.user();
    const functionOf = () => createRestHandler({ ...service.service(), uncountedWorks: createUncountedWorks() });
    const recording = recordStatements();
    for (let made = 1; made <= 100; made++)
      expect((await send(functionOf(), withKey(caller), '/streams')).status).toBe(200);
    const counted = recording.stop().filter(([, text]) => isAdmission(text)).length;
    expect(counted).toBeGreaterThan(150);
    const again = recordStatements();
    await endWindows();
    for (let made = 1; made <= 10; made++) await send(functionOf(), withKey(caller), '/streams');
    expect(again.stop().filter(([, text]) => isAdmission(text))).toHaveLength(10);
  });
});

describe('the time of calls', () => {
  /** Sends calls that take so long one after the other, until one is refused. @returns the number before it */
  async function callsOf(ms: number, headers: Fields, path = '/tests', method = 'GET') {
    const rest = surfaceOf(async () => void (nowMs += ms));
    for (let made = 0; made < 2000; made++) if ((await send(rest, headers, path, method)).status === 429) return made;
    return Infinity;
  }

  it.each([
    ['GET', '/tests', 'key', 1010, 10],
    ['GET', '/tests/x', 'key', 1010, 10],
    ['GET', '/tests/x', 'key', 40, 334],
    ['POST', '/tests', 'key', 1010, 15],
    ['GET', '/tests', 'page', 1010, 15],
    ['POST', '/tests', 'page', 510, 30],
  ] as const)('%s %s with a %s, of %d ms: %d a minute', async (method, path, credential, ms, most) => {
    const caller = await service.user();
    const headers = credential === 'key' ? withKey(caller) : await withSession(caller);
    expect(await callsOf(ms, headers, path, method)).toBe(most);
  });

  it('counts for calls that fail as well', async () => {
    const caller = await service.user();
    const rest = surfaceOf(async () => {
      nowMs += 6000;
      throw new ProblemError('not_found', 'There is none.');
    });
    const statuses: number[] = [];
    for (let made = 0; made < 3; made++) statuses.push((await send(rest, withKey(caller))).status);
    expect(statuses).toEqual([404, 404, 429]);
  });

  it('counts however many credentials a user takes in turn', async () => {
    const caller = await service.user();
    const rest = surfaceOf(async () => void (nowMs += 55));
    for (let made = 0; made < 20; made++) await send(rest, await withSession(caller), '/tests/x');
    const text = `select work_ms from request_windows where subject = $1 and class = 'page'`;
    const { rows } = await service.pool().query(text, [`user ${caller.id}`]);
    expect(rows[0].work_ms).toBeGreaterThan(20 * 45 - 50);
  });

  it('leaves plans out that are paid for, which have a limit of their own', async () => {
    const [caller, turns] = [await service.user(), 600];
    const rest = surfaceOf(async (data) => {
      for (let turn = 0; turn < turns; turn++) {
        nowMs += 10;
        budgetOf(data)!.use(10);
        // oxlint-disable-next-line no-await-in-loop -- turns follow each other
        await budgetOf(data)!.assertMayContinue();
      }
    });
    const statuses: number[] = [];
    for (let made = 0; made < 3; made++) statuses.push((await send(rest, withKey(caller))).status);
    for (let made = 0; made < 3; made++) statuses.push((await send(rest, withKey(caller), '/tests', 'POST')).status);
    expect(statuses).toEqual(Array<number>(6).fill(200));
  });

  it('has plans that are not paid for', async () => {
    const caller = await service.user();
    const rest = surfaceOf(async (data) => {
      nowMs += 4010;
      budgetOf(data)!.use(4010);
    });
    const statuses: number[] = [];
    for (let made = 0; made < 4; made++) statuses.push((await send(rest, withKey(caller))).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  it('is 40 s a minute in all, and one kind of call leaves that of the others', async () => {
    const caller = await service.user();
    const page = await withSession(caller);
    const before = nowMs;
    await callsOf(1000, withKey(caller));
    await callsOf(1000, withKey(caller), '/tests', 'POST');
    await callsOf(1000, page);
    await callsOf(1000, page, '/tests', 'POST');
    expect((nowMs - before) / 1000).toBeLessThan(45);
    expect((nowMs - before) / 1000).toBeGreaterThan(38);
  });

  it('counts for relations of GraphQL, and once for a call with its relations', async () => {
    const { ask } = graphqlOn(service);
    const destination = { name: 'd', rtmpURL: 'rtmp://127.0.0.1/live', streamKey: 'k' };
    const { body } = await user.call('POST', '/destinations', destination);
    await user.call('POST', '/streams', { destinationID: body.id });
    const pool = service.pool();
    // oxlint-disable-next-line typescript/unbound-method -- applied to the pool that it is called on
    const original = pool.query;
    pool.query = function slow(this: typeof pool, ...args: unknown[]) {
      if (/from (destinations|streams)\b/.test(String(args[0]))) nowMs += 2005;
      return Reflect.apply(original, this, args) as never;
    };
    try {
      const statuses: number[] = [];
      for (let made = 0; made < 4; made++)
        statuses.push((await ask(user, '{ listStreams { nodes { destination { name } } } }')).status);
      // Each takes 4010 ms, and 10 of them are free: the third is admitted at 8 s of 10.
      expect(statuses).toEqual([200, 200, 200, 429]);
    } finally {
      pool.query = original;
    }
  });
});

describe('reads of timelines', () => {
  const actors = actorsOn(service);
  beforeEach(() => actors.register('agent'));
  afterEach(() => vi.restoreAllMocks());

  /** A stream of `user` on the air. The statement that reads a part of its timeline takes so long. */
  async function streamWhosePartsTake(ms: number): Promise<string> {
    const { id } = await actors.activeStream('agent');
    await service.pool().query(`update streams set anchored_at = now() - interval '30 seconds' where id = $1`, [id]);
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const pool = service.pool();
    // oxlint-disable-next-line typescript/unbound-method -- applied to the pool that it is called on
    const original = pool.query;
    vi.spyOn(pool, 'query').mockImplementation(function slow(this: typeof pool, ...args: unknown[]) {
      if (/timeline_entries/.test(String(args[0]))) nowMs += ms;
      return Reflect.apply(original, this, args) as never;
    });
    return id;
  }
  const range = () => ({ from: new Date(Date.now() - 1000).toISOString(), to: new Date().toISOString() });

  it('count, also if they are short', async () => {
    const caller = actors.user();
    const id = await streamWhosePartsTake(1990);
    const statuses: number[] = [];
    for (let made = 0; made < 6; made++) {
      const { status } = await caller.call('GET', `/streams/${id}/timeline?${new URLSearchParams(range())}&limit=1`);
      statuses.push(status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });

  it('count as well within a document of GraphQL that has several', async () => {
    const { from, to } = range();
    const id = await streamWhosePartsTake(1000);
    const field = `getStreamTimeline(id: "${id}", from: "${from}", to: "${to}", first: 1) { nodes { startAt } }`;
    const document = `{ ${['a', 'b', 'c', 'd'].map((alias) => `${alias}: ${field}`).join(' ')} }`;
    const statuses: number[] = [];
    for (let made = 0; made < 4; made++) statuses.push((await graphqlOn(service).ask(actors.user(), document)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });
});

it('a read whose statement takes too long ends, and its problem names the remedy', async () => {
  const pool = createPoolLike(service.pool(), { statement_timeout: 20 });
  const rest = surfaceOf(async () => void (await pool.query('select pg_sleep(60)')));
  const ended = await send(rest, withKey(await service.user()));
  expect(ended.status).toBe(502);
  expect(await ended.json()).toMatchObject({
    code: 'upstream_unavailable',
    detail: expect.stringMatching(/took too long.*smaller pages/),
  });
  await pool.end();
});
