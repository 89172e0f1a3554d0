// The catalogue as MCP tools: one for each operation that is not public.
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import { toolName } from '../operations/operation.ts';
import type { Operation } from '../operations/operation.ts';
import type { Scope } from '../operations/scopes.ts';
import { isAllowed } from './admit.ts';
import { componentOf, selfContained } from './mcp-schemas.ts';
import type { DescribedElsewhere } from './mcp-schemas.ts';
import { exampleOf } from './openapi-examples.ts';
import type { Json } from './openapi-schemas.ts';

/** As it is listed. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: ToolAnnotations;
}

type ObjectSchema = Json & {
  readonly type: 'object';
  readonly description?: string;
  readonly properties?: Json;
  readonly required?: readonly string[];
  readonly examples?: readonly Json[];
};

export interface Tools {
  /** Those that one of these scopes is enough for. */
  readonly listFor: (scopes: readonly Scope[]) => readonly Tool[];
  readonly operation: (name: string) => Operation | null;
}

/** The list is made once, for the first who asks for it. */
export function toolsOf(operations: readonly Operation[]): Tools {
  const offered = new Map(operations.filter(({ scopes }) => scopes !== 'public').map((operation) => [toolName(operation), operation]));
  let described: ReadonlyMap<Operation, Tool> | null = null;
  return {
    listFor(scopes) {
      described ??= describeAll([...offered.values()]);
      return [...described].filter(([operation]) => isAllowed(operation, scopes)).map(([, tool]) => tool);
    },
    operation: (name) => offered.get(name) ?? null,
  };
}

/** What a resource looks like is said once, by the tool that reads it: agents keep the whole list in mind. */
function describeAll(operations: readonly Operation[]): ReadonlyMap<Operation, Tool> {
  const readers = operations.flatMap((operation) => {
    const component = operation.method === 'GET' && operation.output.body ? componentOf(operation.output.body) : null;
    return component === null ? [] : [{ component, reader: toolName(operation) }];
  });
  const elsewhere = (name: string) => new Map(readers.filter(({ reader }) => reader !== name).map(({ component, reader }) => [component, reader]));
  return new Map(operations.map((operation) => [operation, describe(operation, elsewhere(toolName(operation)))]));
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

const idempotencyKey: Json = { type: 'string', maxLength: 255, description: 'Text of your own: repeating a call with it is harmless.' };

/** Path, query and body side by side: agents think in arguments, not in places of a request. */
function inputSchema({ method, params, query, body, tag }: Operation): ObjectSchema {
  const parts = [params, query, ...(body ? [body] : [])].map((part) => selfContained(part, 'input') as ObjectSchema);
  const required = parts.flatMap((part) => part.required ?? []);
  const example: Json = Object.assign({}, ...parts.map((part) => part.examples?.[0] ?? exampleOf(withRequiredOnly(part), `${tag}ID`, {})));
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map((part) => part.properties), method === 'POST' ? { idempotencyKey } : {}),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
    ...(Object.keys(example).length > 0 ? { examples: [example] } : {}),
  };
}

function withRequiredOnly({ properties = {}, required = [], ...schema }: ObjectSchema): Json {
  return { ...schema, properties: Object.fromEntries(required.map((name) => [name, properties[name]])), required };
}

/** Structured content is always an object. That of an error, a `problem`, has to match too: clients of 2025 hold it to the same schema. */
function outputSchema({ output: { body } }: Operation, elsewhere: DescribedElsewhere): ObjectSchema {
  const answer = (body ? selfContained(body, 'output', elsewhere) : {}) as Json & { type?: unknown };
  const object = (answer.type === 'array' ? { properties: { data: answer }, required: ['data'] } : answer) as ObjectSchema;
  const { description, properties, required } = object;
  return {
    type: 'object',
    ...(description ? { description } : {}),
    ...(required ? { properties: { ...properties, problem: { type: 'object' } }, anyOf: [{ required }, { required: ['problem'] }] } : { properties: properties ?? {} }),
  };
}

/** What a client may ask a person about before it calls. */
function annotations({ method, hints = {} }: Operation): ToolAnnotations {
  return {
    readOnlyHint: method === 'GET',
    destructiveHint: method === 'DELETE' || method === 'PATCH' || hints.destructive === true,
    idempotentHint: method !== 'POST' || hints.idempotent === true,
    openWorldHint: hints.openWorld === true,
  };
}
