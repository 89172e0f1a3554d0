// Calls under way pay for their time again and again, and end before the function that answers them does.
// Decision D271.
import { expect, describe, it } from 'vitest';
import * as z from 'zod';
import type { Database } from '../../../lambda/data/database.ts';
import type { Queryable } from '../../../lambda/data/shared/queryable.ts';
import type { Context } from '../../../lambda/operations/context.ts';
import { operation } from '../../../lambda/operations/operation.ts';
import { createGraphqlHandler } from '../../../lambda/surfaces/graphql/graphql-handler.ts';
import { createRestHandler } from '../../../lambda/surfaces/rest/rest-handler.ts';
import { graphqlURL } from '../../support/graphql.ts';
import { baseURL, testService } from '../../support/service.ts';
import type { TestUser } from '../../support/service.ts';

let nowMs = 0;
const service = testService({ rateLimitFactor: 1, steadyClock: () => nowMs });
const output = { status: 200, body: z.object({ done: z.boolean() }).meta({ id: 'DoneTest' }) } as const;

/** Surfaces with a read and a change, which both do `work`. */
function surfacesOf(work: (data: Database) => Promise<void>, factor = 1) {
  const handle = async ({ data }: Context) => {
    await work(data);
    return { done: true };
  };
  const common = { summary: 'Test', tag: 'streams', output, handle } as const;
  const operations = [
    { ...operation(['service:read'], { ...common, route: 'GET /tests/{id}' }), id: 'getTest' },
    { ...operation(['service:write'], { ...common, route: 'POST /tests' }), id: 'createTest' },
  ];
  const settings = { ...service.service().settings, rateLimitFactor: factor };
  const surface = { ...service.service(), operations, settings };
  const [rest, graphql] = [createRestHandler(surface), createGraphqlHandler(surface)];
  const json = { 'content-type': 'application/json' };
  return {
    read: ({ apiKey }: TestUser) =>
      rest(new Request(`${baseURL}/tests/x`, { headers: { 'x-api-key': apiKey } }), '192.0.2.1'),
    change: ({ apiKey }: TestUser) =>
      rest(new Request(`${baseURL}/tests`, { method: 'POST', headers: { 'x-api-key': apiKey } }), '192.0.2.1'),
    // oxlint-disable-next-line typescript/no-explicit-any -- tests assert on the answers
    ask: async ({ apiKey }: TestUser, query: string): Promise<any> => {
      const [headers, body] = [{ ...json, 'x-api-key': apiKey }, JSON.stringify({ query })];
      const answer = await graphql(new Request(graphqlURL, { method: 'POST', headers, body }), '192.0.2.1');
      return await answer.json();
    },
  };
}

/** Work of so many statements that take so long each. */
function statements(count: number, ms: number) {
  const made = { statements: 0 };
  const work = async (data: Database) => {
    for (let statement = 0; statement < count; statement++) {
      // oxlint-disable-next-line no-await-in-loop -- statements follow each other
      await data.now();
      made.statements++;
      nowMs += ms;
    }
  };
  return { made, work };
}

const countedMs = async ({ id }: TestUser, kind: 'read' | 'write') => {
  const text = 'select work_ms from request_windows where subject = $1 and class = $2';
  return (await service.pool().query(text, [`user ${id}`, kind])).rows[0]?.work_ms as number;
};
const aliases = (count: number, field: string) =>
  Array.from({ length: count }, (_, index) => `f${index}: ${field}`).join(' ');

