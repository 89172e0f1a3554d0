// The REST function: API Gateway's events in, the REST surface behind them.
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { jsonLog } from '../log.ts';
import { connectAws } from '../ports/aws.ts';
import { createRestHandler } from '../surfaces/rest.ts';
import { createService } from './create-service.ts';
import { readEnvironment } from './environment.ts';
import { addressOf, requestOf, resultOf } from './gateway-event.ts';

const environment = readEnvironment(process.env);
const connections = await connectAws(environment, 1, jsonLog);
const answer = createRestHandler(createService(connections, environment, jsonLog));

export async function handler(event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> {
  return resultOf(await answer(requestOf(event, connections.origin), addressOf(event)));
}
