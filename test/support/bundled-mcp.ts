// The MCP function as it is deployed, called with API Gateway's events.
import type * as Module from '../../lambda/mcp/mcp-function.ts';
import type { McpHandler } from '../../lambda/surfaces/mcp/mcp-handler.ts';
import { importBundled } from './bundled-function.ts';
import { throughGateway } from './gateway.ts';

export async function bundledMcp(): Promise<(...parts: Parameters<typeof Module.createMcpFunction>) => McpHandler> {
  const { createMcpFunction } = await importBundled<typeof Module>('mcp/mcp-function.ts');
  return (...parts) => {
    const handler = createMcpFunction(...parts);
    return (request, address) => throughGateway(handler, request, address);
  };
}
