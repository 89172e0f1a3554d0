// YouTube as a managed platform, by its Data API v3 (https://developers.google.com/youtube/v3/live/docs).
import * as z from 'zod';
import type { Channel, ManagedPlatform } from './managed-platform.ts';
import { PlatformRefusal } from './managed-platform.ts';
import { oauthGrants } from './oauth-grant.ts';
import { askPlatform } from './platform-request.ts';
import { readYoutubeRefusal } from './youtube-refusals.ts';

export interface YoutubeOptions {
  readonly clientID: string;
  readonly clientSecret: string;
  /** In place of Google's, where something stands in for YouTube. */
  readonly origins?: { readonly consent: string; readonly token: string; readonly api: string };
  readonly clock: () => Date;
}

const googleOrigins = {
  consent: 'https://accounts.google.com',
  token: 'https://oauth2.googleapis.com',
  api: 'https://youtube.googleapis.com',
};

const channelList = z.object({
  items: z.array(z.object({ id: z.string().min(1), snippet: z.object({ title: z.string() }) })).default([]),
});

export function createYoutubePlatform(options: YoutubeOptions): ManagedPlatform {
  const { clientID, clientSecret, origins = googleOrigins, clock } = options;
  return {
    name: 'youtube',
    title: 'YouTube',
    ...oauthGrants({
      clientID,
      clientSecret,
      endpoints: {
        authorize: `${origins.consent}/o/oauth2/v2/auth`,
        token: `${origins.token}/token`,
        revoke: `${origins.token}/revoke`,
      },
      // This scope alone covers every call that we make, as the discovery document of the API says.
      scopes: ['https://www.googleapis.com/auth/youtube.force-ssl'],
      // Google gives a refresh token only for `offline`, and a second one only after `consent`.
      authorizeParameters: { access_type: 'offline', prompt: 'consent', include_granted_scopes: 'true' },
      hasPKCE: true,
      clock,
    }),
    async channel(accessToken): Promise<Channel> {
      const url = new URL(`${origins.api}/youtube/v3/channels`);
      url.search = new URLSearchParams({ part: 'id,snippet', mine: 'true' }).toString();
      const headers = { authorization: `Bearer ${accessToken}` };
      const { items } = await askPlatform(url, { headers }, channelList, readYoutubeRefusal);
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
