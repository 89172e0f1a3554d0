// GraphQL over HTTP: a query in, the catalogue's operations behind it, data and errors out. It names no operation.
import { execute, getVariableValues, GraphQLError, OperationTypeNode, valueFromASTUntyped } from 'graphql';
import type { GraphQLFieldResolver } from 'graphql';
import type { Caller } from '../../operations/context.ts';
import { ProblemError } from '../../operations/problem-codes.ts';
import { related } from '../../operations/relations.ts';
import { admitCalls, identify } from '../admit.ts';
import type { Admission } from '../admit.ts';
import type { Quota } from '../rate-limits.ts';
import type { Service } from '../service.ts';
import { refusalResponse, resultResponse, withQuota } from './answers.ts';
import { checkCall, createExecution } from './execution.ts';
import type { Execution } from './execution.ts';
import { selectionOf } from './limits.ts';
import type { Selection } from './limits.ts';
import { QueryRefused, readQuery } from './read-query.ts';
import type { Query } from './read-query.ts';
import { buildSchema } from './schema.ts';

/** Of the origin. */
export const graphqlPath = '/graphql';

/** @param address the client's IP address */
export type GraphqlHandler = (request: Request, address: string) => Promise<Response>;

/** What a request asks for. */
interface Asked {
  readonly query: Query;
  readonly selection: Selection;
}

type Read = Asked | { readonly fault: unknown };

const readField: GraphQLFieldResolver<unknown, Execution> = (source, _args, execution, { fieldName }) =>
  execution.read(source, fieldName);

/** Answers POST at `/graphql`. Never throws: whatever goes wrong is an error in the answer. */
export function createGraphqlHandler(service: Service): GraphqlHandler {
  const { schema, calls } = buildSchema(service.operations);

  return async (request, address) => {
    const accept = request.headers.get('accept');
    if (request.method !== 'POST')
      return refusalResponse(
        service,
        accept,
        new ProblemError('method_not_allowed', 'Send queries by POST.', { headers: { allow: 'POST' } }),
      );
    let quota: Quota | null = null;
    try {
      const read = await readRequest(request);
      const admission = await admitRequest(read, request.headers, address);
      ({ quota } = admission);
      if (admission.refusal) throw admission.refusal;
      if ('fault' in read) throw read.fault;
      const { result, replayed } = await run(read, admission.caller);
      return withQuota(resultResponse(service, accept, result, replayed), quota);
    } catch (error) {
      return withQuota(refusalResponse(service, accept, error), quota);
    }
  };

  /** What is wrong with a request is said to those only who may send one. */
  async function readRequest(request: Request): Promise<Read> {
    try {
      const query = await readQuery(schema, request);
      return { query, selection: selectionOf(schema, query) };
    } catch (fault) {
      return { fault };
    }
  }

  async function admitRequest(read: Read, headers: Headers, address: string): Promise<Admission> {
    const names = 'fault' in read ? null : read.selection.calls.map(({ name }) => name.value);
    const isPublic = names?.every((name) => calls.get(name)!.operation.scopes === 'public') ?? false;
    const isAnonymous = isPublic && !headers.has('x-api-key') && !headers.has('authorization');
    const identified = isAnonymous ? null : await identify(service, { headers, address, resource: graphqlPath });
    if (identified?.refusal) return identified;
    const changes = !('fault' in read) && read.query.operation.operation === OperationTypeNode.MUTATION;
    return admitCalls(
      service,
      identified?.caller ?? null,
      address,
      changes ? 'write' : 'read',
      Math.max(1, names?.length ?? 0),
    );
  }

  async function run({ query, selection }: Asked, caller: Caller | null) {
    const { document, operation, operationName, variables } = query;
    const { errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, { maxErrors: 10 });
    if (errors) throw new QueryRefused('validation_failed', refusedCalls(query, selection, caller) ?? errors);
    const execution = createExecution({ service, caller, related, fields: selection.fields });
    const result = await execute({
      schema,
      document,
      contextValue: execution,
      operationName,
      variableValues: variables,
      fieldResolver: readField,
    });
    execution.assertSendable();
    return { result, replayed: execution.replayed };
  }

  /** Variables of wrong types are told as what they are used for: by the operations, as on every surface. Null where these find nothing. */
  function refusedCalls(
    { variables }: Query,
    { calls: nodes }: Selection,
    caller: Caller | null,
  ): readonly GraphQLError[] | null {
    const refused = nodes.flatMap((node) => {
      const call = calls.get(node.name.value)!;
      const values = Object.fromEntries(
        (node.arguments ?? []).map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)]),
      );
      try {
        checkCall(service, caller, call.operation, call.args, values);
        return [];
      } catch (error) {
        return [
          new GraphQLError('', { nodes: node, path: [(node.alias ?? node.name).value], originalError: error as Error }),
        ];
      }
    });
    return refused.length > 0 ? refused : null;
  }
}
