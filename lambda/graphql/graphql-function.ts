// The GraphQL surface as API Gateway calls it.
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { createService } from '../api/create-service.ts';
import { addressOf, requestOf, resultOf } from '../api/gateway-event.ts';
import { createGraphqlHandler } from '../surfaces/graphql/graphql-handler.ts';

export function createGraphqlFunction(
  ...parts: Parameters<typeof createService>
): (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult> {
  const [{ origin }] = parts;
  const graphql = createGraphqlHandler(createService(...parts));
  return async (event) => resultOf(await graphql(requestOf(event, origin), addressOf(event)));
}
