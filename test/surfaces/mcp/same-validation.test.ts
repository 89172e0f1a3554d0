// Equal inputs get equal verdicts from MCP and REST: the same code, and the same faults in the same words.
import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { operations } from '../../../lambda/operations/index.ts';
import { toolName } from '../../../lambda/operations/operation.ts';
import type { Operation } from '../../../lambda/operations/operation.ts';
import { isTool } from '../../../lambda/surfaces/mcp/operation-tools.ts';
import { testMcp } from '../../support/mcp.ts';
import { baseURL, testService } from '../../support/service.ts';
import type { TestUser } from '../../support/service.ts';

const service = testService();
const mcp = testMcp(service);
let user: TestUser;
beforeAll(async () => {
  user = await service.user(0);
});

/** The number of tried inputs: a thousand in the long suite. */
const inputs = process.env['SUITE'] === 'long' ? 1000 : 100;

interface Input {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Values that are right, wrong or nearly right. No resource has such an identifier. */
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(
    '',
    'x',
    'video',
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
  ),
  fc.constantFrom(-1, 0, 1, 1.5, 100, 101, 2 ** 53),
  fc.constantFrom(
    [],
    ['x'],
    ['x', 'x', 'x'],
    [{ op: 'clear' }],
    [{ op: 'add' }],
    [{ op: 'sing' }],
    { rule: 'FREQ=DAILY', timeZone: 'UTC' },
    null,
    true,
  ),
);
const text = fc.constantFrom('', 'x', 'many', 'hour', 'draft', 'Mars/Base', '2999-01-01T00:00:00Z', 'a\0b');

/** A value for a parameter of the query that a query string can express: a number only if one is expected. */
function queryValue(type: string | undefined): fc.Arbitrary<unknown> {
  if (type === 'array') return fc.array(fc.constantFrom('a', '', 'x'.repeat(300)), { minLength: 1, maxLength: 3 });
  if (type === 'integer') return fc.oneof(text, fc.constantFrom(-1, 0, 1, 20, 101, 1.5));
  return type === 'boolean' ? fc.oneof(text, fc.boolean()) : text;
}

function typesOf(schema: z.ZodType): Readonly<Record<string, string | undefined>> {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, (property as { type?: string }).type]),
  );
}

/** Some of these members, or none of them. */
function some(
  members: Readonly<Record<string, fc.Arbitrary<unknown>>>,
): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  return fc.record(members, { requiredKeys: [] });
}

const anyID = fc.constantFrom('nothing', 'ünknown', '%', 'a b', '0');
/** Fields that no operation has; in most inputs none. */
const unknownFields = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  some({ colour: anything, 'a/b~c': anything }),
);

function inputOf(operation: Operation): fc.Arbitrary<Input> {
  const { method, params, query, body } = operation;
  const fields = body ? Object.keys(typesOf(body)) : [];
  const knownFields = some(Object.fromEntries(fields.map((name) => [name, anything])));
  const search = Object.entries({ ...typesOf(query), ...(method === 'GET' ? { colour: 'string' } : {}) });
  return fc.record({
    operation: fc.constant(operation),
    params: fc.record(Object.fromEntries(Object.keys(params.shape).map((name) => [name, anyID]))),
    query: some(Object.fromEntries(search.map(([name, type]) => [name, queryValue(type)]))),
    body: fc.tuple(knownFields, unknownFields).map(([known, unknown]) => ({ ...known, ...(body ? unknown : {}) })),
  });
}

/** The faults of an input, or that it is valid. Other tests cover the effects of a valid one. */
function verdictOf({ code, detail, errors }: { code?: string; detail?: string; errors?: unknown } = {}): unknown {
  return code === 'validation_failed' || code === 'unknown_field' ? { code, detail, errors } : 'valid';
}

async function onRest({ operation: { method, path, body: takesBody }, params, query, body }: Input): Promise<unknown> {
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)])),
  );
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const headers = { 'x-api-key': user.apiKey, 'content-type': 'application/json' };
  // The user's own `call` fails if an answer repeats a sent stream key. Here stream keys are arbitrary words.
  const answer = await service.handler()(
    new Request(`${baseURL}${filled}?${search}`, {
      method,
      headers,
      ...(takesBody ? { body: JSON.stringify(body) } : {}),
    }),
    '192.0.2.1',
  );
  return verdictOf(answer.ok ? undefined : ((await answer.json()) as object));
}

async function onMcp({ operation, params, query, body }: Input): Promise<unknown> {
  const { structuredContent } = await mcp.callTool(user, toolName(operation), { ...params, ...query, ...body });
  return verdictOf(structuredContent.problem);
}

test(`REST and MCP judge ${inputs} inputs alike`, { timeout: 120_000 }, async () => {
  const tools = operations.filter(isTool);
  // Operations with more fields are tried more often.
  const weightOf = ({ body, query }: Operation) => {
    if (body) return 6;
    return Object.keys(query.shape).length > 0 ? 3 : 1;
  };
  const weighted = tools.map((operation) => ({ weight: weightOf(operation), arbitrary: inputOf(operation) }));
  const verdicts: unknown[] = [];
  await fc.assert(
    fc.asyncProperty(fc.oneof(...weighted), async (input) => {
      const verdict = await onRest(input);
      expect(await onMcp(input)).toEqual(verdict);
      verdicts.push(verdict);
    }),
    { numRuns: inputs },
  );
  expect(new Set(verdicts.map((verdict) => verdict === 'valid'))).toEqual(new Set([true, false]));
});
