// Operations as MCP tools: the list `toolsets=all`, and descriptions on demand.
// A client may receive the whole list, so one tool describes a resource, and the others refer to it.
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import { toolName } from '../../operations/operation.ts';
import type { Operation } from '../../operations/operation.ts';
import { exampleOf } from '../openapi/examples.ts';
import type { Json } from '../openapi/schemas.ts';
import { componentsOf, selfContained } from './schemas.ts';
import type { DescribedElsewhere } from './schemas.ts';

/** A tool in tools/list. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema?: ObjectSchema;
  readonly annotations: ToolAnnotations;
}

export type ObjectSchema = Json & {
  readonly type: 'object';
  readonly description?: string;
  readonly properties?: Json;
  readonly required?: readonly string[];
  readonly examples?: readonly Json[];
};

/** Whether an operation is offered as a tool. Operations that only return the URL of a picture are not. */
export function isTool({ scopes, output: { status, isPicture } }: Operation): boolean {
  return scopes !== 'public' && status !== 302 && isPicture !== true;
}

/** Describes each operation as a tool. */
export function describeAll(operations: readonly Operation[]): ReadonlyMap<Operation, Tool> {
  const describers = describersOf(operations);
  const elsewhere = (name: string) => new Map([...describers].filter(([, describer]) => describer !== name));
  return new Map(operations.map((operation) => [operation, describe(operation, elsewhere(toolName(operation)))]));
}

/**
 * The tool that describes each component in full: the tool that reads the resource, or else the first that returns it.
 * All other tools refer to it, because AI models receive the whole list.
 * @returns the name of the tool by the name of the component
 */
function describersOf(operations: readonly Operation[]): Map<string, string> {
  const answering = operations.flatMap(({ id, method, output: { body } }) =>
    body ? [{ name: toolName({ id }), method, ...componentsOf(body) }] : [],
  );
  const describers = new Map<string, string>();
  const assign = (component: string, name: string) => {
    if (!describers.has(component)) describers.set(component, name);
  };
  for (const { name, method, root } of answering) {
    if (root !== null && method === 'GET') assign(root, name);
  }
  for (const { name, root, parts } of answering) {
    if (root !== null) assign(root, name);
    const describesParts = root === null || describers.get(root) === name;
    if (describesParts) parts.forEach((part) => assign(part, name));
  }
  return describers;
}

/**
 * Describes one operation as a tool.
 * @param elsewhere components that other tools of the list describe
 */
export function describe(operation: Operation, elsewhere: DescribedElsewhere = new Map()): Tool {
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

const idempotencyKey: Json = {
  type: 'string',
  description: 'Unique key. Within 24 hours, a repeated call with it only returns the first answer.',
};

/**
 * The input schema of a tool: the fields of path, query and body become arguments side by side, the form that AI
 * clients use.
 */
export function inputSchema({ method, params, query, body, tag }: Operation): ObjectSchema {
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

/**
 * The output schema of a tool. Structured content is always an object. No field is required: clients of 2025 check
 * errors with the same schema, and answers always have all fields, so marking them would only make the list longer.
 */
function outputSchema({ output: { body } }: Operation, elsewhere: DescribedElsewhere): ObjectSchema {
  const answer = (body ? withoutRequired(selfContained(body, 'output', elsewhere)) : {}) as Json;
  if (answer['type'] === 'array') return { type: 'object', properties: { data: answer } };
  const { description, properties = {} } = answer as { readonly description?: string; readonly properties?: Json };
  return { type: 'object', ...(description ? { description } : {}), properties };
}

function withoutRequired(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRequired);
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).filter(([name, member]) => name !== 'required' || !Array.isArray(member));
  return Object.fromEntries(members.map(([name, member]) => [name, withoutRequired(member)]));
}

/**
 * Hints that help a client decide whether to ask a person before a call. Hints about changes are only for tools that
 * change data.
 */
export function annotations({ method, hints = {} }: Operation): ToolAnnotations {
  const openWorldHint = hints.openWorld === true;
  if (method === 'GET') return { readOnlyHint: true, openWorldHint };
  return {
    destructiveHint: method !== 'POST' || hints.destructive === true,
    idempotentHint: method !== 'POST' || hints.idempotent === true,
    openWorldHint,
  };
}
