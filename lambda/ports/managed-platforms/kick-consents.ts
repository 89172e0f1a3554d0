// Consent of a channel's owner on Kick (https://docs.kick.com/getting-started/generating-tokens-oauth2-flow).
import * as z from 'zod';
import { kickRequests } from './kick-request.ts';
import type { Channel, ConsentPlatform } from './managed-platform.ts';
import { PlatformRefusal } from './managed-platform.ts';
import { oauthGrants } from './oauth-grant.ts';
import type { OAuthClient } from './oauth-dialect.ts';

export interface KickOptions extends OAuthClient {
  /** Replaces Kick's own origins by those of a stand-in. */
  readonly origins?: { readonly auth: string; readonly api: string };
}

export const kickOrigins = { auth: 'https://id.kick.com', api: 'https://api.kick.com' };

const channelList = z.object({ data: z.array(z.object({ broadcaster_user_id: z.int(), slug: z.string().min(1) })) });

export function createKickConsents(options: KickOptions): ConsentPlatform {
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
  };
}
