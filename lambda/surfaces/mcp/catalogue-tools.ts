// Tools for the whole catalogue: to find and read resources, and to find and call any operation.
// They follow from the operations, and name none.
import * as z from 'zod';
import { toolName } from '../../operations/operation.ts';
import type { Operation } from '../../operations/operation.ts';
import { ProblemError } from '../../operations/problem-codes.ts';
import { isAllowed } from '../admission/admit.ts';
import type { Json } from '../openapi/schemas.ts';
import { validateInput } from '../validate.ts';
import { describe } from './operation-tools.ts';
import type { Tool } from './operation-tools.ts';
import { once } from './once.ts';
import { searchOf } from './operation-search.ts';
import { selfContained, terse } from './schemas.ts';
import type { ShortenerOf } from './short-answers.ts';
import type { OfferedTool } from './offered-tool.ts';

/** Creates the tools. */
export function catalogueTools(operations: readonly Operation[], shortenerOf: ShortenerOf): readonly OfferedTool[] {
  const catalogue = { operations, search: searchOf(operations) };
  return [
    findResources(operations, shortenerOf),
    getResource(operations, shortenerOf),
    findOperations(catalogue),
    callOperation(catalogue, 'read'),
    callOperation(catalogue, 'change'),
  ];
}

const detail = z.enum(['short', 'full']).optional().describe('full: returns all fields.');

interface Declared {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly annotations: Tool['annotations'];
}

interface Catalogue {
  readonly operations: readonly Operation[];
  readonly search: (words: string) => readonly Operation[];
}

const reads = { readOnlyHint: true, openWorldHint: false } as const;

function declared({ input, ...tool }: Declared): Pick<OfferedTool, 'name' | 'listed'> {
  const listed = once(() => ({ ...tool, inputSchema: terse(selfContained(input, 'input')) as Tool['inputSchema'] }));
  return { name: tool.name, listed };
}

/** Checks arguments as those of an operation with this body. @throws {ProblemError} validation_failed */
function checked<Input extends z.ZodObject>(input: Input, args: Json): z.output<Input> {
  const nothing = z.strictObject({});
  const shape = { params: nothing, query: nothing, body: input } as unknown as Operation;
  return validateInput(shape, { params: {}, query: {}, body: args }, []).body as z.output<Input>;
}

/** The kinds of resources whose operations have this form of path, by the last part of the path. */
function kindsOf(operations: readonly Operation[], path: RegExp): ReadonlyMap<string, Operation> {
  const found = operations.filter((operation) => operation.method === 'GET' && path.test(operation.path));
  return new Map(found.map((operation) => [path.exec(operation.path)![1]!, operation]));
}

function enumOf(kinds: ReadonlyMap<string, Operation>): z.ZodEnum<Record<string, string>> {
  return z.enum([...kinds.keys()]);
}

function findResources(operations: readonly Operation[], shortenerOf: ShortenerOf): OfferedTool {
  const pages = operations.filter((operation) => Object.hasOwn(operation.query.shape, 'cursor'));
  const kinds = kindsOf(pages, /^\/(?:billing\/)?([a-z-]+)$/);
  const usual = new Set(['limit', 'cursor', 'q', 'ids']);
  const filters = [...kinds].flatMap(([kind, { query }]) => {
    const names = Object.keys(query.shape).filter((name) => !usual.has(name));
    return names.length > 0 ? [`${kind}: ${names.join(', ')}`] : [];
  });
  const searched = [...kinds].flatMap(([kind, { query }]) => (Object.hasOwn(query.shape, 'q') ? [kind] : []));
  const input = z.strictObject({
    kind: enumOf(kinds),
    q: z
      .string()
      .optional()
      .describe(`Words of the name. Only for ${searched.join(' and ')}.`),
    filters: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(`Further filters by name, such as {"folder":"Music"}. ${filters.join('; ')}.`),
    limit: z.int().optional().describe('Maximum number of rows, 1 to 100. Default: 20.'),
    cursor: z.string().optional().describe('The nextCursor of the previous page.'),
    detail,
  });
  const operationOf = (args: Json) => kinds.get(String(args['kind'])) ?? null;
  return {
    ...declared({
      name: 'find_resources',
      title: 'Find and list resources',
      description:
        'Finds what the account has, of one kind, newest first: its streams, its files (uploads), and so on. Returns ' +
        'rows in data, each with its id, and page.nextCursor if there are more. Next: get_resource, or a tool that ' +
        'takes the id.',
      input,
      annotations: reads,
    }),
    isFor: (scopes) => [...kinds.values()].some((operation) => isAllowed(operation, scopes)),
    operationOf,
    async run(args, { call }) {
      const { kind, filters: given = {}, detail: chosen, ...others } = checked(input, args);
      const operation = kinds.get(kind)!;
      const answer = await call(operation, { ...given, ...others });
      return chosen === 'full' ? answer : (shortenerOf(operation.output.body)?.(answer) ?? answer);
    },
  };
}

