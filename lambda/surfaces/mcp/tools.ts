// The tools of the server: those for tasks, which are the default, and each operation as a tool of its own.
// The address of the client chooses which are listed. Each name can be called, listed or not. Decision D235.
import { toolName } from '../../operations/operation.ts';
import type { Operation } from '../../operations/operation.ts';
import { ProblemError } from '../../operations/problem-codes.ts';
import type { Scope } from '../../operations/scopes.ts';
import { isAllowed } from '../admission/admit.ts';
import { catalogueTools } from './catalogue-tools.ts';
import { describeAll, isTool } from './operation-tools.ts';
import type { Tool } from './operation-tools.ts';
import type { OfferedTool } from './offered-tool.ts';
import { once } from './once.ts';
import { shortenersOf } from './short-answers.ts';
import type { ShortFields } from './short-answers.ts';
import { taskTools } from './task-tools.ts';
import type { Task } from './task-tools.ts';

/** The words and fields of the tools for tasks. They name operations, so they are defined outside this folder. */
export interface ToolTexts {
  readonly tasks: readonly Task[];
  readonly short: ShortFields;
}

export interface Tools {
  /**
   * The toolsets that an address chooses.
   * @param chosen the parameter `toolsets`, such as `default,uploads`; null: `default`
   * @throws {ProblemError} validation_failed, with the names of all toolsets
   */
  readonly choose: (chosen: string | null) => ChosenTools;
  readonly operations: readonly Operation[];
}

export interface ChosenTools {
  /** The tools that a caller with these scopes may call. */
  readonly listFor: (scopes: readonly Scope[]) => readonly Tool[];
  /** The tool with this name, whether the toolsets have it or not; null: there is none. */
  readonly tool: (name: string) => OfferedTool | null;
}

/** Creates the tools. Descriptions are made at the first request that needs them. */
export function toolsOf(operations: readonly Operation[], { tasks, short }: ToolTexts): Tools {
  const offered = operations.filter(isTool);
  const descriptions = once(() => describeAll(offered));
  const shortenerOf = shortenersOf(short);
  const forTasks = byName([...taskTools(offered, tasks, shortenerOf), ...catalogueTools(offered, shortenerOf)]);
  const forOperations = byName(offered.map((operation) => toolOf(operation, descriptions)));
  const toolsets: readonly string[] = ['default', 'all', ...new Set(offered.map(({ tag }) => tag))];
  return {
    operations: offered,
    choose(chosen) {
      const names = (chosen ?? 'default').split(',').map((name) => name.trim());
      const unknown = names.find((name) => !toolsets.includes(name));
      if (unknown !== undefined) throw refusalOf(unknown, toolsets);
      const isChosen = ({ tag }: Operation) => names.includes('all') || names.includes(tag);
      const isDefault = names.includes('default');
      return {
        listFor(scopes) {
          const ofTags = offered.filter(isChosen).map((operation) => forOperations.get(toolName(operation))!);
          const listed = [...(isDefault ? forTasks.values() : []), ...ofTags].filter(({ isFor }) => isFor(scopes));
          // A tool for tasks takes the place of the operation of its name.
          return [...byName(listed.toReversed()).values()].toReversed().map((tool) => tool.listed());
        },
        tool(name) {
          const [first, second] = isDefault ? [forTasks, forOperations] : [forOperations, forTasks];
          return first.get(name) ?? second.get(name) ?? null;
        },
      };
    },
  };
}

function byName(tools: readonly OfferedTool[]): ReadonlyMap<string, OfferedTool> {
  return new Map(tools.map((tool) => [tool.name, tool]));
}

function toolOf(operation: Operation, descriptions: () => ReadonlyMap<Operation, Tool>): OfferedTool {
  return {
    name: toolName(operation),
    listed: () => descriptions().get(operation)!,
    isFor: (scopes) => isAllowed(operation, scopes),
    operationOf: () => operation,
    run: (args, { call }) => call(operation, args),
  };
}

function refusalOf(unknown: string, toolsets: readonly string[]): ProblemError {
  const detail = `There is no toolset ${unknown.slice(0, 100)}. The toolsets are ${toolsets.join(', ')}.`;
  return new ProblemError('validation_failed', detail, {
    errors: [{ path: '/query/toolsets', code: 'validation_failed', detail }],
  });
}
