// Twitch as a managed platform, by Helix (https://dev.twitch.tv/docs/api/reference).
import type { ManagedPlatform } from './managed-platform.ts';
import { describeTwitchChannel, twitchAudience, twitchIngest } from './twitch-channel.ts';
import { createTwitchConsents, twitchOrigins } from './twitch-consents.ts';
import type { TwitchOptions } from './twitch-consents.ts';
import { readTwitchEvent, twitchEventSecret } from './twitch-events.ts';
import { twitchRequests } from './twitch-request.ts';
import { subscribeToTwitch } from './twitch-subscriptions.ts';
import { uncountedUnits } from './uncounted-units.ts';

export function createTwitchPlatform(options: TwitchOptions): ManagedPlatform {
  const { clientID, clientSecret, origins = twitchOrigins, clock } = options;
  const ask = twitchRequests(origins.api, clientID);
  return {
    ...createTwitchConsents(options),
    units: uncountedUnits,
    ensureIngest: (accessToken, { accountID }) =>
      twitchIngest(ask, accessToken, { accountID, ingestsURL: `${origins.ingests}/ingests` }),
    broadcasts: null,
    describe: (accessToken, description) => describeTwitchChannel(ask, accessToken, description),
    audience: (accessToken, ids) => twitchAudience(ask, accessToken, ids),
    subscribe: (_accessToken, subscription) => subscribeToTwitch({ clientID, clientSecret, origins }, subscription),
    readEvent: async (request) => readTwitchEvent(request, twitchEventSecret(clientSecret), clock()),
  };
}
