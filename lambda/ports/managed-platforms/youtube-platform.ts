// YouTube as a managed platform, by its Data API v3 (https://developers.google.com/youtube/v3/live/docs).
import * as z from 'zod';
import type { PlatformCall } from './broadcasts.ts';
import type { Channel, ManagedPlatform } from './managed-platform.ts';
import { PlatformRefusal } from './managed-platform.ts';
import { oauthGrants } from './oauth-grant.ts';
import { youtubeBroadcasts } from './youtube-broadcasts.ts';
import { ensureYoutubeIngest } from './youtube-ingests.ts';
import { youtubeRequests } from './youtube-request.ts';
import { youtubeAudience } from './youtube-videos.ts';

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

/**
 * What calls take of the 10,000 units of a project's day. Google's table of costs has no rows for live streaming; 50
 * for what writes and 1 for what reads is the rule in “Getting started”. A call of ours may be more than one request:
 * - ensureIngest: it looks for the ingest, and makes it; 1 where it is there.
 * - find: upcoming ones and live ones, 50 on a page.
 * - end: it looks first, unless the broadcast is known to be live; 100 for one that is stuck.
 * - update: 101 with tags.
 * - observe: 50 broadcasts, and their ingests. audience: 50 broadcasts.
 */
const youtubeUnits: Readonly<Record<PlatformCall, number>> = {
  ensureIngest: 51,
  insert: 50,
  bind: 50,
  find: 2,
  goLive: 50,
  end: 51,
  update: 50,
  thumbnail: 50,
  describe: 0,
  observe: 2,
  audience: 1,
  delete: 50,
};

export function createYoutubePlatform(options: YoutubeOptions): ManagedPlatform {
  const { clientID, clientSecret, origins = googleOrigins, clock } = options;
  const ask = youtubeRequests(origins.api);
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
    units: youtubeUnits,
    ensureIngest: (accessToken, request) => ensureYoutubeIngest(ask, accessToken, request),
    broadcasts: youtubeBroadcasts(ask),
    describe: null,
    audience: (accessToken, ids) => youtubeAudience(ask, accessToken, ids),
    subscribe: null,
    readEvent: null,
  };
}
