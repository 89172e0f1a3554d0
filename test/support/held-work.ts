// A REST surface whose operations do the work of a test, and work that does not end before its test lets it.
import * as z from 'zod';
import type { Database } from '../../lambda/data/database.ts';
import type { Context } from '../../lambda/operations/context.ts';
import { pageQuery } from '../../lambda/operations/fields.ts';
import { operation } from '../../lambda/operations/operation.ts';
import { createRestHandler } from '../../lambda/surfaces/rest/rest-handler.ts';
import type { RestHandler } from '../../lambda/surfaces/rest/rest-handler.ts';
import type { RestService } from '../../lambda/surfaces/service.ts';

export interface HeldWork {
  readonly hold: () => Promise<void>;
  /** Ends all work under way, and waits for the answers. */
  readonly end: () => Promise<void>;
  /** Sends requests at once, and waits until each has begun its work or is refused. @returns those that have begun */
  readonly begunOf: (count: number, request: (index: number) => Promise<Response>) => Promise<number>;
}

export function heldWork(): HeldWork {
  const ends: (() => void)[] = [];
  const sent: Promise<unknown>[] = [];
  let [begun, refused] = [0, 0];
  let look = () => {};
  return {
    async hold() {
      begun++;
      look();
      await new Promise<void>((resolve) => ends.push(resolve));
    },
    async end() {
      for (const end of ends.splice(0)) end();
      await Promise.all(sent.splice(0));
    },
    async begunOf(count, request) {
      [begun, refused] = [0, 0];
      await new Promise<void>((resolve) => {
        look = () => void (begun + refused === count && resolve());
        const one = async (index: number) => {
          const { status } = await request(index);
          if (status === 429) refused++;
          look();
        };
        for (let index = 0; index < count; index++) sent.push(one(index));
      });
      return begun;
    },
  };
}

const answer = { status: 200, body: z.object({}) } as const;

/** A surface with a list, a resource and a change, which all do `work`. */
export function surfaceOfWork(service: RestService, work: (data: Database) => Promise<void>): RestHandler {
  const handle = async ({ data }: Context) => {
    await work(data);
    return {};
  };
  const common = { summary: 'Test', tag: 'streams', output: answer, handle } as const;
  const operations = [
    { ...operation(['service:read'], { ...common, route: 'GET /tests', query: pageQuery }), id: 'listTests' },
    { ...operation(['service:read'], { ...common, route: 'GET /tests/{id}' }), id: 'getTest' },
    { ...operation(['service:write'], { ...common, route: 'POST /tests' }), id: 'createTest' },
  ];
  return createRestHandler({ ...service, operations });
}
