// The GraphQL function: API Gateway's events in, the GraphQL surface behind them.
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { createService } from '../api/create-service.ts';
import { readEnvironment, readPaymentEnvironment } from '../api/environment.ts';
import { addressOf, requestOf, resultOf } from '../api/gateway-event.ts';
import { jsonLog } from '../log.ts';
import { connectAws } from '../ports/aws.ts';
import { connectPaymentProviders } from '../ports/payment-providers.ts';
import { createGraphqlHandler } from '../surfaces/graphql/graphql-handler.ts';

const environment = readEnvironment(process.env);
const connections = await connectAws(environment, 1, jsonLog);
const providers = await connectPaymentProviders(readPaymentEnvironment(process.env).secretARN, connections.origin);
const answer = createGraphqlHandler(createService({ ...connections, ...providers }, environment, jsonLog));

export async function handler(event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> {
  return resultOf(await answer(requestOf(event, connections.origin), addressOf(event)));
}
