// The MCP function without its connections: handles API Gateway's events with the MCP surface.
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { createService } from './create-service.ts';
import { addressOf, requestOf, resultOf } from './gateway-event.ts';
import { createMcpHandler } from '../surfaces/mcp/mcp-handler.ts';
import { guidance } from './mcp-guidance.ts';

export function createMcpFunction(
  ...[connections, settings, log]: Parameters<typeof createService>
): (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult> {
  const answer = createMcpHandler(createService(connections, settings, log), guidance);
  return async (event) => resultOf(await answer(requestOf(event, connections.origin), addressOf(event)));
}
