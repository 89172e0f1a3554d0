// The same input gets the same verdict from GraphQL as from REST: the same code, and the same faults in the same words, each at its argument.
import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { operations } from '../../../lambda/operations/index.ts';
import type { Operation } from '../../../lambda/operations/operation.ts';
import { buildSchema } from '../../../lambda/surfaces/graphql/schema.ts';
import { graphqlOn } from '../../support/graphql.ts';
import { baseURL, testService } from '../../support/service.ts';
import type { TestUser } from '../../support/service.ts';

const service = testService();
const { ask } = graphqlOn(service);
const { schema } = buildSchema(operations);
let user: TestUser;
beforeAll(async () => {
  user = await service.user(0);
});

/** A thousand in the long run. */
const inputs = process.env['LONG'] === '1' ? 1000 : 100;

type Values = Readonly<Record<string, unknown>>;
interface Input {
  readonly operation: Operation;
  readonly params: Values;
  readonly query: Values;
  readonly body: Values;
}
interface Fault {
  readonly path: string;
  readonly code: string;
  readonly detail: string;
}

const words = [
  '',
  'x',
  'video',
  'audio',
  'q_720p',
  'f_30',
  'sequential',
  'video/mp4',
  'rtmp://example.com/live',
  '2999-01-01T00:00:00Z',
  'https://example.com/a.mp4',
  'x'.repeat(300),
  'a\0b',
  '\ud800',
];
/** Right, wrong and nearly right; no resource has such an identifier. Whole numbers are for fields that are numbers: an ID may be one in GraphQL. */
const anything = fc.oneof(
  fc.constantFrom(...words),
  fc.constantFrom(
    1.5,
    true,
    false,
    null,
    [],
    {},
    ['x'],
    ['x', 'x', 'x'],
    [''],
    [null],
    { rule: 'FREQ=DAILY', timeZone: 'UTC' },
    { rule: 5 },
  ),
);
const number = fc.oneof(anything, fc.constantFrom(-1, 0, 1, 100, 101, 2 ** 31, 2 ** 53));
const edit = fc.oneof(
  fc.record({ op: fc.constantFrom('add', 'remove', 'move', 'replace', 'setMode', 'clear') }, { requiredKeys: ['op'] }),
  fc.record(
    {
      op: fc.constantFrom('add', 'move', 'replace', 'setMode'),
      uploadID: fc.constantFrom(...words),
      itemID: fc.constantFrom(...words),
      index: number,
      mode: anything,
    },
    { requiredKeys: ['op'] },
  ),
);

function typesOf(
  of: z.ZodType,
): Readonly<Record<string, { readonly type?: unknown; readonly anyOf?: readonly { readonly type?: unknown }[] }>> {
  return (z.toJSONSchema(of, { io: 'input', unrepresentable: 'any' }).properties ?? {}) as ReturnType<typeof typesOf>;
}

function valueOf(name: string, property: ReturnType<typeof typesOf>[string]): fc.Arbitrary<unknown> {
  if (name === 'operations') return fc.array(edit, { maxLength: 4 });
  const types = new Set([property.type, ...(property.anyOf ?? []).map(({ type }) => type)].flat());
  // A single value for a list is a list of one in GraphQL.
  if (types.has('array')) return anything.filter((value) => value === null || Array.isArray(value));
  return types.has('integer') || types.has('number') ? number : anything;
}

/** As far as a query string can say what it is. */
function queryValueOf(property: { readonly type?: unknown }): fc.Arbitrary<unknown> {
  if (property.type === 'array')
    return fc.array(fc.constantFrom('a', '', 'x'.repeat(300)), { minLength: 1, maxLength: 3 });
  if (property.type === 'integer') return fc.constantFrom('many', -1, 0, 1, 20, 101, 1.5);
  return property.type === 'boolean'
    ? fc.constantFrom('x', true, false)
    : fc.constantFrom('', 'x', 'hour', 'draft', 'Mars/Base', '2999-01-01T00:00:00Z', 'a\0b');
}

function some(
  properties: ReturnType<typeof typesOf>,
  arbitrary: (property: ReturnType<typeof typesOf>[string], name: string) => fc.Arbitrary<unknown>,
): fc.Arbitrary<Values> {
  return fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, arbitrary(property, name)])),
    { requiredKeys: [] },
  );
}

