// The identity function without its connections: handles API Gateway's events with sign-in and OAuth.
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { addressOf, requestOf, resultOf } from '../api/gateway-event.ts';
import type { AuthHandler } from './auth-handler.ts';

/** @param origin the public origin */
export function createEventHandler(
  auth: AuthHandler,
  origin: string,
): (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult> {
  return async (event) => resultOf(await auth(requestOf(event, origin), addressOf(event)));
}
