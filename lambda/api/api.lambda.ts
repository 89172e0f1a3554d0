// The REST function: answers API Gateway's events by the REST surface, and takes the messages of payment providers.
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { jsonLog } from '../log.ts';
import { connectAws } from '../ports/aws/connect-aws.ts';
import { connectPaymentProviders } from '../ports/payments/payment-providers.ts';
import { createRestHandler } from '../surfaces/rest/rest-handler.ts';
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
