// The GraphQL function without its connections: handles API Gateway's events with the GraphQL surface.
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { createService } from './create-service.ts';
import { addressOf, requestOf, resultOf } from './gateway-event.ts';
import { createGraphqlHandler } from '../surfaces/graphql/graphql-handler.ts';

export function createGraphqlFunction(
  ...[connections, settings, log]: Parameters<typeof createService>
): (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult> {
  const answer = createGraphqlHandler(createService(connections, settings, log));
  return async (event) => resultOf(await answer(requestOf(event, connections.origin), addressOf(event)));
}
