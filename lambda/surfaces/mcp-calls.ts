// Calls of tools: flat arguments become an operation's input, its answer or problem becomes the tool's result.
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Caller } from '../operations/context.ts';
import type { Operation } from '../operations/operation.ts';
import type { FieldError, ProblemError } from '../operations/problem-codes.ts';
import { callOperation } from './call.ts';
import type { Json } from './openapi-schemas.ts';
import { problemDocument } from './problem-response.ts';
import type { Service } from './service.ts';
import { faultsOfKey, validateInput } from './validate.ts';
import type { RawInput } from './validate.ts';

export interface ToolCall {
  readonly operation: Operation;
  readonly caller: Caller;
  /** Why it is not admitted, or null. */
  readonly refusal: ProblemError | null;
  readonly args: Json;
}

/** Never throws: an agent reads in the result what was wrong, and can do better. */
export async function callTool(service: Service, { operation, caller, refusal, args }: ToolCall): Promise<CallToolResult> {
  try {
    if (refusal) throw refusal;
    const { raw, idempotencyKey, faults } = partsOf(operation, args);
    const input = validateInput(operation, raw, faults);
    const { body, headers } = await callOperation(service, { operation, caller, input, idempotencyKey });
    const replayed = headers['idempotency-replayed'] ? { _meta: { idempotencyReplayed: true } } : {};
    return { ...resultOf(structured(body)), ...replayed };
  } catch (error) {
    return { ...resultOf({ problem: problemDocument(service, error) }), isError: true };
  }
}

/** As text too, for clients that do not know structured content. */
function resultOf(structuredContent: Json): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}

/** Always an object. */
function structured(body: string): Json {
  if (body === '') return {};
  const answer: unknown = JSON.parse(body);
  return Array.isArray(answer) ? { data: answer } : (answer as Json);
}

interface Parts {
  readonly raw: RawInput;
  readonly idempotencyKey: string | null;
  readonly faults: readonly FieldError[];
}

/** What is neither of the path nor of the query is of the body, which refuses what it does not know. */
function partsOf({ method, params, query, body }: Operation, args: Json): Parts {
  const { idempotencyKey: key, ...rest } = args;
  const given = Object.entries(method === 'POST' ? rest : args);
  const inShape = (shape: object) => Object.fromEntries(given.filter(([name]) => Object.hasOwn(shape, name)));
  const others = given.filter(([name]) => !Object.hasOwn(params.shape, name) && !Object.hasOwn(query.shape, name));
  const known = Object.keys({ ...params.shape, ...query.shape }).join(', ') || 'none';
  const unknown = (body ? [] : others).map(([name]) => ({ path: `/${name}`, code: 'unknown_field', detail: `There is no argument ${name} here. Known: ${known}.` }));
  return {
    raw: { params: inShape(params.shape), query: inShape(query.shape), body: body ? Object.fromEntries(others) : undefined },
    idempotencyKey: method === 'POST' && typeof key === 'string' ? key : null,
    faults: [...(method === 'POST' ? faultsOfKey(key, '/idempotencyKey') : []), ...unknown],
  };
}
