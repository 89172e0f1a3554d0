// Broadcasts on YouTube (https://developers.google.com/youtube/v3/live/docs/liveBroadcasts).
import * as z from 'zod';
import type { BroadcastDraft, BroadcastPhase, Broadcasts, InsertedBroadcast, ThumbnailImage } from './broadcasts.ts';
import { PlatformRefusal } from './managed-platform.ts';
import { observeYoutube, phaseOfLifeCycle } from './youtube-observation.ts';
import { idsPerCall } from './youtube-request.ts';
import type { AskYoutube } from './youtube-request.ts';
import { setYoutubeTags } from './youtube-videos.ts';

const path = '/youtube/v3/liveBroadcasts';
/** A channel whose broadcasts fill more pages cannot be searched. */
const maxPages = 10;

const inserted = z.object({ id: z.string().min(1) });
const withStatus = z.object({ status: z.object({ lifeCycleStatus: z.string() }) });
const statusList = z.object({ items: z.array(withStatus).default([]) });
const snippetList = z.object({
  items: z
    .array(
      z.object({ id: z.string().min(1), snippet: z.object({ title: z.string(), scheduledStartTime: z.string() }) }),
    )
    .default([]),
  nextPageToken: z.string().optional(),
});

export function youtubeBroadcasts(ask: AskYoutube): Broadcasts {
  return {
    async insert(accessToken, draft) {
      const query = { part: 'id,snippet,status,contentDetails' };
      const { id } = await ask(accessToken, { method: 'POST', path, query, body: resourceOf(draft) }, inserted);
      return referenceTo(id);
    },
    async find(accessToken, draft) {
      const found: InsertedBroadcast[] = [];
      for (const broadcastStatus of ['upcoming', 'active'])
        found.push(...(await findWith(ask, accessToken, broadcastStatus, draft)));
      // A broadcast may have begun between the two requests.
      return [...new Map(found.map((broadcast) => [broadcast.externalID, broadcast])).values()];
    },
    async bind(accessToken, externalID, ingestID) {
      const query = { part: 'id', id: externalID, streamId: ingestID };
      await ask(accessToken, { method: 'POST', path: `${path}/bind`, query }, inserted);
    },
    async update(accessToken, externalID, draft, phase) {
      const { snippet, status, contentDetails } = resourceOf(draft);
      const body = { id: externalID, snippet, status, ...(phase === 'prepared' && { contentDetails }) };
      const query = { part: Object.keys(body).join(',') };
      await ask(accessToken, { method: 'PUT', path, query, body }, inserted);
      if (draft.tags.length > 0) await setYoutubeTags(ask, accessToken, externalID, draft);
    },
    setThumbnail: (accessToken, externalID, image) => setThumbnail(ask, accessToken, externalID, image),
    goLive: (accessToken, externalID) => goLive(ask, accessToken, externalID),
    end: (accessToken, externalID, phase) => end(ask, accessToken, externalID, phase),
    observe: (accessToken, externalIDs) => observeYoutube(ask, accessToken, externalIDs),
  };
}

/** The whole resource: a request replaces each part that it has, and loses fields that it leaves out. */
function resourceOf(draft: BroadcastDraft) {
  return {
    snippet: {
      title: draft.title,
      description: draft.description,
      scheduledStartTime: draft.scheduledStartAt.toISOString(),
      ...(draft.categoryID !== null && { categoryId: draft.categoryID }),
    },
    status: { privacyStatus: draft.privacy, selfDeclaredMadeForKids: draft.madeForKids },
    contentDetails: {
      enableAutoStart: draft.autoStart,
      // An interruption of the media must not end it.
      enableAutoStop: false,
      enableDvr: draft.dvr,
      recordFromStart: true,
      latencyPreference: draft.latency,
      monitorStream: { enableMonitorStream: false, broadcastStreamDelayMs: 0 },
    },
  };
}

function referenceTo(externalID: string): InsertedBroadcast {
  return { externalID, watchURL: `https://www.youtube.com/watch?v=${encodeURIComponent(externalID)}` };
}

