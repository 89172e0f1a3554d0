// Calls operations by their MCP tool names, over REST or through an MCP client.
import { operations } from '../../lambda/operations/index.ts';
import { toolName } from '../../lambda/operations/operation.ts';
import type { ApiClient } from './local-run.ts';
import type { McpClient } from './mcp-clients.ts';

/** @throws the message of the answer, if it is a refusal */
// oxlint-disable-next-line typescript/no-explicit-any -- tests assert on the answers
export type CallOperation = (name: string, args?: Readonly<Record<string, unknown>>) => Promise<any>;

export function byRest(api: ApiClient): CallOperation {
  return (name, args = {}) => {
    const operation = operations.find((candidate) => toolName(candidate) === name);
    if (!operation) throw new Error(`there is no operation ${name}`);
    const inPath = new Set<string>();
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, param: string) => {
      inPath.add(param);
      return encodeURIComponent(String(args[param]));
    });
    const rest = Object.entries(args).filter(([param]) => !inPath.has(param));
    return api(operation.method, path, operation.body && Object.fromEntries(rest));
  };
}

export function byMcp(client: McpClient): CallOperation {
  return async (name, args = {}) => {
    const { isError, structuredContent, content } = await client.callTool(name, args);
    if (isError) throw new Error(`${name}: ${JSON.stringify(content)}`);
    return structuredContent;
  };
}
