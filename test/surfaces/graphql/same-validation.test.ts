// Equal inputs get equal verdicts from GraphQL and REST: the same code, and the same faults in the same words.
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

/** The number of tried inputs: a thousand in the long suite. */
const inputs = process.env['SUITE'] === 'long' ? 1000 : 100;

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
/**
 * Values that are right, wrong or nearly right. No resource has such an identifier. Whole numbers are omitted, because
 * they are valid IDs in GraphQL.
 */
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
/** Values for fields that are numbers. */
const number = fc.oneof(anything, fc.constantFrom(-1, 0, 1, 100, 101, 2 ** 31, 2 ** 53));
/** A property of JSON Schema, as far as its type goes. */
interface Property {
  readonly type?: unknown;
  readonly anyOf?: readonly { readonly type?: unknown }[];
  readonly items?: { readonly $ref?: string; readonly oneOf?: readonly { readonly properties: Properties }[] };
  readonly const?: unknown;
}

type Properties = Readonly<Record<string, Property>>;

function propertiesOf(schema: z.ZodType): Properties {
  const { properties = {}, $defs = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const resolved = Object.entries(properties as Properties).map(([name, property]) => {
    const definition = property.items?.$ref?.split('/').at(-1);
    return [name, definition === undefined ? property : { ...property, items: $defs[definition] }];
  });
  return Object.fromEntries(resolved) as Properties;
}

/** One of a batch of operations, with its own fields and those of others. */
function editOf(kinds: readonly { readonly properties: Properties }[]): fc.Arbitrary<unknown> {
  const op = fc.constantFrom(...kinds.map(({ properties }) => properties['op']!.const));
  const { op: _, ...fields } = Object.assign({}, ...kinds.map(({ properties }) => properties)) as Properties;
  const named = Object.entries(fields).map(([name, property]) => {
    const isText = property.type === 'string' && name.endsWith('ID');
    return [name, isText ? fc.constantFrom(...words) : valueOf(property)] as const;
  });
  const more = fc.record({ op, ...Object.fromEntries(named) }, { requiredKeys: ['op'] });
  return fc.oneof(fc.record({ op }), more);
}

/** A value for a field of a body. */
function valueOf(property: Property): fc.Arbitrary<unknown> {
  const kinds = property.items?.oneOf;
  if (kinds) return fc.array(editOf(kinds), { maxLength: 4 });
  const types = new Set([property.type, ...(property.anyOf ?? []).map(({ type }) => type)].flat());
  // In GraphQL a single value in place of a list is a list of one.
  if (types.has('array')) return anything.filter((value) => value === null || Array.isArray(value));
  return types.has('integer') || types.has('number') ? number : anything;
}

/** A value for a parameter of the query, among those that a query string can express. */
function queryValueOf(property: Property): fc.Arbitrary<unknown> {
  if (property.type === 'array')
    return fc.array(fc.constantFrom('a', '', 'x'.repeat(300)), { minLength: 1, maxLength: 3 });
  if (property.type === 'integer') return fc.constantFrom('many', -1, 0, 1, 20, 101, 1.5);
  return property.type === 'boolean'
    ? fc.constantFrom('x', true, false)
    : fc.constantFrom('', 'x', 'hour', 'draft', 'Mars/Base', '2999-01-01T00:00:00Z', 'a\0b');
}

/** Some of these properties, or none, each with a value. */
function some(properties: Properties, valueOf: (property: Property) => fc.Arbitrary<unknown>): fc.Arbitrary<Values> {
  const values = Object.entries(properties).map(([name, property]) => [name, valueOf(property)]);
  return fc.record(Object.fromEntries(values), { requiredKeys: [] });
}

const anyID = fc.constantFrom('nothing', 'ünknown', '%', 'a b', '0');

function inputOf(operation: Operation): fc.Arbitrary<Input> {
  const { params, query, body } = operation;
  return fc.record({
    operation: fc.constant(operation),
    params: fc.record(Object.fromEntries(Object.keys(params.shape).map((name) => [name, anyID]))),
    query: some(propertiesOf(query), queryValueOf),
    body: body ? some(propertiesOf(body), valueOf) : fc.constant({}),
  });
}

/**
 * The faults of an input, or that it is valid. Other tests cover the effects of a valid one.
 * @param argumentOf converts a fault's place to a path in GraphQL
 */
function verdictOf(
  problem: { code?: string; errors?: readonly Fault[] } | undefined,
  argumentOf: (path: string) => string,
): unknown {
  const { code, errors = [] } = problem ?? {};
  if (code !== 'validation_failed' && code !== 'unknown_field') return 'valid';
  return { code, errors: errors.map((fault) => ({ ...fault, path: argumentOf(fault.path) })) };
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
    // In GraphQL each kind of operation on a playlist is a field, which is part of the path.
    const edits = body['operations'] as { op: string }[];
    return pointer.replace(/^\/operations\/(\d+)/, (place, index: string) => `${place}/${edits[Number(index)]!.op}`);
  });
}

/** An operation on a playlist as GraphQL has it: a field for each kind. */
function asField({ op, ...rest }: { op: string }): object {
  return { [op]: op === 'clear' && Object.keys(rest).length === 0 ? true : rest };
}

/** The smallest selection of a type. */
function selectionOf(type: string): string {
  if (type.startsWith('[')) return '{ id }';
  return /^(Boolean|JSON)/.test(type) ? '' : '{ __typename }';
}

async function onGraphql({ operation: { id, method }, params, query, body }: Input): Promise<unknown> {
  const renamed = Object.entries(query).map(([name, value]) => [pagingNames[name] ?? name, value] as const);
  const edits = body['operations'] as { op: string }[] | undefined;
  const args: Values = {
    ...params,
    ...Object.fromEntries(renamed),
    ...body,
    ...(edits ? { operations: edits.map(asField) } : {}),
  };
  const root = method === 'GET' ? schema.getQueryType()! : schema.getMutationType()!;
  const field = root.getFields()[id]!;
  const declared = field.args.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const passed = field.args.map(({ name }) => `${name}: $${name}`).join(', ');
  const inParentheses = (list: string) => (list === '' ? '' : `(${list})`);
  const selection = `${id}${inParentheses(passed)} ${selectionOf(String(field.type))}`;
  const text = `${root.name.toLowerCase()}${inParentheses(declared)} { ${selection} }`;
  const { body: answer } = await ask(user, text, args);
  return verdictOf(answer.errors?.[0]?.extensions, (path) => path);
}

test(`REST and GraphQL judge ${inputs} inputs alike`, { timeout: 120_000 }, async () => {
  // Operations with more fields are tried more often.
  const weightOf = ({ body, query }: Operation) => {
    if (body) return 6;
    return Object.keys(query.shape).length > 0 ? 3 : 1;
  };
  const weighted = operations
    .filter(({ isForGuests }) => isForGuests !== true)
    .map((operation) => ({ weight: weightOf(operation), arbitrary: inputOf(operation) }));
  const verdicts: unknown[] = [];
  await fc.assert(
    fc.asyncProperty(fc.oneof(...weighted), async (input) => {
      const verdict = await onRest(input);
      expect(await onGraphql(input)).toEqual(verdict);
      verdicts.push(verdict);
    }),
    { numRuns: inputs },
  );
  // The comparison needs both valid and invalid inputs.
  const valid = verdicts.filter((verdict) => verdict === 'valid').length;
  expect([valid > inputs / 20, valid < inputs * 0.8]).toEqual([true, true]);
});
