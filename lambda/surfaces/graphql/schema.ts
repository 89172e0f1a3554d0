// The GraphQL schema, computed from the catalogue: reads are queries, everything else is a mutation. It names no operation.
import { GraphQLBoolean, GraphQLNonNull, GraphQLObjectType, GraphQLSchema, printSchema } from 'graphql';
import type { GraphQLFieldConfig, GraphQLOutputType } from 'graphql';
import { toolName } from '../../operations/operation.ts';
import type { Operation } from '../../operations/operation.ts';
import { related, relations } from '../../operations/relations.ts';
import { jsonSchema } from '../openapi/schemas.ts';
import { createAnswerTypes, isPage } from './answer-types.ts';
import { createArguments } from './arguments.ts';
import type { OperationArguments } from './arguments.ts';
import type { Execution } from './execution.ts';
import { componentOf, createEnums, capitalized } from './json-types.ts';
import type { Components, Schema, Wording } from './json-types.ts';
import { costOf, mutationCost } from './limits.ts';
import type { Cost } from './limits.ts';

type Field = GraphQLFieldConfig<unknown, Execution>;

export interface CatalogueSchema {
  readonly schema: GraphQLSchema;
  /** What a field of Query or Mutation calls. */
  readonly calls: ReadonlyMap<string, { readonly operation: Operation; readonly args: OperationArguments }>;
}

/** Built once per process. */
export function buildSchema(operations: readonly Operation[]): CatalogueSchema {
  const components: Components = {};
  const answers = new Map(
    operations.map((operation) => [
      operation,
      operation.output.body ? (jsonSchema(operation.output.body, 'output', components) as Schema) : null,
    ]),
  );
  for (const { schema } of Object.values(related)) jsonSchema(schema, 'output', components);
  const enums = createEnums();
  const fieldNames = new Map(operations.map((operation) => [toolName(operation), operation.id]));
  const wording: Wording = (text) =>
    text?.replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => fieldNames.get(name) ?? name);
  const answerTypes = createAnswerTypes(components, relations, enums, wording);
  const argumentsOf = createArguments(enums, wording);
  const calls = new Map<string, { operation: Operation; args: OperationArguments }>();

  const fieldOf = (operation: Operation): Field => {
    const answer = answers.get(operation)!;
    const isPaged = isPage(components[componentOf(answer ?? {}) ?? ''] ?? {});
    const args = argumentsOf(operation, isPaged);
    calls.set(operation.id, { operation, args });
    const { summary, description, method } = operation;
    const own = method === 'GET' ? 1 : mutationCost;
    return {
      type: answer ? nullable(answerTypes(answer, capitalized(operation.id))) : GraphQLBoolean,
      description: wording(description === undefined ? `${summary}.` : `${summary}. ${description}`),
      args: args.config,
      extensions: costOf({ own, times: isPaged ? pageLengthOf(operation) : 1 }),
      resolve: (_root, values, execution, { path }) => execution.call(operation, args, values, String(path.key)),
    };
  };
  const rootType = (name: string, of: readonly Operation[]) =>
    new GraphQLObjectType({
      name,
      fields: Object.fromEntries(of.map((operation) => [operation.id, fieldOf(operation)])),
    });
  const query = rootType(
    'Query',
    operations.filter(({ method }) => method === 'GET'),
  );
  const mutation = rootType(
    'Mutation',
    operations.filter(({ method }) => method !== 'GET'),
  );
  return { schema: new GraphQLSchema({ query, mutation }), calls };
}

/** In the schema definition language, for people and code generators. */
export function schemaText(operations: readonly Operation[]): string {
  return `${printSchema(buildSchema(operations).schema)}\n`;
}

/** A call that fails leaves the others of its request alone. */
function nullable(type: GraphQLOutputType): GraphQLOutputType {
  return type instanceof GraphQLNonNull ? (type.ofType as GraphQLOutputType) : type;
}

function pageLengthOf({ query }: Operation): Cost['times'] {
  const { limit } = (jsonSchema(query, 'input', {}) as Schema).properties!;
  return { unlessAsked: Number(limit!.default), atMost: limit!.maximum! };
}
