// The MCP surface of a test service, called with bare messages, because a client would hide the answers.
import { guidance } from '../../lambda/api/mcp-guidance.ts';
import { createMcpHandler } from '../../lambda/surfaces/mcp/mcp-handler.ts';
import type { McpHandler } from '../../lambda/surfaces/mcp/mcp-handler.ts';
import { baseURL } from './service.ts';
import type { Answer, TestService, TestUser } from './service.ts';

export const mcpURL = `${new URL(baseURL).origin}/mcp`;

export interface TestMcp {
  /** Sends a message of the protocol 2025-11-25. @returns the HTTP answer */
  send(message: unknown, headers: Record<string, string>, method?: string): Promise<Answer>;
  /** Calls a method. @returns its result. @throws its error */
  request(user: TestUser, method: string, params?: object): Promise<Answer['body']>;
  callTool(user: TestUser, name: string, args?: object): Promise<Answer['body']>;
}

/** One handler for each service, because descriptions of tools take time to make. */
const handlers = new WeakMap<TestService, McpHandler>();

/** @param toolsets the toolsets in the address; absent: the default */
export function testMcp(service: TestService, toolsets?: string): TestMcp {
  const mcp: TestMcp = {
    async send(message, headers, method = 'POST') {
      const handler = handlers.get(service) ?? createMcpHandler(service.service(), guidance);
      handlers.set(service, handler);
      const body = typeof message === 'string' ? message : JSON.stringify(message);
      const request = new Request(toolsets === undefined ? mcpURL : `${mcpURL}?toolsets=${toolsets}`, {
        method,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
          ...headers,
        },
        ...(method === 'POST' ? { body } : {}),
      });
      const response = await handler(request, '192.0.2.1');
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
    },
    async request(user, method, params = {}) {
      const { body } = await mcp.send({ jsonrpc: '2.0', id: 1, method, params }, { 'x-api-key': user.apiKey });
      if (!body.result) throw new Error(`${method}: ${JSON.stringify(body)}`);
      return body.result;
    },
    callTool: (user, name, args = {}) => mcp.request(user, 'tools/call', { name, arguments: args }),
  };
  return mcp;
}
