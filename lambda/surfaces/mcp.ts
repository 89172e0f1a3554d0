// The MCP surface: Streamable HTTP without sessions, a JSON answer for each message, for clients of 2025 and of 2026.
import { createMcpHandler as createModernHandler, isLegacyRequest, ProtocolErrorCode, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Operation } from '../operations/operation.ts';
import { admitCaller, admitReader, identify } from './admit.ts';
import { readerOf } from './mcp-resources.ts';
import { createMcpServer } from './mcp-server.ts';
import type { McpContent, McpSession } from './mcp-server.ts';
import { toolsOf } from './mcp-tools.ts';
import { problemResponse } from './problem-response.ts';
import { quotaHeaders } from './rate-limits.ts';
import type { Quota } from './rate-limits.ts';
import { readBounded } from './read-body.ts';
import type { Service } from './service.ts';

/** @param address the client's IP address */
export type McpHandler = (request: Request, address: string) => Promise<Response>;

/** Where it is on the public origin. */
export const mcpPath = '/mcp';

/** A JSON-RPC message, as far as it says which operation it is about. */
interface Message {
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown; readonly uri?: unknown };
}

/** Answers requests at `/mcp`. Never throws: what is refused before any tool is a problem document, as in REST. */
export function createMcpHandler(service: Service, { prompts, instructions }: Pick<McpContent, 'prompts' | 'instructions'>): McpHandler {
  const tools = toolsOf(service.operations);
  const operationOf = ({ method, params: { name, uri } = {} }: Message): Operation | null => {
    if (method === 'tools/call' && typeof name === 'string') return tools.operation(name);
    return method === 'resources/read' && typeof uri === 'string' ? (readerOf(service, uri)?.operation ?? null) : null;
  };

  return async (request, address) => {
    if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: corsHeaders });
    let quota: Quota | null = null;
    const finish = (response: Response) => {
      const headers = { ...corsHeaders, ...(quota ? quotaHeaders(quota, quota.exceeded) : {}) };
      for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
      return response;
    };
    try {
      const identified = await identify(service, { headers: request.headers, address, resource: mcpPath });
      ({ quota } = identified);
      const { caller } = identified;
      if (caller === null) throw identified.refusal;
      if (request.method !== 'POST') return finish(rejection(405, ProtocolErrorCode.InvalidRequest, 'There are no sessions and no streams here: POST each message.', { allow: 'POST' }));
      const message = parsed(await readBounded(request));
      if (message === undefined) return finish(rejection(400, ProtocolErrorCode.ParseError, 'The body is not JSON in UTF-8. Is it complete?'));
      if (Array.isArray(message)) return finish(rejection(400, ProtocolErrorCode.InvalidRequest, 'One message at a time: MCP has no batches since 2025-06-18.'));
      const operation = operationOf((message ?? {}) as Message);
      const { refusal, ...counted } = operation ? await admitCaller(service, caller, operation, mcpPath) : await admitReader(service, caller);
      ({ quota } = counted);
      // A refused tool call is answered as such, for the agent to read.
      if (refusal && operation === null) throw refusal;
      return finish(await serve(service, { tools, prompts, instructions }, { caller, refusal }, request, message));
    } catch (error) {
      return finish(problemResponse(service, error));
    }
  };
}

async function serve(service: Service, content: McpContent, session: McpSession, request: Request, message: unknown): Promise<Response> {
  const create = () => createMcpServer(service, content, session);
  if (!(await isLegacyRequest(request, message))) {
    // A function cannot hold a stream open: whoever subscribes is refused.
    return createModernHandler(create, { legacy: 'reject', maxSubscriptions: 0 }).fetch(request, { parsedBody: message });
  }
  const server = create();
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
}

/** Any page may ask: nothing is answered without a credential that the page itself has to bring. */
const corsHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-allow-headers': 'Authorization, X-API-Key, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID',
  'access-control-expose-headers': 'WWW-Authenticate, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After',
};

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** A message that no server was asked about (JSON-RPC 2.0, section 5.1). */
function rejection(status: number, code: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status, headers });
}
