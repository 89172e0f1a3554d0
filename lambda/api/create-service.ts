// Puts the service together from its connections: the same in AWS and on one machine.
import { operations } from '../operations/index.ts';
import type { StreamingSettings } from '../orchestration/stream-parts.ts';
import type { Log } from '../log.ts';
import type { Connections } from '../ports/aws.ts';
import { createAccessTokens } from '../surfaces/access-tokens.ts';
import type { PaymentProviders } from '../ports/payment-providers.ts';
import type { Service } from '../surfaces/service.ts';
import { createHealth } from './health.ts';

/** Of the API, as in its OpenAPI document (service specification, part 9). */
export const apiVersion = '1.0.0';

/** What a stage decides about the service. */
export interface ServiceSettings extends StreamingSettings {
  /** Multiplies every rate limit: 1 where strangers call. */
  readonly rateLimitFactor: number;
}

export function createService(
  connections: Connections & PaymentProviders,
  settings: ServiceSettings,
  log: Log,
): Service {
  const { pool, objects, queue, sealer, payment, crypto, serviceSecret, origin } = connections;
  const clock = () => new Date();
  return {
    operations,
    baseURL: `${origin}/v1`,
    version: apiVersion,
    pool,
    objects,
    sealer,
    accessTokens: createAccessTokens(pool, origin, clock),
    payment,
    crypto,
    settings,
    rateLimitFactor: settings.rateLimitFactor,
    serviceSecret,
    clock,
    random: Math.random,
    health: createHealth(pool, objects),
    // What cannot be sent on now is sent on by the next agent's renewal, or by the minute sweep.
    relay: () =>
      queue.relay().then(
        () => {},
        (error: unknown) => log('relay_failed', { error }),
      ),
    log,
  };
}
