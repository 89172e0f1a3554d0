// Kick as a managed platform, by its public API (https://docs.kick.com).
import * as z from 'zod';
import { describeKickChannel, kickAudience, kickIngest, kickRequests } from './kick-channel.ts';
import { kickEvents, subscribeToKick } from './kick-events.ts';
import type { Channel, ManagedPlatform } from './managed-platform.ts';
import { PlatformRefusal } from './managed-platform.ts';
import { oauthGrants } from './oauth-grant.ts';
import { uncountedUnits } from './uncounted-units.ts';

export interface KickOptions {
  readonly clientID: string;
  readonly clientSecret: string;
  /** In place of Kick's own, where something stands in for it. */
  readonly origins?: { readonly auth: string; readonly api: string };
  readonly clock: () => Date;
}

const kickOrigins = { auth: 'https://id.kick.com', api: 'https://api.kick.com' };

const channelList = z.object({ data: z.array(z.object({ broadcaster_user_id: z.int(), slug: z.string().min(1) })) });

export function createKickPlatform(options: KickOptions): ManagedPlatform {
  const { clientID, clientSecret, origins = kickOrigins, clock } = options;
  const ask = kickRequests(origins.api);
  return {
    name: 'kick',
    title: 'Kick',
    ...oauthGrants({
      clientID,
      clientSecret,
      endpoints: {
        authorize: `${origins.auth}/oauth/authorize`,
        token: `${origins.auth}/oauth/token`,
        revoke: `${origins.auth}/oauth/revoke`,
      },
      scopes: ['user:read', 'channel:read', 'channel:write', 'streamkey:read', 'events:subscribe'],
      authorizeParameters: {},
      hasPKCE: true,
      clock,
    }),
    async channel(accessToken): Promise<Channel> {
      const { data } = await ask(accessToken, '/channels', channelList);
      const [channel] = data;
      if (!channel) throw new PlatformRefusal('live_not_enabled', 'the account has no channel');
      const { broadcaster_user_id: userID, slug } = channel;
      return { accountID: String(userID), title: slug, liveURL: `https://kick.com/${encodeURIComponent(slug)}` };
    },
    units: uncountedUnits,
    ensureIngest: (accessToken) => kickIngest(ask, accessToken),
    broadcasts: null,
    describe: (accessToken, description) => describeKickChannel(ask, accessToken, description),
    audience: (accessToken, ids) => kickAudience(ask, accessToken, ids),
    subscribe: (accessToken, subscription) => subscribeToKick(ask, accessToken, subscription),
    readEvent: kickEvents(origins.api, clock),
  };
}
