// Executes one request: calls operations for its caller, and loads related resources.
import { databaseOn } from '../../data/database.ts';
import type { Caller } from '../../operations/context.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Related, Relation } from '../../operations/relations.ts';
import { ProblemError } from '../../operations/problem-codes.ts';
import { refusalOfScopes } from '../admission/admit.ts';
import { payingFor } from '../admission/call-time.ts';
import type { CallTimer } from '../admission/call-time.ts';
import { callOperation, contextOf } from '../call.ts';
import { buildOpenapi } from '../openapi/openapi.ts';
import type { Service } from '../service.ts';
import { faultsOfKey, validateInput } from '../validate.ts';
import type { ValidInput } from '../validate.ts';
import type { Given, OperationArguments } from './arguments.ts';
import { maxLoaded, maxValues } from './limits.ts';
import { createLoader } from './loader.ts';

type Resource = { readonly id: string };

export interface Execution {
  /**
   * Calls an operation.
   * @param name the name of its answer in the response
   */
  call(
    operation: Operation,
    args: OperationArguments,
    values: Readonly<Record<string, unknown>>,
    name: string,
  ): Promise<unknown>;
  /** Reads a field of an answer. Lists are empty once the answer has too many values to be sent. */
  read(source: unknown, field: string): unknown;
  /**
   * Refuses an answer that has too many values to be sent.
   * @throws {ProblemError} query_too_large
   */
  assertSendable(): void;
  /**
   * Loads related resources.
   * @param ids the value of the relation's field in the answer: an ID, several IDs, or null
   */
  follow(relation: Relation, ids: unknown): Promise<unknown>;
  /** Names of the fields that returned a stored answer of their idempotency key. */
  readonly replayed: readonly string[];
}

export interface ExecutionOptions {
  readonly service: Service;
  /** Null if the request needs no credential. */
  readonly caller: Caller | null;
  /** Aborted once the client is gone. */
  readonly signal: AbortSignal;
  /** Measures the whole execution; null: its time is not counted. */
  readonly time: CallTimer | null;
  readonly related: Readonly<Record<Relation['to'], Related>>;
  /** The fields that the query selects, such as `Stream.replicas`. */
  readonly fields: ReadonlySet<string>;
}

interface Checked extends Pick<Given, 'pathOf'> {
  readonly input: ValidInput;
  readonly idempotencyKey: string | null;
}

/**
 * Checks a call before anything is read or written.
 * @throws {ProblemError} if the call is not possible
 */
export function checkCall(
  service: Service,
  caller: Caller | null,
  operation: Operation,
  { read }: OperationArguments,
  values: Readonly<Record<string, unknown>>,
): Checked {
  assertScope(service, caller, operation);
  const { raw, idempotencyKey, pathOf } = read(values);
  const input = validateInput(operation, raw, faultsOfKey(idempotencyKey, '/idempotencyKey'), pathOf);
  return { input, idempotencyKey: idempotencyKey as string | null, pathOf };
}

/** Checks the scopes of each field separately, so that the caller still gets the fields that it may see. */
function assertScope(service: Service, caller: Caller | null, needed: Pick<Operation, 'scopes'>): void {
  const refusal = caller && refusalOfScopes(service, caller, needed, '/graphql');
  if (refusal) throw new ProblemError(refusal.code, refusal.detail, { members: { scopes: needed.scopes } });
}

/** Ends a change that was not begun. */
function refuseChange(reason: unknown): never {
  if (!(reason instanceof ProblemError)) throw reason;
  throw new ProblemError(reason.code, `This change was not made. ${reason.detail}`, { headers: { ...reason.headers } });
}

export function createExecution({ service, caller, signal, time, related, fields }: ExecutionOptions): Execution {
  const replayed: string[] = [];
  let values = 0;
  const assertSendable = () => {
    if (values > maxValues)
      throw new ProblemError(
        'query_too_large',
        `The answer has more than ${maxValues} values and is not sent, but changes may have been made. Request ` +
          'smaller pages (first) or fewer fields.',
      );
  };
  let loaded = 0;
  const charge = (resources: number) => {
    loaded += resources;
    if (loaded > maxLoaded)
      throw new ProblemError(
        'query_too_large',
        `The query would load more than ${maxLoaded} resources, because its lists are long. Request smaller ` +
          'pages (first), or one playlist at a time.',
      );
  };
  const isWanted = (field: string) => fields.has(field);
  const data = databaseOn(time ? payingFor(time, service.pool) : service.pool);
  const loaderOf = ({ schema, load }: Related) =>
    createLoader(async (ids) => {
      charge(ids.length);
      const found = await load(contextOf(service, caller, data, isWanted), ids, charge);
      return found.map((value) => schema.parse(value) as Resource);
    });
  const loaders = new Map(Object.entries(related).map(([name, one]) => [name, loaderOf(one)]));
  return {
    replayed,
    assertSendable,
    read(source, field) {
      const value = (source as Readonly<Record<string, unknown>>)[field];
      values += Array.isArray(value) ? value.length : 1;
      return Array.isArray(value) && values > maxValues ? [] : value;
    },
    async call(operation, args, given, name) {
      assertSendable();
      const { input, idempotencyKey, pathOf } = checkCall(service, caller, operation, args, given);
      if (operation.method !== 'GET') {
        await time?.assertMayContinue().catch(refuseChange);
        for (const loader of loaders.values()) loader.clear();
      }
      // With a key, the answer is stored for repeated requests. They may select other fields, so it must have all
      // fields.
      const answer = await callOperation(service, {
        buildDocument: buildOpenapi,
        operation,
        caller,
        time,
        input,
        idempotencyKey,
        signal,
        ...(idempotencyKey === null ? { isWanted } : {}),
      }).catch((error: unknown) => {
        throw error instanceof ProblemError ? error.at(pathOf) : error;
      });
      if ('idempotency-replayed' in answer.headers) replayed.push(name);
      return answer.body === '' ? true : (JSON.parse(answer.body) as unknown);
    },
    async follow({ to, usually }, ids) {
      if (ids === null || ids === undefined) return null;
      assertScope(service, caller, related[to]);
      const loader = loaders.get(to)!;
      if (usually === null) return loader.load(ids as string);
      return (await Promise.all((ids as string[]).map((id) => loader.load(id)))).filter((value) => value !== null);
    },
  };
}
