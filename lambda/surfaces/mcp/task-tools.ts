// The tools for tasks: operations, and combinations of them, described for models. Answers are short.
import { toolName } from '../../operations/operation.ts';
import type { Operation } from '../../operations/operation.ts';
import { isAllowed } from '../admission/admit.ts';
import type { Json } from '../openapi/schemas.ts';
import { annotations, inputSchema } from './operation-tools.ts';
import type { ObjectSchema } from './operation-tools.ts';
import { once } from './once.ts';
import { terse } from './schemas.ts';
import type { ShortenerOf } from './short-answers.ts';
import type { OfferedTool } from './offered-tool.ts';

interface Texts {
  /** Sentences for a model: first a verb, then the answer, and at the end “Next: …”. */
  readonly description: string;
  /** The arguments that are listed. Others are accepted too. Absent: all. */
  readonly lists?: readonly string[];
  /** Descriptions of arguments that take the place of those of the operation. */
  readonly says?: Readonly<Record<string, string>>;
  /** Values of arguments that a call leaves out, where the default of the operation makes long answers. */
  readonly defaults?: Json;
  /** Descriptions of objects, at any depth, that are listed without their fields. */
  readonly outlines?: Readonly<Record<string, string>>;
}

/** One operation as a tool for tasks. */
interface OperationTask extends Texts {
  /** The ID of the operation. */
  readonly operation: string;
}

/** Several operations as one tool. */
interface CombinedTask extends Texts {
  readonly name: string;
  readonly title: string;
  /** Operations that read, by the field of the answer. Each gets the arguments that it takes. */
  readonly reads?: Readonly<Record<string, string>>;
  /** An operation that makes something, and one that is then called with its ID. */
  readonly chain?: readonly [string, string];
}

export type Task = OperationTask | CombinedTask;

/** The argument of tools whose full answer is much longer. */
const detail: Json = {
  type: 'string',
  enum: ['short', 'full'],
  description: 'full: returns all fields.',
};

/** Creates the tools for tasks. */
export function taskTools(
  operations: readonly Operation[],
  tasks: readonly Task[],
  shortenerOf: ShortenerOf,
): readonly OfferedTool[] {
  const byID = new Map(operations.map((operation) => [operation.id, operation]));
  const named = (id: string) => {
    const found = byID.get(id);
    if (!found) throw new Error(`A task names ${id}, which is no operation.`);
    return found;
  };
  return tasks.map((task) => {
    if ('operation' in task) return operationTask(named(task.operation), task, shortenerOf);
    const { reads, chain } = task;
    const parts = Object.entries(reads ?? {}).map(([field, id]) => ({ field, operation: named(id) }));
    return reads
      ? readingTask(task, parts, shortenerOf)
      : chainedTask(task, named(chain![0]), named(chain![1]), shortenerOf);
  });
}

function operationTask(operation: Operation, task: OperationTask, shortenerOf: ShortenerOf): OfferedTool {
  const shortened = () => shortenerOf(operation.output.body);
  const [, next] = operation.method === 'GET' ? [] : (/ Next: ([^]*)$/.exec(task.description) ?? []);
  return {
    name: toolName(operation),
    listed: once(() => ({
      name: toolName(operation),
      title: operation.summary,
      description: task.description,
      inputSchema: listedInput(inputSchema(operation), task, shortened() !== null),
      annotations: annotations(operation),
    })),
    isFor: (scopes) => isAllowed(operation, scopes),
    operationOf: () => operation,
    async run(args, { call }) {
      const shorten = shortened();
      if (!shorten) return call(operation, args);
      const { isFull, given } = split(args);
      const answer = await call(operation, { ...task.defaults, ...given });
      return isFull ? answer : { ...shorten(answer), ...(next === undefined ? {} : { nextStep: next }) };
    },
  };
}

interface Part {
  readonly field: string;
  readonly operation: Operation;
}

