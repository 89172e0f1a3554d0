// The MCP function as deployed, behind API Gateway and the distribution.
import type * as Module from '../../lambda/api/mcp-function.ts';
import type { McpHandler } from '../../lambda/surfaces/mcp/mcp-handler.ts';
import { importBundled } from './bundled-function.ts';
import { throughDistribution } from './distribution.ts';

export async function bundledMcp(): Promise<(...parts: Parameters<typeof Module.createMcpFunction>) => McpHandler> {
  const { createMcpFunction } = await importBundled<typeof Module>('api/mcp-function.ts');
  return (...parts) => {
    const handler = createMcpFunction(...parts);
    return (request, address) => throughDistribution(handler, request, address);
  };
}
