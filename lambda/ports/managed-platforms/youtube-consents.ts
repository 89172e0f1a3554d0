// Consent of a channel's owner on YouTube (https://developers.google.com/identity/protocols/oauth2).
import * as z from 'zod';
import type { Channel, ConsentPlatform } from './managed-platform.ts';
import { PlatformRefusal } from './managed-platform.ts';
import { oauthGrants } from './oauth-grant.ts';
import { youtubeRequests } from './youtube-request.ts';
import type { OAuthClient } from './oauth-dialect.ts';

export interface YoutubeOptions extends OAuthClient {
  /** Replaces Google's origins by those of a stand-in. */
  readonly origins?: { readonly consent: string; readonly token: string; readonly api: string };
  /** 7 while the client's consent screen at Google is in testing: grants end after so many days. */
  readonly grantDays?: number | undefined;
}

export const googleOrigins = {
  consent: 'https://accounts.google.com',
  token: 'https://oauth2.googleapis.com',
  api: 'https://youtube.googleapis.com',
};

const channelList = z.object({
  items: z.array(z.object({ id: z.string().min(1), snippet: z.object({ title: z.string() }) })).default([]),
});

export function createYoutubeConsents(options: YoutubeOptions): ConsentPlatform {
  const { clientID, clientSecret, origins = googleOrigins, clock } = options;
  const ask = youtubeRequests(origins.api);
  return {
    name: 'youtube',
    title: 'YouTube',
    grantDays: options.grantDays,
    ...oauthGrants({
      clientID,
      clientSecret,
      endpoints: {
        authorize: `${origins.consent}/o/oauth2/v2/auth`,
        token: `${origins.token}/token`,
        revoke: `${origins.token}/revoke`,
      },
      // This scope alone covers all our calls, by the discovery document of the API.
      scopes: ['https://www.googleapis.com/auth/youtube.force-ssl'],
      // Google gives a refresh token only for `offline`, and a second one only after `consent`.
      authorizeParameters: { access_type: 'offline', prompt: 'consent', include_granted_scopes: 'true' },
      hasPKCE: true,
      clock,
    }),
    async channel(accessToken): Promise<Channel> {
      const query = { part: 'id,snippet', mine: 'true' };
      const { items } = await ask(accessToken, { path: '/youtube/v3/channels', query }, channelList);
      const [channel] = items;
      if (!channel) throw new PlatformRefusal('live_not_enabled', 'the account has no channel');
      return {
        accountID: channel.id,
        title: channel.snippet.title,
        liveURL: `https://www.youtube.com/channel/${channel.id}/live`,
      };
    },
  };
}
