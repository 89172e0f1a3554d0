// Consent of a channel's owner on Twitch (https://dev.twitch.tv/docs/authentication).
import * as z from 'zod';
import type { Channel, ConsentPlatform } from './managed-platform.ts';
import { PlatformRefusal } from './managed-platform.ts';
import { oauthGrants } from './oauth-grant.ts';
import { twitchRequests } from './twitch-request.ts';
import type { OAuthClient } from './oauth-dialect.ts';

export interface TwitchOptions extends OAuthClient {
  /** Replaces Twitch's own origins by those of a stand-in. `auth` includes a path if it has one. */
  readonly origins?: { readonly auth: string; readonly api: string; readonly ingests: string };
}

export const twitchOrigins = {
  auth: 'https://id.twitch.tv/oauth2',
  api: 'https://api.twitch.tv/helix',
  ingests: 'https://ingest.twitch.tv',
};

const userList = z.object({
  data: z.array(z.object({ id: z.string().min(1), login: z.string().min(1), display_name: z.string() })),
});

export function createTwitchConsents(options: TwitchOptions): ConsentPlatform {
  const { clientID, clientSecret, origins = twitchOrigins, clock } = options;
  const ask = twitchRequests(origins.api, clientID);
  return {
    name: 'twitch',
    title: 'Twitch',
    ...oauthGrants({
      clientID,
      clientSecret,
      endpoints: {
        authorize: `${origins.auth}/authorize`,
        token: `${origins.auth}/token`,
        revoke: `${origins.auth}/revoke`,
      },
      scopes: ['channel:read:stream_key', 'channel:manage:broadcast'],
      // Otherwise Twitch takes the signed-in account, although the user may want to connect another channel.
      authorizeParameters: { force_verify: 'true' },
      hasPKCE: false,
      clock,
    }),
    async channel(accessToken): Promise<Channel> {
      const { data } = await ask(accessToken, '/users', new URLSearchParams(), userList);
      const [user] = data;
      if (!user) throw new PlatformRefusal('grant_revoked', 'the grant is for no user');
      return { accountID: user.id, title: user.display_name, liveURL: `https://www.twitch.tv/${user.login}` };
    },
  };
}
