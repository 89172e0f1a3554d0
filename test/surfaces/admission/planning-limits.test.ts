// The limit of planning: plans of a user share a time of a processor on all surfaces, and small ones are free.
// Decision D260.
import { beforeEach, describe, expect, it } from 'vitest';
import { inTransaction } from '../../../lambda/data/database.ts';
import { planInTurns } from '../../../lambda/orchestration/programme/planning-turns.ts';
import type { PlanningBudget } from '../../../lambda/orchestration/programme/planning-turns.ts';
import { budgetOfRead, limitPlansOfChange } from '../../../lambda/surfaces/admission/planning-limits.ts';
import { block, collection, item, requestOf, rules } from '../../domain/programme/programmes.ts';
import { inFuture } from '../../support/actors.ts';
import { makeClipProgramme } from '../../support/clip-programme.ts';
import { graphqlOn } from '../../support/graphql.ts';
import { testMcp } from '../../support/mcp.ts';
import { baseURL, testService } from '../../support/service.ts';
import type { TestUser } from '../../support/service.ts';

// A hundredth of the limits of a stage: 12 reads, 6 writes, and 300 ms of a processor.
const service = testService({ rateLimitFactor: 0.01 });
const { ask } = graphqlOn(service);
const mcp = testMcp(service, 'all');
/** A simulation of so many days takes seconds. */
const days = 400;

let user: TestUser;
let streamID: string;
let id: string;
beforeEach(async () => {
  user = await service.user();
  ({ streamID, id } = await makeClipProgramme(service, user));
});

const simulate = () => user.call('GET', `/programmes/${id}/simulation?days=${days}&rows=1`);
/** The milliseconds that are counted in a window of the user; undefined: there is none. */
const countedMs = async (kind: 'planning' | 'changes') => {
  const text = 'select requests from request_windows where subject = $1 and class = $2';
  return (await service.pool().query(text, [`user ${user.id}`, kind])).rows[0]?.requests as number | undefined;
};
/** Ends the current minute of all users. */
const endWindows = () => service.pool().query(`update request_windows set began_at = began_at - interval '60 seconds'`);

it('plans at once are refused together, and told when to come back and what to do', async () => {
  const answers = await Promise.all(Array.from({ length: 4 }, simulate));
  for (const { status, body, headers } of answers) {
    expect(status).toBe(429);
    expect(body).toMatchObject({ code: 'rate_limited', type: `${baseURL}/problems/rate_limited` });
    const seconds = headers.get('retry-after');
    expect(seconds).toMatch(/^([1-9]|[1-5]\d|60)$/);
    expect(body.detail).toContain(`Try again in ${seconds} seconds. Simpler rules`);
  }
  // The last payment of each was refused, and nothing was planned afterwards.
  expect(await countedMs('planning')).toBeLessThanOrEqual(300 + answers.length * 100);
  await endWindows();
  expect((await user.call('GET', `/programmes/${id}/comparison?hours=1`)).status).toBe(200);
});

it('all surfaces share the limit, and the parts of one query too', async () => {
  expect((await simulate()).status).toBe(429);
  const field = `simulateProgramme(id: "${id}", days: ${days}) { rowCount }`;
  const { body } = await ask(user, `{ one: ${field} other: ${field} getStream(id: "${streamID}") { id } }`);
  expect(body.data).toMatchObject({ one: null, other: null, getStream: { id: streamID } });
  const limited = { code: 'rate_limited', status: 429 };
  expect(body.errors).toMatchObject([{ extensions: limited }, { extensions: limited }]);
  const called = await mcp.callTool(user, 'simulate_programme', { id, days });
  expect(called).toMatchObject({ isError: true, structuredContent: { problem: limited } });
  // Another user is not concerned.
  expect((await (await service.user()).call('GET', '/programmes')).status).toBe(200);
});

it('a small plan costs no statement, and is not refused when the limit is reached', async () => {
  const planner = { userID: user.id, planningClass: 'planning' } as const;
  const planFor = async (ms: number) => {
    const budget = budgetOfRead(service.service(), planner);
    budget.use(ms);
    await budget.assertMayContinue();
  };
  await planFor(20);
  expect(await countedMs('planning')).toBeUndefined();
  await planFor(240);
  expect(await countedMs('planning')).toBe(300);
  await planFor(20);
  await expect(planFor(30)).rejects.toThrow('rate_limited');
});