/** A tool that reads several things at once. */
function readingTask(task: CombinedTask, parts: readonly Part[], shortenerOf: ShortenerOf): OfferedTool {
  const takes = once(() => parts.map(({ operation }) => inputSchema(operation)));
  const [{ operation: first }] = parts as [Part];
  return {
    name: task.name,
    listed: once(() => ({
      ...listedTexts(task),
      inputSchema: listedInput(mergedInput(takes()), task, true),
      annotations: annotations(first),
    })),
    isFor: (scopes) => parts.every(({ operation }) => isAllowed(operation, scopes)),
    operationOf: () => first,
    async run(args, { call }) {
      const { isFull, given } = split(args);
      const names = takes().map(({ properties = {} }) => Object.keys(properties));
      const answer: Json = {};
      for (const [index, { field, operation }] of parts.entries()) {
        // The first operation refuses what none of them takes.
        const isIts = (name: string) => names[index]!.includes(name) || (index === 0 && !names.flat().includes(name));
        const part = await call(operation, Object.fromEntries(Object.entries(given).filter(([name]) => isIts(name))));
        answer[field] = isFull ? part : (shortenerOf(operation.output.body)?.(part) ?? part);
      }
      return answer;
    },
  };
}

/** A tool that makes something, and then does one more thing with it. */
function chainedTask(task: CombinedTask, make: Operation, then: Operation, shortenerOf: ShortenerOf): OfferedTool {
  return {
    name: task.name,
    listed: once(() => ({
      ...listedTexts(task),
      inputSchema: listedInput(inputSchema(make), task, false),
      annotations: { ...annotations(make), openWorldHint: [make, then].some(reachesOut) },
    })),
    isFor: (scopes) => [make, then].every((operation) => isAllowed(operation, scopes)),
    operationOf: () => make,
    async run(args, { call }) {
      const made = await call(make, args);
      const shorten = shortenerOf(make.output.body);
      return { ...(shorten?.(made) ?? made), ...(await call(then, { id: made['id'] })) };
    },
  };
}

function reachesOut({ hints = {} }: Operation): boolean {
  return hints.openWorld === true;
}

function listedTexts({ name, title, description }: CombinedTask): Pick<CombinedTask, 'name' | 'title' | 'description'> {
  return { name, title, description };
}

/** Splits the argument `detail` from those of the operation, which refuses a wrong value of it. */
function split(args: Json): { readonly isFull: boolean; readonly given: Json } {
  const { detail: chosen = 'short', ...given } = args;
  return chosen === 'short' || chosen === 'full'
    ? { isFull: chosen === 'full', given }
    : { isFull: false, given: args };
}

function mergedInput(schemas: readonly ObjectSchema[]): ObjectSchema {
  const required = [...new Set(schemas.flatMap((schema) => schema.required ?? []))];
  return {
    type: 'object',
    properties: Object.assign({}, ...schemas.map(({ properties }) => properties)),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** The input of a tool as it is listed: types and words for a model. The service checks the rest. */
function listedInput(
  { properties = {}, required }: ObjectSchema,
  { lists, says = {}, outlines = {}, defaults = {} }: Texts,
  takesDetail: boolean,
): ObjectSchema {
  const names = lists ?? Object.keys(properties).filter((name) => name !== 'idempotencyKey');
  const listed = names.map((name) => {
    const { [name]: typed } = outlined({ [name]: terse(properties[name]) }, outlines) as Record<string, Json>;
    const field = Object.hasOwn(defaults, name) ? { ...typed, default: defaults[name] } : typed;
    return [name, says[name] === undefined ? field : { ...field, description: says[name] }];
  });
  return {
    type: 'object',
    properties: { ...Object.fromEntries(listed), ...(takesDetail ? { detail } : {}) },
    ...(required ? { required } : {}),
  };
}

/** Replaces the objects that `outlines` names by their type and a description. */
function outlined(value: unknown, outlines: Readonly<Record<string, string>>): unknown {
  if (Array.isArray(value)) return value.map((each) => outlined(each, outlines));
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => [
    name,
    Object.hasOwn(outlines, name) ? { type: 'object', description: outlines[name] } : outlined(member, outlines),
  ]);
  return Object.fromEntries(members);
}
