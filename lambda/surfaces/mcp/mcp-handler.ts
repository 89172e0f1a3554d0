// The MCP surface: Streamable HTTP without sessions, with one JSON answer per message.
// It supports the protocol versions of 2025 and 2026.
import {
  createMcpHandler as createModernHandler,
  isLegacyRequest,
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Operation } from '../../operations/operation.ts';
import { ProblemError } from '../../operations/problem-codes.ts';
import { admitCaller, admitReader, identify } from '../admission/admit.ts';
import type { CallTimer } from '../admission/call-time.ts';
import { readerOf } from './resources.ts';
import { createMcpServer } from './server.ts';
import type { McpContent, McpSession } from './server.ts';
import { toolsOf } from './tools.ts';
import type { ChosenTools } from './tools.ts';
import { tracedRequest } from '../../telemetry/traced-request.ts';
import { problemResponse } from '../problem-response.ts';
import type { Json } from '../openapi/schemas.ts';
import { quotaHeaders } from '../admission/rate-limits.ts';
import type { Quota } from '../admission/rate-limits.ts';
import { readBounded } from '../read-body.ts';
import type { Service } from '../service.ts';

/** @param address the client's IP address */
export type McpHandler = (request: Request, address: string) => Promise<Response>;

/** The path below the public origin. */
export const mcpPath = '/mcp';

/**
 * Answers requests at `/mcp`. Never throws: a request that reaches no tool is refused with a problem document, as in
 * REST.
 */
export function createMcpHandler(service: Service, content: McpContent): McpHandler {
  const tools = toolsOf(service.operations, content.toolTexts);
  return (request, address) => tracedRequest(request, mcpPath, () => answer(request, address));

  async function answer(request: Request, address: string): Promise<Response> {
    if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: corsHeaders });
    let quota: Quota | null = null;
    let time: CallTimer | null = null;
    const finish = (response: Response) => {
      const headers = { ...corsHeaders, ...(quota ? quotaHeaders(quota, { refused: quota.exceeded }) : {}) };
      for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
      return response;
    };
    try {
      const { headers, method } = request;
      const identified = await identify(service, { headers, method, address, resource: mcpPath });
      if (identified.caller === null) {
        ({ quota } = identified);
        throw identified.refusal;
      }
      const { caller } = identified;
      const chosen = tools.choose(new URL(request.url).searchParams.get('toolsets'));
      const { message, rejection } = await readMessage(service, request);
      const { operation, isToolCall } = subjectOf(service, chosen, message);
      const { refusal, ...counted } = operation
        ? await admitCaller(service, identified, operation, mcpPath)
        : await admitReader(service, identified);
      ({ quota, time } = counted);
      // A refused tool call gets a tool result, which the AI client reads.
      if (refusal && operation === null && !isToolCall) throw refusal;
      const session = { caller, tools: chosen, refusal, signal: request.signal, time };
      const work = () => serve(service, content, session, request, message);
      return finish(rejection ?? (await (time ? time.during(work) : work())));
    } catch (error) {
      return finish(problemResponse(service, error));
    } finally {
      await time?.count();
    }
  }
}

/**
 * The operation that a message calls or reads with; null if it names none.
 * @param message any JSON value
 */
function subjectOf(
  service: Service,
  tools: ChosenTools,
  message: unknown,
): { readonly operation: Operation | null; readonly isToolCall: boolean } {
  const { method, params } = Object(message) as { method?: unknown; params?: unknown };
  const { name, uri, arguments: args } = Object(params) as { name?: unknown; uri?: unknown; arguments?: unknown };
  const tool = method === 'tools/call' && typeof name === 'string' ? tools.tool(name) : null;
  if (tool) return { operation: tool.operationOf(Object(args) as Json), isToolCall: true };
  const reader = method === 'resources/read' && typeof uri === 'string' ? readerOf(service, uri) : null;
  return { operation: reader?.operation ?? null, isToolCall: false };
}

type ReadMessage =
  | { readonly message: unknown; readonly rejection?: never }
  | { readonly message?: never; readonly rejection: Response };

async function readMessage(service: Service, request: Request): Promise<ReadMessage> {
  const reject = (status: number, code: number, text: string, headers: Record<string, string> = {}) => ({
    rejection: Response.json({ jsonrpc: '2.0', id: null, error: { code, message: text } }, { status, headers }),
  });
  if (request.method !== 'POST') {
    const text = 'This server has no sessions and no event streams. Send each message by POST.';
    return reject(405, ProtocolErrorCode.InvalidRequest, text, { allow: 'POST' });
  }
  try {
    const bytes = await readBounded(request);
    const message: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return Array.isArray(message)
      ? reject(
          400,
          ProtocolErrorCode.InvalidRequest,
          'Send one message at a time: MCP has no batches since 2025-06-18.',
        )
      : { message };
  } catch (error) {
    return error instanceof ProblemError
      ? { rejection: problemResponse(service, error) }
      : reject(400, ProtocolErrorCode.ParseError, 'The body is not JSON in UTF-8. Is it complete?');
  }
}

async function serve(
  service: Service,
  content: McpContent,
  session: McpSession,
  request: Request,
  message: unknown,
): Promise<Response> {
  const create = () => createMcpServer(service, content, session);
  if (!(await isLegacyRequest(request, message))) {
    // A Lambda function cannot keep a connection open, so subscriptions are refused.
    return createModernHandler(create, { legacy: 'reject', maxSubscriptions: 0 }).fetch(request, {
      parsedBody: message,
    });
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

/**
 * Pages of every origin may send requests: the page must add a credential itself, and nothing is answered without one.
 */
const corsHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-allow-headers':
    'Authorization, X-API-Key, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID',
  'access-control-expose-headers':
    'WWW-Authenticate, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After',
};