async function findWith(
  ask: AskYoutube,
  accessToken: string,
  broadcastStatus: string,
  draft: Pick<BroadcastDraft, 'title' | 'scheduledStartAt'>,
): Promise<InsertedBroadcast[]> {
  const second = (time: Date) => Math.floor(time.getTime() / 1000);
  const found: InsertedBroadcast[] = [];
  let pageToken: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const query = {
      part: 'id,snippet',
      broadcastStatus,
      broadcastType: 'all',
      maxResults: String(idsPerCall),
      ...(pageToken !== undefined && { pageToken }),
    };
    const { items, nextPageToken } = await ask(accessToken, { path, query }, snippetList);
    for (const { id, snippet } of items)
      if (
        snippet.title === draft.title &&
        second(new Date(snippet.scheduledStartTime)) === second(draft.scheduledStartAt)
      )
        found.push(referenceTo(id));
    if (nextPageToken === undefined) return found;
    pageToken = nextPageToken;
  }
  throw new PlatformRefusal('rejected', 'the channel has more broadcasts than we can look through');
}

async function setThumbnail(ask: AskYoutube, accessToken: string, externalID: string, image: ThumbnailImage) {
  const query = { videoId: externalID, uploadType: 'media' };
  const headers = { 'content-type': image.mimeType };
  const upload = {
    method: 'POST',
    path: '/upload/youtube/v3/thumbnails/set',
    query,
    headers,
    body: image.bytes,
  } as const;
  try {
    await ask(accessToken, upload, z.unknown());
  } catch (error) {
    // YouTube makes the video of a broadcast some seconds after the broadcast.
    if (reasonOf(error) === 'videoNotFound')
      throw new PlatformRefusal('unavailable', 'videoNotFound', { cause: error });
    throw error;
  }
}

async function goLive(ask: AskYoutube, accessToken: string, externalID: string) {
  try {
    return (await transition(ask, accessToken, externalID, 'live')) === 'liveStarting' ? 'starting' : 'live';
  } catch (error) {
    if (reasonOf(error) === 'errorStreamInactive') return 'waiting';
    if (reasonOf(error) === 'redundantTransition') return 'live';
    throw error;
  }
}

/** Statuses without any time on air, so that there is nothing to keep. */
const neverLive = new Set(['created', 'ready']);

async function end(ask: AskYoutube, accessToken: string, id: string, phase: BroadcastPhase): Promise<void> {
  // A broadcast that starts by itself may be live although it was prepared at the last look; it must not be deleted.
  const status = phase === 'live' ? 'live' : await lifeCycleStatusOf(ask, accessToken, id);
  try {
    if (status === null || phaseOfLifeCycle(status) === 'ended') return;
    if (neverLive.has(status)) await remove(ask, accessToken, id);
    else await transition(ask, accessToken, id, 'complete');
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === 'redundantTransition' || reason === 'liveBroadcastNotFound') return;
    // A broadcast that is stuck on its way to live cannot be completed.
    if (reason !== 'invalidTransition' || status !== 'liveStarting') throw error;
    await remove(ask, accessToken, id);
  }
}

/** Null if it was deleted. */
async function lifeCycleStatusOf(ask: AskYoutube, accessToken: string, id: string): Promise<string | null> {
  const { items } = await ask(accessToken, { path, query: { part: 'status', id, broadcastType: 'all' } }, statusList);
  return items[0]?.status.lifeCycleStatus ?? null;
}

async function transition(ask: AskYoutube, accessToken: string, id: string, broadcastStatus: 'live' | 'complete') {
  const query = { part: 'status', id, broadcastStatus };
  const { status } = await ask(accessToken, { method: 'POST', path: `${path}/transition`, query }, withStatus);
  return status.lifeCycleStatus;
}

async function remove(ask: AskYoutube, accessToken: string, id: string): Promise<void> {
  await ask(accessToken, { method: 'DELETE', path, query: { id } }, z.unknown());
}

function reasonOf(error: unknown): string | null {
  return error instanceof PlatformRefusal ? error.reason : null;
}