function inputOf(operation: Operation): fc.Arbitrary<Input> {
  return fc.record({
    operation: fc.constant(operation),
    params: fc.record(
      Object.fromEntries(
        Object.keys(operation.params.shape).map((name) => [
          name,
          fc.constantFrom('nothing', 'ünknown', '%', 'a b', '0'),
        ]),
      ),
    ),
    query: some(typesOf(operation.query), queryValueOf),
    body: operation.body ? some(typesOf(operation.body), (property, name) => valueOf(name, property)) : fc.constant({}),
  });
}

/** What was wrong with the input. What becomes of a valid one is for other tests. */
function verdictOf(
  problem: { code?: string; errors?: readonly Fault[] } | undefined,
  pathOf: (path: string) => string,
): unknown {
  const { code, errors = [] } = problem ?? {};
  return code === 'validation_failed' || code === 'unknown_field'
    ? { code, errors: errors.map((fault) => ({ ...fault, path: pathOf(fault.path) })) }
    : 'valid';
}

const pagingNames: Readonly<Record<string, string>> = { limit: 'first', cursor: 'after' };

async function onRest({ operation: { method, path, body: takesBody }, params, query, body }: Input): Promise<unknown> {
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)])),
  );
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const headers = { 'x-api-key': user.apiKey, 'content-type': 'application/json' };
  const answer = await service.handler()(
    new Request(`${baseURL}${filled}?${search}`, {
      method,
      headers,
      ...(takesBody ? { body: JSON.stringify(body) } : {}),
    }),
    '192.0.2.1',
  );
  return verdictOf(answer.ok ? undefined : ((await answer.json()) as object), (pointer) => {
    const [, part, name] = /^\/(path|query)\/(.*)$/.exec(pointer) ?? [];
    if (part !== undefined) return `/${pagingNames[name!] ?? name}`;
    // Options of a union are fields here.
    return pointer.replace(
      /^\/operations\/(\d+)/,
      (place, index: string) => `${place}/${(body['operations'] as { op: string }[])[Number(index)]!.op}`,
    );
  });
}

async function onGraphql({ operation: { id, method }, params, query, body }: Input): Promise<unknown> {
  const renamed = Object.entries(query).map(([name, value]) => [pagingNames[name] ?? name, value] as const);
  const edits = body['operations'] as { op: string }[] | undefined;
  const args: Values = {
    ...params,
    ...Object.fromEntries(renamed),
    ...body,
    ...(edits
      ? {
          operations: edits.map(({ op, ...rest }) => ({
            [op]: op === 'clear' && Object.keys(rest).length === 0 ? true : rest,
          })),
        }
      : {}),
  };
  const root = method === 'GET' ? schema.getQueryType()! : schema.getMutationType()!;
  const field = root.getFields()[id]!;
  const declared = field.args.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const passed = field.args.map(({ name }) => `${name}: $${name}`).join(', ');
  const selection = /^(\[CryptoCurrency|Boolean|JSON)/.test(String(field.type)) ? '' : '{ __typename }';
  const text = `${root.name.toLowerCase()}${declared && `(${declared})`} { ${id}${passed && `(${passed})`} ${String(field.type).startsWith('[') ? '{ id }' : selection} }`;
  const { body: answer } = await ask(user, text, args);
  return verdictOf(answer.errors?.[0]?.extensions, (path) => path);
}

test(`REST and GraphQL judge ${inputs} inputs alike`, { timeout: 120_000 }, async () => {
  // Where there is more to get wrong, more is tried.
  const weighted = operations.map((operation) => ({
    weight: operation.body ? 6 : Object.keys(operation.query.shape).length > 0 ? 3 : 1,
    arbitrary: inputOf(operation),
  }));
  const verdicts: unknown[] = [];
  await fc.assert(
    fc.asyncProperty(fc.oneof(...weighted), async (input) => {
      const verdict = await onRest(input);
      expect(await onGraphql(input)).toEqual(verdict);
      verdicts.push(verdict);
    }),
    { numRuns: inputs },
  );
  // Neither has the generator been too kind, nor too harsh.
  const valid = verdicts.filter((verdict) => verdict === 'valid').length;
  expect([valid > inputs / 20, valid < inputs * 0.8]).toEqual([true, true]);
});
