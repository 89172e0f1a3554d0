// A channel on Twitch: its key, ingest, title and viewers.
import * as z from 'zod';
import type { Audience, ChannelDescription, Ingest } from './broadcasts.ts';
import { PlatformRefusal } from './managed-platform.ts';
import { askPlatform, readPlainRefusal } from './platform-request.ts';
import type { AskTwitch } from './twitch-request.ts';

const keyList = z.object({ data: z.array(z.object({ stream_key: z.string().min(1) })).min(1) });
const template = z.string().regex(/^rtmps?:\/\/.*\{stream_key\}/);
const ingestList = z.object({
  ingests: z
    .array(
      z.object({
        priority: z.number().default(0),
        url_template: template,
        url_template_secure: template.optional(),
      }),
    )
    .min(1),
});

/** @param ingestsURL Twitch's list of ingests, the nearest to the client first */
export async function twitchIngest(
  ask: AskTwitch,
  accessToken: string,
  { accountID, ingestsURL }: { readonly accountID: string; readonly ingestsURL: string },
): Promise<Ingest> {
  const query = new URLSearchParams({ broadcaster_id: accountID });
  const { data } = await ask(accessToken, '/streams/key', query, keyList);
  const { ingests } = await askPlatform(new URL(ingestsURL), { headers: {} }, ingestList, readPlainRefusal);
  const [nearest] = ingests.toSorted((one, other) => one.priority - other.priority);
  const { url_template: plain, url_template_secure: secure } = nearest!;
  const [url] = (secure ?? plain).split(/\/?\{stream_key\}/);
  return { externalID: null, url: url!, backupURL: null, key: data[0]!.stream_key };
}

const longestTitle = 140;
/** “Modify Channel Information”: ten tags at most, each of 25 characters, without spaces or special characters. */
const mostTags = 10;
const longestTag = 25;

/** “0” removes the game; a tag is letters and digits of any language. */
export async function describeTwitchChannel(
  ask: AskTwitch,
  accessToken: string,
  { accountID, title, categoryID, tags }: ChannelDescription,
): Promise<void> {
  if (!title) throw new PlatformRefusal('rejected', 'a title is needed');
  const taken = tags
    .map((tag) => tag.replaceAll(/[^\p{L}\p{M}\p{N}]/gu, ''))
    .filter((tag) => tag !== '' && tag.length <= longestTag);
  const body = {
    title: title.slice(0, longestTitle),
    game_id: categoryID ?? '0',
    tags: [...new Set(taken)].slice(0, mostTags),
  };
  const query = new URLSearchParams({ broadcaster_id: accountID });
  await ask(accessToken, '/channels', query, z.unknown(), { method: 'PATCH', body });
}

const idsPerCall = 100;
const streamList = z.object({
  data: z.array(z.object({ user_id: z.string(), viewer_count: z.int().nonnegative().optional() })),
});

/** @param ids ids of accounts. An account that Twitch does not list is not live. */
export async function twitchAudience(
  ask: AskTwitch,
  accessToken: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Audience>> {
  const audience = new Map<string, Audience>(ids.map((id) => [id, { live: false, viewers: null }]));
  for (let from = 0; from < ids.length; from += idsPerCall) {
    const query = new URLSearchParams(ids.slice(from, from + idsPerCall).map((id) => ['user_id', id]));
    // Without it the answer has 20 at most.
    query.set('first', String(idsPerCall));
    const { data } = await ask(accessToken, '/streams', query, streamList);
    for (const { user_id: id, viewer_count: viewers } of data)
      audience.set(id, { live: true, viewers: viewers ?? null });
  }
  return audience;
}
