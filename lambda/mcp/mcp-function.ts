// The MCP function but for its connections: API Gateway's events in, the MCP surface behind them.
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { createService } from '../api/create-service.ts';
import { addressOf, requestOf, resultOf } from '../api/gateway-event.ts';
import { createMcpHandler } from '../surfaces/mcp/mcp-handler.ts';
import { guidance } from './guidance.ts';

export function createMcpFunction(
  ...[connections, settings, log]: Parameters<typeof createService>
): (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult> {
  const answer = createMcpHandler(createService(connections, settings, log), guidance);
  return async (event) => resultOf(await answer(requestOf(event, connections.origin), addressOf(event)));
}
