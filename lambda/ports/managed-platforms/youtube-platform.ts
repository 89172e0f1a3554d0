// YouTube as a managed platform, by its Data API v3 (https://developers.google.com/youtube/v3/live/docs).
import type { PlatformCall } from './broadcasts.ts';
import type { ManagedPlatform } from './managed-platform.ts';
import { youtubeBroadcasts } from './youtube-broadcasts.ts';
import { createYoutubeConsents, googleOrigins } from './youtube-consents.ts';
import type { YoutubeOptions } from './youtube-consents.ts';
import { ensureYoutubeIngest } from './youtube-ingests.ts';
import { youtubeRequests } from './youtube-request.ts';
import { youtubeAudience } from './youtube-videos.ts';

/**
 * Units of calls, of the project's 10,000 a day. Google's table of costs has no rows for live streaming; the rule in
 * “Getting started” is 50 for a write and 1 for a read. A call of ours may be several requests:
 * - ensureIngest: a search and an insert; 1 if the ingest exists.
 * - find: upcoming and live ones, 50 on a page.
 * - end: a read first, unless the broadcast is known to be live; 100 for one that is stuck.
 * - update: 101 with tags.
 * - observe: 50 broadcasts and their ingests. audience: 50 broadcasts.
 */
export const youtubeUnits: Readonly<Record<PlatformCall, number>> = {
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
  const ask = youtubeRequests((options.origins ?? googleOrigins).api);
  return {
    ...createYoutubeConsents(options),
    units: youtubeUnits,
    ensureIngest: (accessToken, request) => ensureYoutubeIngest(ask, accessToken, request),
    broadcasts: youtubeBroadcasts(ask),
    describe: null,
    audience: (accessToken, ids) => youtubeAudience(ask, accessToken, ids),
    subscribe: null,
    readEvent: null,
  };
}
