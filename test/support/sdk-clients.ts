// The SDKs as clients that call any operation by its name, with arguments side by side, as MCP does.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { operations } from '../../lambda/operations/index.ts';
import { toolName } from '../../lambda/operations/operation.ts';
import type { McpClient } from './mcp-clients.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- tests assert on the answers
type Answer = any;

type Caller = Pick<McpClient, 'callTool'>;

export interface Platform {
  readonly apiURL: string;
  readonly apiKey: string;
}

/** The parts of a request to an operation. */
function partsOf(name: string, args: Readonly<Record<string, unknown>>) {
  const operation = operations.find((candidate) => toolName(candidate) === name)!;
  const { idempotencyKey, ...given } = args;
  const pick = (isIn: (field: string) => boolean) =>
    Object.fromEntries(Object.entries(given).filter(([field]) => isIn(field)));
  const inPath = (field: string) => Object.hasOwn(operation.params.shape, field);
  const inQuery = (field: string) => Object.hasOwn(operation.query.shape, field);
  return {
    path: pick(inPath),
    query: pick(inQuery),
    body: operation.body ? pick((field) => !inPath(field) && !inQuery(field)) : null,
    key: typeof idempotencyKey === 'string' ? idempotencyKey : null,
    operation,
  };
}

function resultOf(answer: unknown): Answer {
  const structuredContent = Array.isArray(answer) ? { data: answer } : (answer ?? {});
  return { structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] };
}

/** A client that calls the functions of the TypeScript SDK. */
export function typescriptCaller(sdk: Answer, platform: Platform): Caller {
  const client = sdk.connect(platform);
  return {
    async callTool(name, args = {}) {
      const { path, query, body, key, operation } = partsOf(name, args as Record<string, unknown>);
      const headers = key === null ? {} : { headers: { 'Idempotency-Key': key } };
      try {
        const call = { client, path, query, ...(body && { body }), ...headers };
        return resultOf(await sdk[operation.id](call));
      } catch (error) {
        if (!(error instanceof sdk.LoopProblem)) throw error;
        return { isError: true, ...resultOf({ problem: (error as Answer).document }) };
      }
    },
  };
}

/** A client that calls the functions of the Python SDK, in a process. End it with `close`. */
export function pythonCaller(python: string, { apiURL, apiKey }: Platform): Caller & { close: () => void } {
  const child = spawn(python, [join(import.meta.dirname, 'sdk_driver.py')], {
    env: { ...process.env, LOOP_API_URL: apiURL, LOOP_API_KEY: apiKey },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async callTool(name, args = {}) {
      const { path, query, body, key } = partsOf(name, args as Record<string, unknown>);
      child.stdin.write(`${JSON.stringify({ name, arguments: { ...path, ...query }, body, key })}\n`);
      const { value } = await lines.next();
      if (value === undefined) throw new Error(`the driver ended at ${name}`);
      const { text, problem, parsed } = JSON.parse(value);
      if (problem) return { isError: true, ...resultOf({ problem }) };
      if (!parsed) throw new Error(`${name} has an answer that its model does not read`);
      return resultOf(text === '' ? {} : JSON.parse(text));
    },
    close: () => child.stdin.end(),
  };
}
