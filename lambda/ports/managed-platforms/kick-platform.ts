// Kick as a managed platform, by its public API (https://docs.kick.com).
import { describeKickChannel, kickAudience, kickIngest } from './kick-channel.ts';
import { createKickConsents, kickOrigins } from './kick-consents.ts';
import type { KickOptions } from './kick-consents.ts';
import { kickEvents, subscribeToKick } from './kick-events.ts';
import { kickRequests } from './kick-request.ts';
import type { ManagedPlatform } from './managed-platform.ts';
import { uncountedUnits } from './uncounted-units.ts';

export function createKickPlatform(options: KickOptions): ManagedPlatform {
  const { origins = kickOrigins, clock } = options;
  const ask = kickRequests(origins.api);
  return {
    ...createKickConsents(options),
    units: uncountedUnits,
    ensureIngest: (accessToken) => kickIngest(ask, accessToken),
    broadcasts: null,
    describe: (accessToken, description) => describeKickChannel(ask, accessToken, description),
    audience: (accessToken, ids) => kickAudience(ask, accessToken, ids),
    subscribe: (accessToken, subscription) => subscribeToKick(ask, accessToken, subscription),
    readEvent: kickEvents(origins.api, clock),
  };
}
