// Ingests on YouTube, called live streams: one for each stream of ours, reused for each broadcast.
import * as z from 'zod';
import type { Ingest, IngestRequest } from './broadcasts.ts';
import { PlatformRefusal } from './managed-platform.ts';
import { idsPerCall } from './youtube-request.ts';
import type { AskYoutube } from './youtube-request.ts';

const path = '/youtube/v3/liveStreams';
const part = 'id,snippet,cdn';
/** Only a faulty program makes more ingests than fit on these pages. */
const maxPages = 10;

const address = z.string().regex(/^rtmps?:\/\//);
const liveStream = z.object({
  id: z.string().min(1),
  snippet: z.object({ title: z.string() }),
  cdn: z.object({
    ingestionInfo: z.object({
      streamName: z.string().min(1),
      ingestionAddress: address,
      backupIngestionAddress: address.optional(),
      rtmpsIngestionAddress: address.optional(),
      rtmpsBackupIngestionAddress: address.optional(),
    }),
  }),
});
type LiveStream = z.output<typeof liveStream>;
/** The owner's ingests of other kinds have other addresses; they are skipped. */
const list = z.object({ items: z.array(z.unknown()).default([]), nextPageToken: z.string().optional() });

export async function ensureYoutubeIngest(
  ask: AskYoutube,
  accessToken: string,
  { heldID, label }: IngestRequest,
): Promise<Ingest> {
  const held = heldID === null ? null : await findHeld(ask, accessToken, heldID);
  // An ingest whose creation was not answered already has its label.
  return ingestOf(held ?? (await findLabelled(ask, accessToken, label)) ?? (await insert(ask, accessToken, label)));
}

async function findHeld(ask: AskYoutube, accessToken: string, id: string): Promise<LiveStream | null> {
  const { items } = await ask(accessToken, { path, query: { part, id } }, list);
  return readAll(items)[0] ?? null;
}

async function findLabelled(ask: AskYoutube, accessToken: string, label: string): Promise<LiveStream | null> {
  let pageToken: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const query = { part, mine: 'true', maxResults: String(idsPerCall), ...(pageToken && { pageToken }) };
    const { items, nextPageToken } = await ask(accessToken, { path, query }, list);
    const found = readAll(items).find(({ snippet }) => snippet.title === label);
    if (found) return found;
    if (nextPageToken === undefined) return null;
    pageToken = nextPageToken;
  }
  throw new PlatformRefusal('rejected', 'the channel has more stream keys than we can look through');
}

function insert(ask: AskYoutube, accessToken: string, label: string): Promise<LiveStream> {
  const body = {
    snippet: { title: label },
    // These cannot be changed later, and the quality of a stream can.
    cdn: { ingestionType: 'rtmp', resolution: 'variable', frameRate: 'variable' },
    contentDetails: { isReusable: true },
  };
  const query = { part: `${part},contentDetails` };
  return ask(accessToken, { method: 'POST', path, query, body }, liveStream);
}

function readAll(items: readonly unknown[]): LiveStream[] {
  return items.flatMap((item) => liveStream.safeParse(item).data ?? []);
}

function ingestOf({ id, cdn: { ingestionInfo: info } }: LiveStream): Ingest {
  return {
    externalID: id,
    url: info.rtmpsIngestionAddress ?? info.ingestionAddress,
    backupURL: info.rtmpsBackupIngestionAddress ?? info.backupIngestionAddress ?? null,
    key: info.streamName,
  };
}
