// Calls tools: converts flat arguments to the inputs of operations, and answers or problems to a result.
// A problem is inside `problem`, because SDK clients of 2025 validate errors against the output schema too.
// Decision D54.
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Caller } from '../../operations/context.ts';
import type { Operation } from '../../operations/operation.ts';
import type { FieldError, ProblemError } from '../../operations/problem-codes.ts';
import { refusalOfScopes } from '../admission/admit.ts';
import { callOperation } from '../call.ts';
import type { Call } from '../call-types.ts';
import type { Json } from '../openapi/schemas.ts';
import { problemDocument } from '../problem-response.ts';
import type { Service } from '../service.ts';
import { faultsOfKey, validateInput } from '../validate.ts';
import type { RawInput } from '../validate.ts';
import type { OfferedTool } from './offered-tool.ts';

export interface ToolCall extends Pick<Call, 'time'> {
  readonly tool: OfferedTool;
  readonly caller: Caller;
  /** The reason why the call is not admitted; null if it is. */
  readonly refusal: ProblemError | null;
  /** Aborted once the client is gone. */
  readonly signal: AbortSignal;
  readonly args: Json;
}

/** Calls a tool. Never throws: an AI client reads the problem in the result, and can call again. */
export async function callTool(service: Service, toolCall: ToolCall): Promise<CallToolResult> {
  const { tool, caller, refusal, signal, time, args } = toolCall;
  const called = { caller, signal, time };
  let isReplayed = false;
  async function call(operation: Operation, given: Json): Promise<Json> {
    const lacking = refusalOfScopes(service, caller, operation, '/mcp');
    if (lacking) throw lacking;
    const { raw, idempotencyKey, faults } = inputOf(operation, given);
    const input = validateInput(operation, raw, faults);
    const { body, headers } = await callOperation(service, { ...called, operation, input, idempotencyKey });
    isReplayed ||= headers['idempotency-replayed'] !== undefined;
    return structured(body);
  }
  try {
    if (refusal) throw refusal;
    const answer = await tool.run(args, { scopes: caller.scopes, call });
    return { ...resultOf(answer), ...(isReplayed ? { _meta: { idempotencyReplayed: true } } : {}) };
  } catch (error) {
    return { ...resultOf({ problem: problemDocument(service, error) }), isError: true };
  }
}

/** A tool result. It also has the content as text, for clients without support for structured content. */
function resultOf(structuredContent: Json): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}

/** The body of an answer as an object, as structured content requires. */
function structured(body: string): Json {
  if (body === '') return {};
  const answer: unknown = JSON.parse(body);
  return Array.isArray(answer) ? { data: answer } : (answer as Json);
}

interface GivenInput {
  readonly raw: RawInput;
  readonly idempotencyKey: string | null;
  readonly faults: readonly FieldError[];
}

/**
 * Splits the arguments of a tool into the parts of a request. An unknown argument goes into the body, or into the query
 * of an operation without a body; their schemas refuse it, as in REST.
 */
function inputOf({ method, params: { shape: path }, query, body }: Operation, args: Json): GivenInput {
  const { idempotencyKey: key, ...others } = args;
  const given = Object.entries(method === 'POST' ? others : args);
  const pick = (isIn: (name: string) => boolean) => Object.fromEntries(given.filter(([name]) => isIn(name)));
  const inPath = (name: string) => Object.hasOwn(path, name);
  const inQuery = (name: string) => !inPath(name) && (!body || Object.hasOwn(query.shape, name));
  return {
    raw: { params: pick(inPath), query: pick(inQuery), body: body && pick((name) => !inPath(name) && !inQuery(name)) },
    idempotencyKey: method === 'POST' && typeof key === 'string' ? key : null,
    faults: method === 'POST' ? faultsOfKey(key, '/idempotencyKey') : [],
  };
}
