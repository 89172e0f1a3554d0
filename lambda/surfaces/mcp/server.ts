// An MCP server for one message, with the tools, resources and prompts that its caller may use.
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, Server } from '@modelcontextprotocol/server';
import type { GetPromptResult, Tool as ListedTool } from '@modelcontextprotocol/server';
import type { Caller } from '../../operations/context.ts';
import type { CallTimer } from '../admission/call-time.ts';
import type { ProblemError } from '../../operations/problem-codes.ts';
import type { Scope } from '../../operations/scopes.ts';
import { callTool } from './calls.ts';
import { DefaultJsonSchemaValidator } from './form-checks.ts';
import { listTemplates, readResource } from './resources.ts';
import type { ChosenTools, ToolTexts } from './tools.ts';
import { problemDocument } from '../problem-response.ts';
import type { Service } from '../service.ts';

/** A prompt that people choose by its title. Its text names tools, so it is defined outside this folder. */
export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The scopes that a caller needs to follow the prompt: all of these. */
  readonly scopes: readonly Scope[];
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
  readonly text: (args: Readonly<Record<string, string>>) => string;
}

/** The content of the server. It is the same for every message. */
export interface McpContent {
  readonly toolTexts: ToolTexts;
  readonly prompts: readonly Prompt[];
  /** The text about this server that a client gives to its AI model. */
  readonly instructions: string;
}

export interface McpSession {
  readonly caller: Caller;
  readonly tools: ChosenTools;
  /** The reason why the message is not admitted; null if it is. */
  readonly refusal: ProblemError | null;
  /** Aborted once the client is gone. */
  readonly signal: AbortSignal;
  /** Measures the work of the message; null: its time is not counted. */
  readonly time: CallTimer | null;
}

/** Clients may cache lists for five minutes. Lists change only with releases. */
const listsFresh = { ttlMs: 300_000, cacheScope: 'private' } as const;

const formChecks = new DefaultJsonSchemaValidator();

export function createMcpServer(
  service: Service,
  { prompts, instructions }: McpContent,
  { caller, tools, refusal, signal, time }: McpSession,
): Server {
  const server = new Server(
    { name: 'loop-streaming', title: 'Loop streaming', version: service.version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions,
      jsonSchemaValidator: formChecks,
      cacheHints: {
        'tools/list': listsFresh,
        'prompts/list': listsFresh,
        'resources/list': listsFresh,
        'resources/templates/list': listsFresh,
        'server/discover': listsFresh,
      },
    },
  );
  server.setRequestHandler('tools/list', () => ({ tools: tools.listFor(caller.scopes) as unknown as ListedTool[] }));
  server.setRequestHandler('tools/call', ({ params }) => {
    const tool = tools.tool(params.name);
    if (!tool)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool ${params.name}. tools/list returns all tools.`,
      );
    return callTool(service, { tool, caller, refusal, signal, time, args: params.arguments ?? {} });
  });

  // The list of resources is empty: AI clients find resources with tools, or a person names them.
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: listTemplates(service, caller.scopes),
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    try {
      if (refusal) throw refusal;
      return { contents: [await readResource(service, { caller, time }, uri)] };
    } catch (error) {
      const problem = problemDocument(service, error);
      if (problem.code === 'not_found') throw new ResourceNotFoundError(uri, problem.detail);
      throw new ProtocolError(
        problem.status >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidRequest,
        problem.detail,
        problem,
      );
    }
  });

  const offered = prompts.filter(({ scopes }) => scopes.every((scope) => caller.scopes.includes(scope)));
  server.setRequestHandler('prompts/list', () => ({
    prompts: offered.map(({ name, title, description, arguments: takes }) => ({
      name,
      title,
      description,
      arguments: takes.map((argument) => ({ ...argument })),
    })),
  }));
  server.setRequestHandler('prompts/get', ({ params }) => promptOf(offered, params.name, params.arguments ?? {}));
  return server;
}

function promptOf(prompts: readonly Prompt[], name: string, args: Readonly<Record<string, string>>): GetPromptResult {
  const prompt = prompts.find((candidate) => candidate.name === name);
  if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${name}.`);
  const missing = prompt.arguments.find((argument) => argument.required && !args[argument.name]);
  if (missing)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `The argument ${missing.name} is missing: ${missing.description}`,
    );
  return {
    description: prompt.description,
    messages: [{ role: 'user', content: { type: 'text', text: prompt.text(args) } }],
  };
}
