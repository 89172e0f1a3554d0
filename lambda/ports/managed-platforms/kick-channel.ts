// A channel on Kick: its key, ingest, title and viewers.
import * as z from 'zod';
import type { Audience, ChannelDescription, Ingest } from './broadcasts.ts';
import type { AskKick } from './kick-request.ts';
import { PlatformRefusal } from './managed-platform.ts';

const ingestOfChannel = z.object({
  data: z
    .array(z.object({ stream: z.object({ url: z.string().regex(/^rtmps?:\/\//), key: z.string().min(1) }).nullish() }))
    .min(1),
});

/** The answer has the key only if the grant has `streamkey:read`. */
export async function kickIngest(ask: AskKick, accessToken: string): Promise<Ingest> {
  const { data } = await ask(accessToken, '/channels', ingestOfChannel);
  const stream = data[0]!.stream;
  if (!stream) throw new PlatformRefusal('live_not_enabled', 'the channel has no stream key');
  const url = new URL(stream.url);
  // Kick's ingest is Amazon IVS', which has this application. Kick does not document whether its addresses include it.
  if (url.pathname === '' || url.pathname === '/') url.pathname = '/app';
  return { externalID: null, url: url.href, backupURL: null, key: stream.key };
}

/** “Update livestream metadata”: ten at most. */
const mostTags = 10;

export async function describeKickChannel(
  ask: AskKick,
  accessToken: string,
  { title, categoryID, tags }: ChannelDescription,
): Promise<void> {
  const category = Number(categoryID ?? undefined);
  const body = {
    stream_title: title,
    ...(Number.isSafeInteger(category) && { category_id: category }),
    custom_tags: tags.slice(0, mostTags),
  };
  await ask(accessToken, '/channels', z.unknown(), { method: 'PATCH', body });
}

const idsPerCall = 50;
const channelList = z.object({
  data: z.array(
    z.object({
      broadcaster_user_id: z.int(),
      stream: z.object({ is_live: z.boolean().optional(), viewer_count: z.int().nonnegative().optional() }).nullish(),
    }),
  ),
});

/** @param ids ids of accounts */
export async function kickAudience(
  ask: AskKick,
  accessToken: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Audience>> {
  const audience = new Map<string, Audience>();
  for (let from = 0; from < ids.length; from += idsPerCall) {
    const asked = ids.slice(from, from + idsPerCall).map((id) => ['broadcaster_user_id', id]);
    const { data } = await ask(accessToken, `/channels?${new URLSearchParams(asked).toString()}`, channelList);
    for (const { broadcaster_user_id: id, stream } of data) {
      const live = stream?.is_live ?? null;
      // Kick reports 0 for a channel that is not live.
      audience.set(String(id), { live, viewers: live === true ? (stream?.viewer_count ?? null) : null });
    }
  }
  return audience;
}
