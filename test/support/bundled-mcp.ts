// The MCP function as it is deployed: bundled and minified, called with API Gateway's events.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { createMcpFunction as createMcpFunctionType } from '../../lambda/mcp/mcp-function.ts';
import type { McpHandler } from '../../lambda/surfaces/mcp/mcp-handler.ts';
import { bundle, writeBundle } from '../../lib/shared/bundle.ts';
import { functionAliases } from '../../lib/shared/function-aliases.ts';
import { throughGateway } from './gateway.ts';

const entry = 'mcp/mcp-function.ts';

/** Everything of its entry but the connections, which are the test's. */
export async function bundledMcp(): Promise<(...parts: Parameters<typeof createMcpFunctionType>) => McpHandler> {
  const folder = mkdtempSync(join(tmpdir(), 'bundled-mcp-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  writeBundle(bundle(join(import.meta.dirname, '../../lambda'), [entry], functionAliases).get(entry)!, folder);
  const { createMcpFunction } = (await import(join(folder, 'index.mjs'))) as { createMcpFunction: typeof createMcpFunctionType };
  return (...parts) => {
    const handler = createMcpFunction(...parts);
    return (request, address) => throughGateway(handler, request, address);
  };
}