describe('a change', () => {
  /** Writes, then plans some rows by a clock that shows 5 ms more each time that it is read. */
  async function change(mostRows: number) {
    let [attempts, usedMs] = [0, 0];
    const clock = () => (usedMs += 5);
    const request = await requestOf(rules({ blocks: [block('music')] }), { music: collection([item('song', 120)]) });
    const work = (budget: PlanningBudget) =>
      inTransaction(service.pool(), async (data) => {
        attempts++;
        await data.users.ensureUser({ id: `${user.id}_written`, email: `${user.id}@example.org`, name: '' });
        for await (const _ of planInTurns(request, { mostRows, budget, clock }));
      });
    const planner = { userID: user.id, planningClass: 'planning' } as const;
    const problem = await limitPlansOfChange(service.service(), planner, work).catch((error: unknown) => error);
    const { rowCount } = await service.pool().query('select from users where id = $1', [`${user.id}_written`]);
    return { problem, attempts, usedMs, isWritten: rowCount === 1, countedMs: await countedMs('planning') };
  }

  it('whose plan is small pays nothing', async () => {
    expect(await change(1)).toMatchObject({ attempts: 1, isWritten: true, countedMs: undefined });
  });

  it('pays between two attempts, and is written once', async () => {
    const { problem, attempts, usedMs, isWritten, countedMs: paid } = await change(15);
    expect([problem, attempts, isWritten, paid]).toEqual([undefined, 2, true, 100]);
    expect(usedMs).toBeLessThan(paid! + 100);
  });

  it('that cannot pay is refused and writes nothing, and its payment is not taken back', async () => {
    const { problem, attempts, isWritten, countedMs: paid } = await change(300);
    expect(problem).toMatchObject({ code: 'rate_limited' });
    expect([attempts, isWritten, paid]).toEqual([2, false, 500]);
  });
});

it('guides of a user have a limit of their own, which readers come to', async () => {
  await endWindows();
  expect(await user.call('POST', `/programmes/${id}/publish`)).toMatchObject({ status: 202 });
  const recurrence = { rule: 'FREQ=MINUTELY', timeZone: 'UTC' };
  const schedule = { scheduleStartAt: inFuture(2400), recurrence };
  expect((await user.call('POST', `/streams/${streamID}/schedule`, schedule)).status).toBe(200);
  const { jsonURL } = (await user.call('POST', `/streams/${streamID}/guide-link`)).body;
  const plannedMs = await countedMs('planning');
  const text = `insert into request_windows (subject, class, work_ms) values ($1, 'guide', 300)`;
  await service.pool().query(text, [`user ${user.id}`]);
  const answer = await service.handler()(new Request(jsonURL), '192.0.2.1');
  expect(answer.status).toBe(429);
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(await countedMs('planning')).toBe(plannedMs);
});

describe('searches for the starts of recurrences are refused when the limit is reached', () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index).join(',');
  /** Each start takes many milliseconds. */
  const slow = `FREQ=DAILY;BYHOUR=${numbers(24)};BYMINUTE=${numbers(60)};BYSECOND=${numbers(60)}`;
  const scheduleStartAt = '2030-01-01T00:00:00Z';
  const schedule = (rule: string) => {
    const recurrence = { rule, timeZone: 'UTC' };
    return user.call('POST', `/streams/${streamID}/schedule`, { scheduleStartAt, recurrence });
  };
  const refused = { status: 429, body: { code: 'rate_limited' } };
  const reachLimit = async () => {
    const text = `insert into request_windows (subject, class, requests)
      select $1, class, 300 from unnest('{planning,changes}'::text[]) as class
      on conflict (subject, class) do update set requests = 300, began_at = now()`;
    await service.pool().query(text, [`user ${user.id}`]);
  };
  beforeEach(endWindows);

  it('for a preview, and for a schedule', async () => {
    await reachLimit();
    const query = new URLSearchParams({ scheduleStartAt, rule: slow, timeZone: 'UTC' });
    expect(await user.call('GET', `/schedule/preview?${String(query)}`)).toMatchObject(refused);
    expect(await schedule(slow)).toMatchObject(refused);
  });

  it.each(['/schedule/occurrences?', '/streams/ID/timeline?limit=1000&'])('for many starts of %s', async (path) => {
    expect(await schedule(`FREQ=DAILY;BYHOUR=${numbers(24)};BYMINUTE=0,30`)).toMatchObject({ status: 200 });
    await reachLimit();
    const range = 'from=2030-02-01T00:00:00Z&to=2030-02-28T00:00:00Z';
    expect(await user.call('GET', `${path.replace('ID', streamID)}${range}`)).toMatchObject(refused);
  });

  it('for rules of a programme', async () => {
    const never = 'FREQ=WEEKLY;BYMONTH=2;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYMONTHDAY=30';
    const [{ steps }] = (await user.call('GET', `/programmes/${id}`)).body.blocks;
    const blocks = Array.from({ length: 20 }, (_, index) => {
      const hours = { rule: never, at: '08:00', minutes: 60, firstDay: `2031-01-${10 + index}` };
      return { id: `block-${index}`, name: 'Never', ...hours, steps };
    });
    await reachLimit();
    expect(await user.call('PATCH', `/programmes/${id}`, { blocks })).toMatchObject(refused);
  });
});