describe('a read under way', () => {
  it('has paid for the time before, also if it never ends', async () => {
    const user = await service.user();
    const { work } = statements(7, 500);
    const [hangs, never] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const answer = surfacesOf(async (data) => {
      await work(data);
      await data.now();
      hangs.resolve();
      await never.promise;
    }).read(user);
    await hangs.promise;
    expect(await countedMs(user, 'read')).toBeGreaterThanOrEqual(3490);
    never.resolve();
    await answer;
    expect(await countedMs(user, 'read')).toBeLessThanOrEqual(3490 + 250);
  });

  it('ends once the time of the minute is used up', async () => {
    const [user, { made, work }] = [await service.user(), statements(6, 1000)];
    const { read } = surfacesOf(work);
    expect((await read(user)).status).toBe(200);
    const ended = await read(user);
    expect([ended.status, made.statements]).toEqual([429, 11]);
    expect(ended.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await ended.json()).toMatchObject({ code: 'rate_limited', detail: expect.stringMatching(/Smaller pages/) });
  });

  it('ends after ten seconds, and its problem names the remedy', async () => {
    const [user, { made, work }] = [await service.user(), statements(60, 1000)];
    const ended = await surfacesOf(work, 4).read(user);
    expect([ended.status, made.statements]).toEqual([502, 10]);
    expect(await ended.json()).toMatchObject({ detail: expect.stringMatching(/10 seconds.*smaller pages/) });
    expect(await countedMs(user, 'read')).toBeGreaterThanOrEqual(9990);
  });
});

describe('a document of GraphQL', () => {
  it('ends after ten seconds, however many fields begin at once', async () => {
    const [user, { made, work }] = [await service.user(), statements(1, 1000)];
    const { data, errors } = await surfacesOf(work, 4).ask(user, `{ ${aliases(40, 'getTest(id: "x") { done }')} }`);
    expect(made.statements).toBe(11);
    expect(Object.values(data).filter((done) => done !== null)).toHaveLength(11);
    expect(errors).toHaveLength(29);
    expect(errors[0].message).toMatch(/10 seconds.*smaller pages/);
    expect(await countedMs(user, 'read')).toBeGreaterThanOrEqual(10_990);
  });

  it('makes no more changes then, and reports those that it has made', async () => {
    const [user, { made, work }] = [await service.user(), statements(1, 3000)];
    const document = `mutation { ${aliases(9, 'createTest { done }')} }`;
    const { data, errors } = await surfacesOf(work, 4).ask(user, document);
    expect(made.statements).toBe(4);
    const done = { done: true };
    expect(Object.values(data)).toEqual([done, done, done, done, null, null, null, null, null]);
    expect(errors).toHaveLength(5);
    expect(errors[0].message).toMatch(/This change was not made.*10 seconds/);
    expect(await countedMs(user, 'write')).toBeGreaterThanOrEqual(11_990);
  });

  it('makes no more changes either once the time of the minute is used up', async () => {
    const [user, { made, work }] = [await service.user(), statements(1, 4000)];
    const { ask } = surfacesOf(work);
    for (const count of [2, 2]) await ask(user, `mutation { ${aliases(count, 'createTest { done }')} }`);
    expect(made.statements).toBe(4);
    await service.pool().query(`update request_windows set work_ms = 13000 where subject = $1`, [`user ${user.id}`]);
    const { data, errors } = await ask(user, `mutation { ${aliases(3, 'createTest { done }')} }`);
    expect(Object.values(data)).toEqual([{ done: true }, null, null]);
    expect(errors[0]).toMatchObject({
      message: expect.stringMatching(/This change was not made/),
      extensions: { code: 'rate_limited' },
    });
  });
});

describe('a change', () => {
  it('ends between two statements after 15 seconds, and has changed nothing', async () => {
    const [user, { made, work }] = [await service.user(), statements(60, 1000)];
    const ended = await surfacesOf(async (data) => {
      await data.users.ensureUser({ id: `${user.id}_written`, email: `${user.id}@example.org`, name: '' });
      await work(data);
    }, 4).change(user);
    expect([ended.status, made.statements]).toEqual([502, 15]);
    expect(await ended.json()).toMatchObject({ detail: expect.stringMatching(/15 seconds.*[Nn]othing was changed/) });
    expect((await service.pool().query('select from users where id = $1', [`${user.id}_written`])).rowCount).toBe(0);
    expect(await countedMs(user, 'write')).toBeGreaterThanOrEqual(14_990);
  });

  it('has statements that end before the function does', async () => {
    const user = await service.user();
    let timeout = '';
    const { change } = surfacesOf(async (data) => {
      const { db } = data as unknown as { readonly db: Queryable };
      timeout = (await db.query<{ statement_timeout: string }>('show statement_timeout')).rows[0]!.statement_timeout;
    });
    expect((await change(user)).status).toBe(200);
    expect(timeout).toBe('12s');
  });
});
