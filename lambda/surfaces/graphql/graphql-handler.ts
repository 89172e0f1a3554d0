// The GraphQL surface: answers queries over HTTP with the operations of the catalogue. It names no operation itself.
import { execute, getVariableValues, GraphQLError, OperationTypeNode, valueFromASTUntyped } from 'graphql';
import type { GraphQLFieldResolver } from 'graphql';
import type { Caller } from '../../operations/context.ts';
import { tracedRequest } from '../../telemetry/traced-request.ts';
import { ProblemError } from '../../operations/problem-codes.ts';
import { related } from '../../operations/relations.ts';
import { admitCalls, identify } from '../admission/admit.ts';
import type { Admission } from '../admission/admit.ts';
import type { CallTimer } from '../admission/call-time.ts';
import type { Quota } from '../admission/rate-limits.ts';
import type { Service } from '../service.ts';
import { refusalResponse, resultResponse, withQuota } from './answers.ts';
import { checkCall, createExecution } from './execution.ts';
import type { Execution } from './execution.ts';
import { selectionOf } from './limits.ts';
import type { Selection } from './limits.ts';
import { QueryRefused, readQuery } from './read-query.ts';
import type { Query } from './read-query.ts';
import { buildSchema } from './schema.ts';

/** The path below the public origin. */
export const graphqlPath = '/graphql';

/** The page that browsers are redirected to: the web page has an editor. */
const pageToTry = '/developers/graphql';

/** @param address the client's IP address */
export type GraphqlHandler = (request: Request, address: string) => Promise<Response>;

/** A valid query and its selected fields. */
interface Asked {
  readonly query: Query;
  readonly selection: Selection;
}

type Read = Asked | { readonly fault: unknown };

const readField: GraphQLFieldResolver<unknown, Execution> = (source, _args, execution, { fieldName }) =>
  execution.read(source, fieldName);

/** Answers POST requests at `/graphql`. Never throws: every error becomes an error of GraphQL. */
export function createGraphqlHandler(service: Service): GraphqlHandler {
  const { schema, calls } = buildSchema(service.operations);

  return (request, address) => tracedRequest(request, graphqlPath, () => answer(request, address));

  async function answer(request: Request, address: string): Promise<Response> {
    const accept = request.headers.get('accept');
    if (request.method === 'GET' && accept?.includes('text/html'))
      return new Response(null, { status: 302, headers: { location: pageToTry } });
    if (request.method !== 'POST') {
      const refusal = new ProblemError('method_not_allowed', 'Send queries by POST.', { headers: { allow: 'POST' } });
      return refusalResponse(service, accept, refusal);
    }
    let quota: Quota | null = null;
    let time: CallTimer | null = null;
    try {
      const read = await readRequest(request);
      const admission = await admitRequest(read, request, address);
      ({ quota, time } = admission);
      if (admission.refusal) throw admission.refusal;
      if ('fault' in read) throw read.fault;
      const work = () => run(read, admission, request.signal);
      const { result, replayed } = await (time ? time.during(work) : work());
      return withQuota(resultResponse(service, accept, result, replayed), quota);
    } catch (error) {
      return withQuota(refusalResponse(service, accept, error), quota);
    } finally {
      await time?.count();
    }
  }

  /** Returns a fault instead of throwing it: only callers that may send a request learn about it. */
  async function readRequest(request: Request): Promise<Read> {
    try {
      const query = await readQuery(schema, request);
      return { query, selection: selectionOf(schema, query) };
    } catch (fault) {
      return { fault };
    }
  }

  async function admitRequest(read: Read, { headers, method }: Request, address: string): Promise<Admission> {
    const names = 'fault' in read ? null : read.selection.calls.map(({ name }) => name.value);
    const isPublic = names?.every((name) => calls.get(name)!.operation.scopes === 'public') ?? false;
    const isAnonymous = isPublic && !headers.has('x-api-key') && !headers.has('authorization');
    const identified = isAnonymous
      ? null
      : await identify(service, { headers, method, address, resource: graphqlPath });
    if (identified?.caller === null) return identified;
    const isMutation = !('fault' in read) && read.query.operation.operation === OperationTypeNode.MUTATION;
    const count = Math.max(1, names?.length ?? 0);
    return admitCalls(service, identified, address, isMutation ? 'write' : 'read', count);
  }

  async function run({ query, selection }: Asked, { caller, time }: Admission, signal: AbortSignal) {
    const { document, operation, operationName, variables } = query;
    const { errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, { maxErrors: 10 });
    if (errors) throw new QueryRefused('validation_failed', refusedCalls(query, selection, caller) ?? errors);
    const execution = createExecution({ service, caller, signal, time, related, fields: selection.fields });
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

  /**
   * The faults that operations find in variables that the library has refused. They replace the messages of the
   * library, so that every surface reports the same faults. Null if the operations accept the values.
   */
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
        const path = [(node.alias ?? node.name).value];
        return [new GraphQLError('', { nodes: node, path, originalError: error as Error })];
      }
    });
    return refused.length > 0 ? refused : null;
  }
}
