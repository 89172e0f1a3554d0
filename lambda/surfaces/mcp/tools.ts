// The operations of the catalogue as MCP tools, one for each operation that is not public.
// AI models receive the whole list, so one tool describes a resource, and the others refer to it.
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import { toolName } from '../../operations/operation.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Scope } from '../../operations/scopes.ts';
import { isAllowed } from '../admission/admit.ts';
import { componentsOf, selfContained } from './schemas.ts';
import type { DescribedElsewhere } from './schemas.ts';
import { exampleOf } from '../openapi/examples.ts';
import type { Json } from '../openapi/schemas.ts';

/** A tool in tools/list. */
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
  /** The tools that a caller with these scopes may call. */
  readonly listFor: (scopes: readonly Scope[]) => readonly Tool[];
  readonly operation: (name: string) => Operation | null;
}

/** Whether an operation is offered as a tool. Operations that only return the URL of a picture are not. */
export function isTool({ scopes, output: { status, isPicture } }: Operation): boolean {
  return scopes !== 'public' && status !== 302 && isPicture !== true;
}

/** Creates the tools. The descriptions are built once, at the first request for the list. */
export function toolsOf(operations: readonly Operation[]): Tools {
  const offered = new Map(operations.filter(isTool).map((operation) => [toolName(operation), operation]));
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
  const describers = describersOf(operations);
  const elsewhere = (name: string) => new Map([...describers].filter(([, describer]) => describer !== name));
  return new Map(
    operations.map((operation) => {
      const tool = describe(operation, elsewhere(toolName(operation)));
      const maker = makerOf(operation, operations);
      return [operation, maker ? withoutFieldsOf(maker, tool) : tool];
    }),
  );
}

/** The operation that creates the resource that an operation changes. */
function makerOf({ method, path }: Operation, operations: readonly Operation[]): Operation | undefined {
  const collection = path.replace(/\/\{\w+\}$/, '');
  return method === 'PATCH'
    ? operations.find((other) => other.method === 'POST' && other.path === collection)
    : undefined;
}

/**
 * Shortens the fields of an update tool: a field with the same description in the create tool keeps only its type, and
 * refers to that tool.
 */
function withoutFieldsOf(maker: Operation, tool: Tool): Tool {
  const { properties: described = {} } = inputSchema(maker);
  const reference = `See ${toolName(maker)}.`;
  const shorten = ([name, field]: [string, unknown]): [string, unknown] => {
    const { description = '' } = field as { readonly description?: string };
    const isDescribed = description === (described[name] as { readonly description?: string } | undefined)?.description;
    return isDescribed && description.length > reference.length
      ? [name, { ...typeAlone(field as Json), description: reference }]
      : [name, field];
  };
  const properties = Object.fromEntries(Object.entries(tool.inputSchema.properties ?? {}).map(shorten));
  return { ...tool, inputSchema: { ...tool.inputSchema, properties } };
}

/** The minimum that a model needs: the type, including that of list items. */
function typeAlone({ type, anyOf, items }: Json): Json {
  return {
    ...(type === undefined ? {} : { type }),
    ...(anyOf === undefined ? {} : { anyOf: (anyOf as Json[]).map(typeAlone) }),
    ...(items === undefined ? {} : { items: typeAlone(items as Json) }),
  };
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

const idempotencyKey: Json = {
  type: 'string',
  description: 'Unique key. Within 24 hours, a repeated call with it only returns the first answer.',
};

/** Shortens the IDs of examples, which saves 1.5 kilobytes of the list that models read. */
function withShortIDs(example: Json): Json {
  return JSON.parse(JSON.stringify(example).replaceAll(/(?<=\w{2,3}_\w{8})\w{17}\b/g, '')) as Json;
}

/**
 * The input schema of a tool: the fields of path, query and body become arguments side by side, the form that AI
 * clients use.
 */
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
    ...(Object.keys(example).length > 0 ? { examples: [withShortIDs(example)] } : {}),
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
