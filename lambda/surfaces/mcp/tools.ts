// The catalogue as MCP tools: one for each operation that is not public.
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import { toolName } from '../../operations/operation.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Scope } from '../../operations/scopes.ts';
import { isAllowed } from '../admit.ts';
import { componentsOf, selfContained } from './schemas.ts';
import type { DescribedElsewhere } from './schemas.ts';
import { exampleOf } from '../openapi/examples.ts';
import type { Json } from '../openapi/schemas.ts';

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
  const offered = new Map(
    operations.filter(({ scopes }) => scopes !== 'public').map((operation) => [toolName(operation), operation]),
  );
  let described: ReadonlyMap<Operation, Tool> | null = null;
  return {
    listFor(scopes) {
      described ??= describeAll([...offered.values()]);
      return [...described].filter(([operation]) => isAllowed(operation, scopes)).map(([, tool]) => tool);
    },
    operation: (name) => offered.get(name) ?? null,
  };
}

function describeAll(operations: readonly Operation[]): ReadonlyMap<Operation, Tool> {
  const tellers = tellersOf(operations);
  const elsewhere = (name: string) => new Map([...tellers].filter(([, teller]) => teller !== name));
  return new Map(operations.map((operation) => [operation, describe(operation, elsewhere(toolName(operation)))]));
}

/** What a resource looks like is said once, by the tool that reads it, or else by the first that answers it: agents keep the whole list in mind. */
function tellersOf(operations: readonly Operation[]): Map<string, string> {
  const answering = operations.flatMap(({ id, method, output: { body } }) =>
    body ? [{ name: toolName({ id }), method, ...componentsOf(body) }] : [],
  );
  const tellers = new Map<string, string>();
  const tell = (component: string, name: string) => void (tellers.has(component) || tellers.set(component, name));
  for (const { name, method, root } of answering) if (root !== null && method === 'GET') tell(root, name);
  for (const { name, root, parts } of answering) {
    if (root !== null) tell(root, name);
    if (root === null || tellers.get(root) === name) for (const part of parts) tell(part, name);
  }
  return tellers;
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

const idempotencyKey: Json = { type: 'string', description: 'Any text: repeating a call with it is harmless.' };

/** Path, query and body side by side: agents think in arguments, not in places of a request. */
function inputSchema({ method, params, query, body, tag }: Operation): ObjectSchema {
  const parts = [params, query, ...(body ? [body] : [])].map((part) => selfContained(part, 'input') as ObjectSchema);
  const required = parts.flatMap((part) => part.required ?? []);
  const example: Json = Object.assign(
    {},
    ...parts.map((part) => part.examples?.[0] ?? exampleOf(withRequiredOnly(part), `${tag}ID`, {})),
  );
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
  const object = (
    answer.type === 'array' ? { properties: { data: answer }, required: ['data'] } : answer
  ) as ObjectSchema;
  const { description, properties, required } = object;
  return {
    type: 'object',
    ...(description ? { description } : {}),
    ...(required
      ? { properties: { ...properties, problem: { type: 'object' } }, anyOf: [{ required }, { required: ['problem'] }] }
      : { properties: properties ?? {} }),
  };
}

/** What a client may ask a person about before it calls. Only what changes something can destroy, or be repeated. */
function annotations({ method, hints = {} }: Operation): ToolAnnotations {
  const openWorldHint = hints.openWorld === true;
  if (method === 'GET') return { readOnlyHint: true, openWorldHint };
  return {
    readOnlyHint: false,
    destructiveHint: method !== 'POST' || hints.destructive === true,
    idempotentHint: method !== 'POST' || hints.idempotent === true,
    openWorldHint,
  };
}
