// Public guides of streams by link: the title and upcoming items, without any identifier of a user.
// Only the address of artwork has the hash of a file, as objects are named by their content.
import { databaseOn } from '../data/database.ts';
import type { Database } from '../data/database.ts';
import type { LinkedStream } from '../data/playout/guide-links.ts';
import { artworkContents, artworkKey } from '../domain/media/content-pictures.ts';
import { withItemOver } from '../domain/live/live-guide.ts';
import { guideDocuments } from '../operations/streams/guide-link.ts';
import type { GuideDocument } from '../operations/streams/guide-link.ts';
import { presentTakeoverOf } from '../orchestration/live/present-takeover.ts';
import type { ObjectStore } from '../ports/object-store/object-store.ts';
import { admit } from '../surfaces/admission/admit.ts';
import { quotaHeaders } from '../surfaces/admission/rate-limits.ts';
import { problemResponse } from '../surfaces/problem-response.ts';
import type { RestHandler } from '../surfaces/rest/rest-handler.ts';
import type { Service } from '../surfaces/service.ts';
import { answerGuest, tokenOfRequests } from './guide-requests.ts';
import { calendarOf, jsonOf, nowAndNext, nowJSONOf, nowTextOf, xmltvOf } from './guide-documents.ts';
import type { Guide, GuideItem } from './guide-documents.ts';
import { createKeptGuides } from './kept-guides.ts';
import type { KeptGuides, KeptGuideItem } from './kept-guides.ts';

const artworkURLSeconds = 900;
const isGuide = new RegExp(`^/guides/([\\w-]+)(${guideDocuments.map((name) => RegExp.escape(name)).join('|')})$`);
const headers = { 'access-control-allow-origin': '*' };
/** Players ask repeatedly. A cached answer stays true, because the next items are known long ahead. */
const maxAgeSeconds = 30;

interface GuideWriter {
  readonly mediaType: string;
  readonly write: (guide: Guide) => string;
  /** Whether it contains only the current and the next item. */
  readonly isOfNow?: boolean;
}

const documents: Readonly<Record<GuideDocument, GuideWriter>> = {
  '.json': { mediaType: 'application/json', write: jsonOf },
  '.xml': { mediaType: 'application/xml; charset=utf-8', write: xmltvOf },
  '.ics': { mediaType: 'text/calendar; charset=utf-8', write: calendarOf },
  '/now.json': { mediaType: 'application/json', write: nowJSONOf, isOfNow: true },
  '/now.txt': { mediaType: 'text/plain; charset=utf-8', write: nowTextOf, isOfNow: true },
};

/**
 * Answers requests with the token of a link, at the rate limit of requests without a credential. `rest` handles all
 * other requests, and answers that a link does not exist.
 */
export function withGuides(rest: RestHandler, service: Service): RestHandler {
  const { pathname: basePath } = new URL(service.baseURL);
  const guides = createKeptGuides(service);
  return async (request, address) => {
    const { pathname } = new URL(request.url);
    const path = pathname.startsWith(basePath) ? pathname.slice(basePath.length) : '';
    const asked = tokenOfRequests(path);
    if (asked !== undefined) return answerGuest(rest, service, { request, address, token: asked });
    const [, token, name] = isGuide.exec(path) ?? [];
    if (token === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) return rest(request, address);
    try {
      const data = databaseOn(service.pool);
      const linked = await data.guideLinks.find(token);
      // `rest` counts requests with a wrong token.
      if (linked === null) return await rest(request, address);
      const { headers, method } = request;
      const { refusal, quota } = await admit(service, { operation: null, headers, method, address });
      const response = refusal
        ? problemResponse(service, refusal)
        : await answer({ ...service, guides }, linked, documents[name as GuideDocument], request.method);
      // Answers that caches keep are for all readers, so only a refusal has the quota of one.
      if (refusal && quota)
        for (const [name, value] of Object.entries(quotaHeaders(quota, { refused: true })))
          response.headers.set(name, value);
      return response;
    } catch (error) {
      return problemResponse(service, error);
    }
  };
}

