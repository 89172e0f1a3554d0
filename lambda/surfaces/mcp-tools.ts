// The catalogue as MCP tools: one for each operation that is not public.
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import { toolName } from '../operations/operation.ts';
import type { Operation } from '../operations/operation.ts';
import type { Scope } from '../operations/scopes.ts';
import { exampleOf } from './openapi-examples.ts';
import type { Json } from './openapi-schemas.ts';
import { componentOf, selfContained } from './mcp-schemas.ts';
import type { DescribedElsewhere } from './mcp-schemas.ts';
import type { RawInput } from './validate.ts';

/** As it is listed. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Json & { readonly type: 'object' };
  readonly outputSchema: Json & { readonly type: 'object' };
  readonly annotations: ToolAnnotations;
}

export interface Tools {
  /** Those that some of the scopes are enough for. */
  readonly listFor: (scopes: readonly Scope[]) => readonly Tool[];
  readonly operation: (name: string) => Operation | null;
}

/** The schemas are built once, by the first who asks for the list. */
export function toolsOf(operations: readonly Operation[]): Tools {
  const offered = operations.filter(({ scopes }) => scopes !== 'public');
  const byName = new Map(offered.map((operation) => [toolName(operation), operation]));
  let described: ReadonlyMap<Operation, Tool> | null = null;
  return {
    listFor(scopes) {
      const tools = (described ??= describeAll(offered));
      return offered.filter(({ scopes: needed }) => needed === 'public' || needed.some((scope) => scopes.includes(scope))).map((operation) => tools.get(operation)!);
    },
    operation: (name) => byName.get(name) ?? null,
  };
}

function describeAll(operations: readonly Operation[]): ReadonlyMap<Operation, Tool> {
  // A resource is described by the tool that reads it, once: the whole list has to fit into an agent's head.
  const readers = operations.flatMap((operation) => {
    const component = operation.method === 'GET' && operation.output.body ? componentOf(operation.output.body) : null;
    return component === null ? [] : [[component, toolName(operation)] as const];
  });
  return new Map(operations.map((operation) => [operation, describe(operation, new Map(readers.filter(([, reader]) => reader !== toolName(operation))))]));
}

function describe(operation: Operation, elsewhere: DescribedElsewhere): Tool {
  const { summary, description } = operation;
  return {
    name: toolName(operation),
    title: summary,
    description: description === undefined ? `${summary}.` : `${summary}. ${description}`,
    inputSchema: inputSchema(operation),
    outputSchema: outputSchema(operation, elsewhere),
    annotations: annotations(operation),
  };
}

interface ObjectSchema {
  readonly description?: string;
  readonly properties?: Json;
  readonly required?: readonly string[];
  readonly examples?: readonly Json[];
}

const idempotencyKey: Json = { type: 'string', maxLength: 255, description: 'Text of your own. A repeated call with it gets the first answer again and has no effect; kept 24 hours.' };

/** Path, query and body side by side: agents think in arguments, not in places of a request. */
function inputSchema({ method, params, query, body, tag }: Operation): Tool['inputSchema'] {
  const parts = [params, query, ...(body ? [body] : [])].map((part) => selfContained(part, 'input') as ObjectSchema);
  const properties = Object.assign({}, ...parts.map((part) => part.properties ?? {}), method === 'POST' ? { idempotencyKey } : {}) as Json;
  const required = parts.flatMap((part) => part.required ?? []);
  // What has a default may be left out.
  const needed = required.filter((name) => !Object.hasOwn(properties[name] as Json, 'default'));
  const example = Object.assign({}, ...parts.map((part) => part.examples?.[0] ?? exampleOf({ ...part, type: 'object', properties: only(part.properties, part.required) }, `${tag}ID`, {}))) as Json;
  return {
    type: 'object',
    properties,
    ...(needed.length > 0 ? { required: needed } : {}),
    additionalProperties: false,
    ...(Object.keys(example).length > 0 ? { examples: [example] } : {}),
  };
}

function only(properties: Json = {}, names: readonly string[] = []): Json {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => names.includes(name)));
}

/** Structured content is an object, and an error is one as well: clients hold both to this schema. */
function outputSchema({ output: { body } }: Operation, elsewhere: DescribedElsewhere): Tool['outputSchema'] {
  const answer: Json = body ? selfContained(body, 'output', elsewhere) : {};
  const { description, properties = {}, required = [] } = (answer['type'] === 'array' ? { properties: { data: answer }, required: ['data'] } : answer) as ObjectSchema;
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    properties: { ...properties, problem: { type: 'object', description: 'Only with isError.' } },
    ...(required.length > 0 ? { anyOf: [{ required }, { required: ['problem'] }] } : {}),
  };
}

/** What a client may ask a person about before it calls. */
function annotations({ method, hints = {} }: Operation): ToolAnnotations {
  const reads = method === 'GET';
  return {
    readOnlyHint: reads,
    destructiveHint: method === 'DELETE' || method === 'PATCH' || hints.destructive === true,
    idempotentHint: method !== 'POST' || hints.idempotent === true,
    openWorldHint: hints.openWorld === true,
  };
}

/** A tool's answer from an operation's: always an object. */
export function structured(body: string): Json {
  if (body === '') return {};
  const answer: unknown = JSON.parse(body);
  return Array.isArray(answer) ? { data: answer } : (answer as Json);
}

/** The parts of a request from flat arguments; what no part knows goes to the body, which refuses it, or is left over. */
export function partsOf(operation: Operation, args: Json): RawInput & { readonly idempotencyKey: unknown; readonly unknown: readonly string[] } {
  const { idempotencyKey: key = null, ...given } = operation.method === 'POST' ? args : { ...args, idempotencyKey: null };
  const part = (shape: object) => Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(shape, name)));
  const params = part(operation.params.shape);
  const query = part(operation.query.shape);
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !Object.hasOwn(params, name) && !Object.hasOwn(query, name)));
  return { params, query, body: operation.body ? rest : undefined, idempotencyKey: key, unknown: operation.body ? [] : Object.keys(rest) };
}
