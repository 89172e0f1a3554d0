// The GraphQL schema: a committed, complete snapshot that matches the catalogue.
import { GraphQLNonNull, printSchema, validateSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { operations as catalogue } from '../../../lambda/operations/index.ts';
import { toolName } from '../../../lambda/operations/operation.ts';
import { related, relations } from '../../../lambda/operations/relations.ts';
import { buildSchema } from '../../../lambda/surfaces/graphql/schema.ts';

const operations = catalogue.filter(({ isForGuests }) => isForGuests !== true);
const { schema } = buildSchema(catalogue);
const text = `${printSchema(schema)}\n`;
const queries = schema.getQueryType()!.getFields();
const mutations = schema.getMutationType()!.getFields();
const types = Object.entries(schema.getTypeMap()).filter(([name]) => !name.startsWith('__'));

describe('the schema', () => {
  test('is the committed snapshot', async () => {
    await expect(text).toMatchFileSnapshot('../schema.graphql');
  });

  test('has no faults', () => {
    expect(validateSchema(schema)).toEqual([]);
  });

  test('has every operation that is not for guests: reads as queries, everything else as mutations', () => {
    const isRead = ({ method }: { method: string }) => method === 'GET';
    const ids = (of: typeof operations) => of.map(({ id }) => id);
    expect(Object.keys(queries)).toEqual(ids(operations.filter(isRead)));
    expect(Object.keys(mutations)).toEqual(ids(operations.filter((operation) => !isRead(operation))));
  });

  test('describes each operation, without tool names of MCP', () => {
    const described = [...Object.values(queries), ...Object.values(mutations)];
    expect(described.filter(({ description }) => !/\S/.test(description ?? '')).map(({ name }) => name)).toEqual([]);
    const toolNames = operations.map(toolName).filter((name) => name.includes('_'));
    expect(toolNames.filter((name) => new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
  });

  test('has the type JSON in three places only', () => {
    const places = [...text.matchAll(/^ {2}(\w+)(?:\(.*\))?: JSON/gm)].map(([, name]) => name);
    expect(places).toEqual(['getOpenapi', 'headers', 'headers']);
  });

  test('has sizes in bytes as Float, as Int would be too small', () => {
    expect(text).toMatch(/fileSize: Float\n/);
    expect(text).toMatch(/bytesSent: Float!/);
    expect(text).toMatch(/width: Int\n/);
  });
});

describe.for(operations.map((operation) => [operation.id, operation] as const))('%s', ([id, operation]) => {
  const { args } = (queries[id] ?? mutations[id])!;

  test('takes the fields that REST takes', () => {
    const shape = (schema: unknown) => Object.keys((schema as { shape?: object } | undefined)?.shape ?? {});
    const isPaged = Object.hasOwn(operation.query.shape, 'cursor');
    const query = shape(operation.query).map((name) =>
      isPaged ? ({ limit: 'first', cursor: 'after' }[name] ?? name) : name,
    );
    const key = operation.method === 'POST' ? ['idempotencyKey'] : [];
    expect(args.map(({ name }) => name)).toEqual([
      ...shape(operation.params),
      ...query,
      ...shape(operation.body),
      ...key,
    ]);
  });

  test('requires the fields that REST requires', () => {
    const required = args.filter(({ type }) => type instanceof GraphQLNonNull).map(({ name }) => name);
    const isRequired = (field: unknown) =>
      !(field as { safeParse: (value: unknown) => { success: boolean } }).safeParse(undefined).success;
    const body = (operation.body as { shape?: object } | undefined)?.shape ?? {};
    const fields = { ...operation.params.shape, ...operation.query.shape, ...body };
    expect(required).toEqual(
      Object.entries(fields)
        .filter(([, field]) => isRequired(field))
        .map(([name]) => name),
    );
  });
});

describe.for(relations.map((relation) => [`${relation.from}.${relation.field}`, relation] as const))(
  'the relation %s',
  ([, { from, field, ids, to }]) => {
    test('leads from a field with ids to resources with ids', () => {
      const type = types.find(([name]) => name === from)![1] as unknown as {
        getFields(): Record<string, { type: unknown }>;
      };
      expect(Object.keys(type.getFields())).toEqual(expect.arrayContaining([field, ids]));
      expect(Object.keys(related[to].schema.shape)).toContain('id');
    });

    test('needs the scope of the operation that answers one such resource', () => {
      expect(operations.find(({ id }) => id === `get${to}`)!.scopes).toEqual(related[to].scopes);
    });
  },
);