function getResource(operations: readonly Operation[], shortenerOf: ShortenerOf): OfferedTool {
  const kinds = kindsOf(operations, /^\/([a-z-]+)\/\{id\}$/);
  const input = z.strictObject({
    kind: enumOf(kinds),
    id: z.string().describe('ID of the resource, as find_resources returns it.'),
    detail,
  });
  return {
    ...declared({
      name: 'get_resource',
      title: 'Get a resource',
      description:
        'Reads one resource by its id: a stream, an upload, a playlist with its items, a programme with its rules, ' +
        'and so on. Returns its fields; those without a value are left out. Poll it every 2 seconds to follow work ' +
        'that takes time. Next: a tool that takes the id, or find_operations.',
      input,
      annotations: reads,
    }),
    isFor: (scopes) => [...kinds.values()].some((operation) => isAllowed(operation, scopes)),
    operationOf: (args) => kinds.get(String(args['kind'])) ?? null,
    async run(args, { call }) {
      const { kind, id, detail: chosen } = checked(input, args);
      const operation = kinds.get(kind)!;
      const answer = await call(operation, { id });
      return chosen === 'full' ? answer : (shortenerOf(operation.output.body, true)?.(answer) ?? answer);
    },
  };
}

function findOperations(catalogue: Catalogue): OfferedTool {
  const { operations, search } = catalogue;
  const input = z.strictObject({
    query: z.string().max(255).optional().describe('The action, in words, such as “delete an upload”.'),
    name: z.string().max(100).optional().describe('Name of an operation, for its whole description.'),
  });
  return {
    ...declared({
      name: 'find_operations',
      title: 'Find operations',
      description:
        `Searches all ${operations.length} operations of this service, also those that no other tool does: delete, ` +
        'connect a channel, webhooks, alerts, clips, guides, live inputs, payments. Returns for query the names ' +
        'with a summary each, and for name the description with the schema of its arguments. Next: read_operation or ' +
        'change_operation, as the answer says.',
      input,
      annotations: reads,
    }),
    isFor: () => true,
    operationOf: () => null,
    run: async (args, { scopes }) => {
      const { query, name } = checked(input, args);
      if (name !== undefined) return whole(operationNamed(catalogue, name));
      const found = search(query ?? '').map((operation) => ({
        name: toolName(operation),
        summary: operation.summary,
        tool: callerOf(operation),
        ...(isAllowed(operation, scopes) ? {} : { needsScope: operation.scopes[0] }),
      }));
      const toolsets = [...new Set(operations.map(({ tag }) => tag))].join(', ');
      const nextStep =
        found.length > 0
          ? 'Call find_operations with the name that fits, for its arguments.'
          : `No operation matches. Use other words, such as a kind of thing: ${toolsets}.`;
      return { operations: found, nextStep };
    },
  };
}

function callerOf({ method }: Operation): string {
  return method === 'GET' ? 'read_operation' : 'change_operation';
}

/** All that a client needs for a call of an operation. */
function whole(operation: Operation): Json {
  const { name, description, inputSchema: input } = describe(operation);
  return {
    name,
    description,
    inputSchema: input,
    nextStep: `Call ${callerOf(operation)} with ${JSON.stringify({ name, arguments: input.examples?.[0] ?? {} })}.`,
  };
}

/** A tool that calls any operation: one that reads, or one that changes. Decision D237. */
function callOperation(catalogue: Catalogue, kind: 'read' | 'change'): OfferedTool {
  const { operations } = catalogue;
  const allowed = kind === 'read' ? operations.filter(({ method }) => method === 'GET') : operations;
  const input = z.strictObject({
    name: z.string().max(100).describe('Name of the operation, as find_operations returns it.'),
    arguments: z.record(z.string(), z.unknown()).default({}).describe('Arguments, as its inputSchema describes.'),
  });
  const given = (args: Json) => {
    const { name, arguments: values } = checked(input, args);
    const operation = operationNamed(catalogue, name);
    if (!allowed.includes(operation))
      throw faultOf(`${name} changes data. Call it with change_operation, with the same arguments.`);
    return { operation, values };
  };
  const verb = kind === 'read' ? 'Calls any operation that only reads' : 'Calls any operation that changes data';
  return {
    ...declared({
      name: `${kind}_operation`,
      title: kind === 'read' ? 'Call an operation that reads' : 'Call an operation that changes data',
      description:
        `${verb}, by its name. Returns the whole answer of the operation. Arguments are checked as those of any ` +
        `tool. ${kind === 'read' ? '' : 'Ask the user before it deletes or stops anything. '}Next: find_operations ` +
        'first, if the name or the arguments are unknown.',
      input,
      annotations: kind === 'read' ? reads : { destructiveHint: true, idempotentHint: false, openWorldHint: true },
    }),
    isFor: (scopes) =>
      operations.some((each) => (each.method === 'GET') === (kind === 'read') && isAllowed(each, scopes)),
    operationOf(args) {
      try {
        return given(args).operation;
      } catch {
        // The call itself answers with the fault.
        return null;
      }
    },
    run: async (args, { call }) => {
      const { operation, values } = given(args);
      return call(operation, values);
    },
  };
}

function operationNamed({ operations, search }: Catalogue, name: string): Operation {
  const found = operations.find((operation) => toolName(operation) === name);
  if (found) return found;
  const near = search(name).slice(0, 3).map(toolName);
  const hint = near.length > 0 ? `Nearest: ${near.join(', ')}.` : 'find_operations searches them.';
  throw faultOf(`There is no operation ${name}. ${hint}`);
}

function faultOf(detailed: string): ProblemError {
  const errors = [{ path: '/name', code: 'validation_failed' as const, detail: detailed }];
  return new ProblemError('validation_failed', `/name: ${detailed}`, { errors });
}
