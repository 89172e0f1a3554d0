// Computes the GraphQL schema from the catalogue, without naming any operation.
// Operations that read are queries, all others are mutations.
import { GraphQLBoolean, GraphQLObjectType, GraphQLSchema } from 'graphql';
import type { GraphQLFieldConfig } from 'graphql';
import { toolName } from '../../operations/operation.ts';
import type { Operation } from '../../operations/operation.ts';
import { related, relations } from '../../operations/relations.ts';
import { jsonSchema } from '../openapi/schemas.ts';
import { createAnswerTypes, isPage, nullable } from './answer-types.ts';
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
  /** The operation that each field of Query or Mutation calls, by the name of the field. */
  readonly calls: ReadonlyMap<string, { readonly operation: Operation; readonly args: OperationArguments }>;
}

/** Builds the schema. A process does so once. */
export function buildSchema(catalogue: readonly Operation[]): CatalogueSchema {
  const operations = catalogue.filter(({ isForGuests }) => isForGuests !== true);
  const components: Components = {};
  const answerOf = ({ output: { body } }: Operation) =>
    body ? (jsonSchema(body, 'output', components) as Schema) : null;
  const answers = new Map(operations.map((operation) => [operation, answerOf(operation)]));
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
    const args = argumentsOf(operation, { isPaged });
    calls.set(operation.id, { operation, args });
    const { summary, description, method } = operation;
    const own = method === 'GET' ? 1 : mutationCost;
    return {
      // A failed call makes its field null, so that the other calls of the request are still answered.
      type: answer ? nullable(answerTypes(answer, capitalized(operation.id))) : GraphQLBoolean,
      description: wording(description === undefined ? `${summary}.` : `${summary}. ${description}`),
      args: args.config,
      extensions: costOf({ own, times: isPaged ? pageLengthOf(operation) : 1 }),
      resolve: (_root, values, execution, { path }) => execution.call(operation, args, values, String(path.key)),
    };
  };
  const rootType = (name: string, description: string, of: readonly Operation[]) => {
    const fields = Object.fromEntries(of.map((operation) => [operation.id, fieldOf(operation)]));
    return new GraphQLObjectType({ name, description, fields });
  };
  const reads = operations.filter(({ method }) => method === 'GET');
  const changes = operations.filter(({ method }) => method !== 'GET');
  const query = rootType('Query', 'Queries: each field calls an operation that reads.', reads);
  const mutation = rootType(
    'Mutation',
    'Mutations: each field calls an operation that changes data. Fields run one after the other.',
    changes,
  );
  return { schema: new GraphQLSchema({ query, mutation }), calls };
}

function pageLengthOf({ query }: Operation): Cost['times'] {
  const { limit } = (jsonSchema(query, 'input', {}) as Schema).properties!;
  return { unlessAsked: Number(limit!.default), atMost: limit!.maximum! };
}
