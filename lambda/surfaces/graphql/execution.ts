// One request under way: calls operations for its caller, and follows relations from their answers.
import { databaseOn } from '../../data/database.ts';
import type { Caller } from '../../operations/context.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Related, Relation } from '../../operations/relations.ts';
import { ProblemError } from '../../operations/problem-codes.ts';
import { refusalOfScopes } from '../admit.ts';
import { callOperation, contextOf } from '../call.ts';
import type { Service } from '../service.ts';
import { faultsOfKey, validateInput } from '../validate.ts';
import type { ValidInput } from '../validate.ts';
import type { Given, OperationArguments } from './arguments.ts';
import { maxValues } from './limits.ts';
import { createLoader } from './loader.ts';

type Resource = { readonly id: string };

export interface Execution {
  /** @param name of the answer in the response */
  call(
    operation: Operation,
    args: OperationArguments,
    values: Readonly<Record<string, unknown>>,
    name: string,
  ): Promise<unknown>;
  /** What an answer holds in a field of its own; lists are empty once there are more values than may be sent. */
  read(source: unknown, field: string): unknown;
  /** @throws {ProblemError} query_too_large */
  assertSendable(): void;
  /** @param ids what the answer holds in the relation's field: an id, several, or nothing */
  follow(relation: Relation, ids: unknown): Promise<unknown>;
  /** Names of answers that an idempotency key brought back. */
  readonly replayed: readonly string[];
}

export interface ExecutionOptions {
  readonly service: Service;
  /** Null where it needs none. */
  readonly caller: Caller | null;
  readonly related: Readonly<Record<Relation['to'], Related>>;
  /** The fields that are shown, as `Stream.replicas`. */
  readonly fields: ReadonlySet<string>;
}

interface Checked extends Pick<Given, 'pathOf'> {
  readonly input: ValidInput;
  readonly idempotencyKey: string | null;
}

/** @throws {ProblemError} what keeps a call from being made, before anything is read */
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

/** Each field by itself: those that the caller may see are answered. */
function assertScope(service: Service, caller: Caller | null, needed: Pick<Operation, 'scopes'>): void {
  const refusal = caller && refusalOfScopes(service, caller, needed, '/graphql');
  if (refusal) throw new ProblemError(refusal.code, refusal.detail, { members: { scopes: needed.scopes } });
}

export function createExecution({ service, caller, related, fields }: ExecutionOptions): Execution {
  const replayed: string[] = [];
  let values = 0;
  const assertSendable = () => {
    if (values > maxValues)
      throw new ProblemError(
        'query_too_large',
        `The answer has more than ${maxValues} values and is not sent; changes may have been made. Ask for smaller pages (first), or for fewer fields.`,
      );
  };
  const isWanted = (field: string) => fields.has(field);
  const loaderOf = ({ schema, load }: Related) =>
    createLoader(async (ids) => {
      const found = await load(contextOf(service, caller, databaseOn(service.pool), isWanted), ids);
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
      if (operation.method !== 'GET') for (const loader of loaders.values()) loader.clear();
      // An answer that is kept for repetitions has to be whole.
      const answer = await callOperation(service, {
        operation,
        caller,
        input,
        idempotencyKey,
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
