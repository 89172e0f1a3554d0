// Creates the service from its connections, in the same way in AWS and on one machine.
import { operations } from '../operations/index.ts';
import type { Log } from '../log.ts';
import type { Connections } from '../ports/aws/connect-aws.ts';
import { signStatement } from '../auth/signing-keys.ts';
import { createAccessTokens } from '../surfaces/admission/access-tokens.ts';
import { createUncountedWorks } from '../surfaces/admission/uncounted-work.ts';
import { apiVersion } from '../surfaces/service.ts';
import type { Service } from '../surfaces/service.ts';
import type { SettingsFor } from '../settings.ts';
import { createConsents } from '../ports/managed-platforms/consents.ts';
import { consentCallbackURL } from '../ports/managed-platforms/platform-clients.ts';
import type { Providers } from './connect-providers.ts';
import { createHealth } from './health.ts';
import { createKeptOffers } from './kept-offers.ts';

/** The settings of the service: those of its stage, and whether users may stream to private addresses. */
export interface ServiceSettings extends SettingsFor<'api'> {
  readonly allowPrivateAddresses: boolean;
}

export function createService(connections: Connections & Providers, settings: ServiceSettings, log: Log): Service {
  const { pool, objects, queue, sealer, payment, crypto, platforms, serviceSecret, origin } = connections;
  const clock = () => new Date();
  return {
    operations,
    baseURL: `${origin}/v1`,
    version: apiVersion,
    pool,
    objects,
    sealer,
    sourceSealer: connections.sourceSealer,
    liveSealer: connections.liveSealer,
    accessTokens: createAccessTokens(pool, origin, clock),
    payment,
    crypto,
    consents: createConsents(platforms, sealer, consentCallbackURL(`${origin}/v1`)),
    settings: { ...settings, offersPlatforms: Object.keys(platforms).length > 0 },
    serviceSecret,
    signStatement: (statement) => signStatement(pool, sealer, { iss: origin, ...statement }, clock()),
    clock,
    // A function of AWS has one change at a time.
    inTurn: (_bounds, change) => change(),
    uncountedWorks: createUncountedWorks(),
    steadyClock: () => performance.now(),
    random: Math.random,
    health: createHealth(pool, objects),
    offers: createKeptOffers(),
    // Commands that cannot be sent now are sent when an agent renews its lease,
    // or by the sweep, which runs every minute.
    relay: () =>
      queue.relay().then(
        () => {},
        (error: unknown) => log('relay_failed', { error }),
      ),
    log,
  };
}