async function answer(
  service: Service & { readonly guides: KeptGuides },
  linked: LinkedStream,
  { mediaType, write, isOfNow = false }: GuideWriter,
  method: string,
): Promise<Response> {
  const { pool, objects, guides } = service;
  const guide = await readGuide(databaseOn(pool), linked, guides, isOfNow ? objects : null);
  const body = method === 'HEAD' ? null : write(guide);
  const age = isOfNow ? Math.min(maxAgeSeconds, secondsToNext(guide)) : maxAgeSeconds;
  return new Response(body, {
    headers: { ...headers, 'cache-control': `public, max-age=${age}`, 'content-type': mediaType },
  });
}

function secondsToNext(guide: Guide): number {
  const { now, next } = nowAndNext(guide);
  const changesAt = now?.endAt ?? next?.startAt;
  return changesAt ? Math.max(0, Math.floor((changesAt.getTime() - guide.at.getTime()) / 1000)) : Infinity;
}

/** @param objects signs artwork of the current and the next item; null for a week without artwork */
async function readGuide(
  data: Database,
  { channelID, stream }: LinkedStream,
  guides: KeptGuides,
  objects: ObjectStore | null,
): Promise<Guide> {
  const now = await data.now();
  const kept = await guides(data, stream, now);
  const shown = objects ? kept.slice(0, 2) : kept;
  const artworks = objects && (await artworkURLs(data, objects, stream.user_id, shown));
  const items = shown.map(({ uploadID, ...item }): GuideItem => {
    return { ...item, ...(artworks && { artworkURL: artworks.get(uploadID ?? '') ?? null }) };
  });
  const title = stream.name ?? '';
  const live = await liveItem(data, stream, { title, now, endsAbout: items[0]?.endAt ?? now });
  const withLive = live ? withItemOver(items, live).filter(({ endAt }) => endAt > now) : items;
  return { channelID, title, at: now, isOnAir: stream.state === 'active', items: withLive };
}

/**
 * The contributor who takes the stream over, under the title of the channel; null: there is none.
 * @param about.endsAbout the end to state while none is planned
 */
async function liveItem(
  data: Database,
  stream: LinkedStream['stream'],
  { title, now, endsAbout }: { readonly title: string; readonly now: Date; readonly endsAbout: Date },
): Promise<GuideItem | null> {
  const takeover = await presentTakeoverOf(data, stream, now);
  // Nothing is known about a contributor who may come.
  if (!takeover?.shownAt) return null;
  const { shownAt: startAt, returnsAt, endAt } = takeover;
  const ends = returnsAt ?? endAt ?? endsAbout;
  return ends > now && ends > startAt ? { kind: 'live', title, artist: null, album: null, startAt, endAt: ends } : null;
}

/** Signed URLs by upload id. Uploads without artwork are missing. */
async function artworkURLs(
  data: Database,
  objects: ObjectStore,
  userID: string,
  items: readonly KeptGuideItem[],
): Promise<ReadonlyMap<string, string>> {
  const uploadIDs = [...new Set(items.flatMap(({ uploadID }) => uploadID ?? []))];
  const uploads = [...(await data.runs.uploadFacts(userID, uploadIDs)).values()];
  const inspections = await data.inspections.ofContents(uploads.flatMap(artworkContents));
  const pictures = new Map(inspections.map((each) => [each.content_hash, each.pictures]));
  const signed = uploads.flatMap((upload) => {
    const key = artworkKey(upload, (hash) => pictures.get(hash));
    const options = { expiresInSeconds: artworkURLSeconds };
    return key === null ? [] : [objects.presignGet(key, options).then((url) => [upload.id, url] as const)];
  });
  return new Map(await Promise.all(signed));
}
