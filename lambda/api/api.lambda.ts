// The REST function: API Gateway's events in, the REST surface behind them.
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { jsonLog } from '../log.ts';
import { connectAws } from '../ports/aws.ts';
import { connectPaymentProviders } from '../ports/payment-providers.ts';
import { createRestHandler } from '../surfaces/rest.ts';
import { createService } from './create-service.ts';
import { readEnvironment, readPaymentEnvironment } from './environment.ts';
import { addressOf, requestOf, resultOf } from './gateway-event.ts';
import { withPaymentCallbacks } from './payment-callbacks.ts';

const environment = readEnvironment(process.env);
const connections = await connectAws(environment, 1, jsonLog);
const providers = await connectPaymentProviders(readPaymentEnvironment(process.env).secretARN, connections.origin);
const rest = createRestHandler(createService({ ...connections, ...providers }, environment, jsonLog));
const answer = withPaymentCallbacks(rest, providers, connections.pool, jsonLog);

export async function handler(event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> {
  return resultOf(await answer(requestOf(event, connections.origin), addressOf(event)));
}
