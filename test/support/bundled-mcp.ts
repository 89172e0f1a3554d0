// The MCP function as it is deployed, called with API Gateway's events.
import type { McpHandler } from '../../lambda/surfaces/mcp/mcp-handler.ts';
import { importBundled } from './bundled-function.ts';
import { throughGateway } from './gateway.ts';

type Module = typeof import('../../lambda/mcp/mcp-function.ts');

export async function bundledMcp(): Promise<(...parts: Parameters<Module['createMcpFunction']>) => McpHandler> {
  const { createMcpFunction } = await importBundled<Module>('mcp/mcp-function.ts');
  return (...parts) => {
    const handler = createMcpFunction(...parts);
    return (request, address) => throughGateway(handler, request, address);
  };
}
