// Broadcasts as videos, their thumbnails, and channels (https://developers.google.com/youtube/v3/docs).
import { createHash } from 'node:crypto';
import { idsOf, pageOf, partsOf } from './api-call.ts';
import type { ApiCall, World } from './api-call.ts';
import { isOnAir } from './life-cycle.ts';
import { Refused } from './refused.ts';
import type { Fields, KeptBroadcast } from './state.ts';

type Method = (call: ApiCall) => Fields | null;

/** The channels of the only user of this machine. */
export const standInChannels = [
  { id: 'UC-local-loops', title: 'YouTube (local)' },
  { id: 'UC-local-second', title: 'Second channel (local)' },
] as const;

const maxThumbnailBytes = 50 * 1024 * 1024;
const imageTypes = new Set(['image/jpeg', 'image/png', 'application/octet-stream']);
/** The first bytes of JPEG and PNG files. */
const signatures = ['ffd8ff', '89504e470d0a1a0a'];

export const videoMethods: Readonly<Record<string, Method>> = {
  'youtube.videos.list': ({ query, parts, world }) => {
    if (!query.has('id')) throw new Refused('invalidFilters', 'Only ids are known here.');
    const ids = idsOf(query);
    // Videos of any channel, as far as they are public; the owner's grant is not needed.
    const videos = world.broadcasts.filter((broadcast) => ids.includes(broadcast.id) && isThere(broadcast, world));
    return pageOf('youtube#videoListResponse', videos, query, (video) => present(video, parts, world.now));
  },

  'youtube.videos.update': ({ channelID, body, parts, world }) => {
    const video = videoOf(world, channelID, body.id ?? null);
    const { snippet } = body;
    if (snippet) {
      if (snippet['title'] === undefined) throw new Refused('invalidTitle');
      if (snippet['categoryId'] === undefined) throw new Refused('invalidCategoryId');
      const { title, description = '', categoryId, tags = [] } = snippet;
      if (!Array.isArray(tags) || tags.join('').length > 500) throw new Refused('invalidTags');
      video.snippet = { ...video.snippet, title, description, categoryId };
      video.tags = tags as string[];
    }
    return present(video, parts, world.now);
  },

  'youtube.thumbnails.set': ({ channelID, query, media, world }) => {
    const video = videoOf(world, channelID, query.get('videoId'));
    if (media.bytes.length === 0) throw new Refused('mediaBodyRequired');
    const beginning = Buffer.from(media.bytes.subarray(0, 8)).toString('hex');
    const isImage = imageTypes.has(media.mimeType) && signatures.some((signature) => beginning.startsWith(signature));
    if (!isImage || media.bytes.length > maxThumbnailBytes) throw new Refused('invalidImage');
    video.hasThumbnail = true;
    return { kind: 'youtube#thumbnailSetResponse', items: [thumbnailsOf(video)] };
  },

  'youtube.channels.list': ({ channelID, query, parts }) => {
    if (query.get('mine') !== 'true') throw new Refused('invalidFilters', 'Only one’s own channel is known here.');
    const mine = standInChannels.filter(({ id }) => id === channelID);
    return pageOf('youtube#channelListResponse', mine, query, ({ id, title }) =>
      partsOf('youtube#channel', { id, snippet: { title, description: '' }, contentDetails: {}, status: {} }, parts),
    );
  },
};

/** The video of a broadcast appears a little later than the broadcast. */
function isThere(broadcast: KeptBroadcast, world: World): boolean {
  return broadcast.insertedAt + world.settings.videoMs <= world.now;
}

/** @throws {Refused} */
function videoOf(world: World, channelID: string, id: string | null): KeptBroadcast {
  const found = world.broadcasts.find((broadcast) => broadcast.id === id && broadcast.channelID === channelID);
  if (!found || !isThere(found, world)) throw new Refused('videoNotFound');
  return found;
}

/** An arbitrary number of viewers, which changes every minute and is equal for all callers. */
export function viewersOf({ id }: KeptBroadcast, now: number): number {
  const minute = Math.floor(now / 60_000);
  return 3 + (createHash('sha256').update(`${id} ${minute}`).digest()[0]! % 40);
}

function present(video: KeptBroadcast, parts: readonly string[], now: number): Fields {
  const { id, channelID, insertedAt, snippet, status, tags, actualStartAt, actualEndAt } = video;
  const iso = (time: number | null) => (time === null ? undefined : new Date(time).toISOString());
  const resource = {
    id,
    snippet: {
      title: snippet['title'],
      description: snippet['description'] ?? '',
      // “People & Blogs”, YouTube's own choice.
      categoryId: snippet['categoryId'] ?? '22',
      ...(tags.length > 0 && { tags }),
      channelId: channelID,
      publishedAt: iso(insertedAt),
      thumbnails: thumbnailsOf(video),
      liveBroadcastContent: isOnAir(video) ? 'live' : actualEndAt === null ? 'upcoming' : 'none',
    },
    status: { privacyStatus: status['privacyStatus'], uploadStatus: 'uploaded' },
    statistics: {},
    contentDetails: {},
    liveStreamingDetails: {
      scheduledStartTime: snippet['scheduledStartTime'],
      actualStartTime: iso(actualStartAt),
      actualEndTime: iso(actualEndAt),
      ...(video.lifeCycle === 'live' && { concurrentViewers: String(viewersOf(video, now)) }),
    },
  };
  return partsOf('youtube#video', resource, parts);
}

function thumbnailsOf({ id, hasThumbnail }: KeptBroadcast): Fields {
  return { default: { url: `https://i.ytimg.com/vi/${id}/${hasThumbnail ? 'custom' : 'default'}_live.jpg` } };
}
