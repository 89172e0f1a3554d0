// A broadcast on YouTube as a video: its viewers, and its tags, which the broadcast itself lacks.
import * as z from 'zod';
import type { Audience, BroadcastDraft } from './broadcasts.ts';
import { PlatformRefusal } from './managed-platform.ts';
import { inCalls } from './youtube-request.ts';
import type { AskYoutube } from './youtube-request.ts';

const path = '/youtube/v3/videos';

const audienceList = z.object({
  items: z
    .array(
      z.object({
        id: z.string().min(1),
        snippet: z.object({ liveBroadcastContent: z.string().optional() }).default({}),
        liveStreamingDetails: z.object({ concurrentViewers: z.coerce.number().int().optional() }).default({}),
      }),
    )
    .default([]),
});

/** @param ids ids of broadcasts, on any channels */
export async function youtubeAudience(
  ask: AskYoutube,
  accessToken: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Audience>> {
  const audience = new Map<string, Audience>();
  for (const part of inCalls(ids)) {
    const query = { part: 'id,snippet,liveStreamingDetails', id: part.join(',') };
    const { items } = await ask(accessToken, { path, query }, audienceList);
    for (const { id, snippet, liveStreamingDetails } of items) {
      const content = snippet.liveBroadcastContent;
      audience.set(id, {
        live: content === undefined ? null : content === 'live',
        // YouTube leaves it out if there are no viewers, or if the owner hides it.
        viewers: liveStreamingDetails.concurrentViewers ?? null,
      });
    }
  }
  return audience;
}

const categoryList = z.object({
  items: z.array(z.object({ snippet: z.object({ categoryId: z.string() }) })).default([]),
});

/** A request replaces the whole snippet, and needs a category: the video always has one. */
export async function setYoutubeTags(
  ask: AskYoutube,
  accessToken: string,
  id: string,
  { title, description, categoryID, tags }: BroadcastDraft,
): Promise<void> {
  const { items } = await ask(accessToken, { path, query: { part: 'snippet', id } }, categoryList);
  const [video] = items;
  if (!video) throw new PlatformRefusal('unavailable', 'videoNotFound');
  const snippet = { title, description, tags, categoryId: categoryID ?? video.snippet.categoryId };
  await ask(accessToken, { method: 'PUT', path, query: { part: 'snippet' }, body: { id, snippet } }, z.unknown());
}
