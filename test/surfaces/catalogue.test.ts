// Each operation is on every surface, or is omitted there with a reason.
import { describe, expect, test } from 'vitest';
import { guidance } from '../../lambda/api/mcp-guidance.ts';
import { operations } from '../../lambda/operations/index.ts';
import { toolName } from '../../lambda/operations/operation.ts';
import { allScopes } from '../../lambda/operations/scopes.ts';
import { toolsOf } from '../../lambda/surfaces/mcp/tools.ts';
import { buildSchema } from '../../lambda/surfaces/graphql/schema.ts';
import { buildOpenapi } from '../../lambda/surfaces/openapi/openapi.ts';

const forGuests = 'it is for guests, who have no account: its limits count one request each';

interface Surface {
  /** The operations that the surface has, by tool name. */
  readonly has: () => readonly string[];
  /** The operations that the surface lacks, by tool name, with reasons. */
  readonly leftOut: Readonly<Record<string, string>>;
}

const forNobody =
  'it needs no credential: AI clients have the list of tools itself, and calls tell them whether the service answers';

const surfaces: Readonly<Record<string, Surface>> = {
  OpenAPI: {
    has: () =>
      Object.values(buildOpenapi(operations, 'https://api.example.org/v1')['paths'] as object).flatMap((path: object) =>
        Object.values(path).map(({ operationId }) => operationId as string),
      ),
    leftOut: {},
  },
  MCP: {
    has: () =>
      toolsOf(operations, guidance.toolTexts)
        .choose('all')
        .listFor(allScopes)
        .map(({ name }) => name),
    leftOut: {
      get_status: forNobody,
      get_openapi: forNobody,
      list_requestable_items: forGuests,
      request_item: forGuests,
      list_prices: 'it needs no credential: streams and readiness say what they cost',
      get_stream_frame: 'models are given no pictures by the URL of one',
      preview_stream_look: 'models are given no pictures by the URL of one',
    },
  },
  GraphQL: {
    has: () => {
      const { schema } = buildSchema(operations);
      return [schema.getQueryType()!, schema.getMutationType()!].flatMap((type) =>
        Object.keys(type.getFields()).map((id) => toolName({ id })),
      );
    },
    leftOut: { list_requestable_items: forGuests, request_item: forGuests },
  },
};

describe.each(Object.entries(surfaces))('%s', (_name, { has, leftOut }) => {
  test('has every operation but those that are left out, and nothing else', () => {
    const expected = operations.map(toolName).filter((name) => !Object.hasOwn(leftOut, name));
    expect([...has()].sort()).toEqual(expected.sort());
  });

  test('leaves out only operations that exist', () => {
    const names = new Set(operations.map(toolName));
    expect(Object.keys(leftOut).filter((name) => !names.has(name))).toEqual([]);
  });
});
