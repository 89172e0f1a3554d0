// The REST function: handles API Gateway's events, and messages of payment providers and platforms.
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { versionedLog } from '../log.ts';
import { connectAws } from '../ports/aws/connect-aws.ts';
import { poolSizes } from '../ports/aws/pool-sizes.ts';
import { followOrigin } from '../ports/aws/public-origin.ts';
import { measuredFunction } from '../telemetry/telemetry.ts';
import { createRestHandler } from '../surfaces/rest/rest-handler.ts';
import { connectProviders } from './connect-providers.ts';
import { withConsentCallback } from './consent-callback.ts';
import { createRestService } from './create-rest-service.ts';
import { readEnvironment, readPaymentEnvironment } from './environment.ts';
import { addressOf, requestOf, resultOf } from './gateway-event.ts';
import { withGuides } from './guides.ts';
import { withPaymentCallbacks } from './payment-callbacks.ts';
import { withPlatformEvents } from './platform-events.ts';

const log = versionedLog(process.env);
const environment = readEnvironment(process.env);
const connections = await connectAws(environment, poolSizes.surface, log);
const { secretARN } = readPaymentEnvironment(process.env);

export const handler = measuredFunction(
  { env: process.env, service: 'api', log },
  await followOrigin(environment, async (origin) => {
    const providers = await connectProviders(secretARN, origin);
    const service = createRestService({ ...connections, ...providers, origin }, environment, log);
    const rest = withConsentCallback(withGuides(createRestHandler(service), service), service);
    const withEvents = withPlatformEvents(rest, { ...service, events: providers.platformEvents });
    const answer = withPaymentCallbacks(withEvents, providers, connections.pool, log);
    return async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> =>
      resultOf(await answer(requestOf(event, origin), addressOf(event)));
  }),
);
