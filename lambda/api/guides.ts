// Public links to what a stream plays: its name, and what comes when. No identifier of ours, and nothing else.
import { databaseOn } from '../data/database.ts';
import type { Database } from '../data/database.ts';
import type { LinkedStream } from '../data/guide-links.ts';
import { nameOfItem, titleOfUpload } from '../domain/item-title.ts';
import { guideFormats } from '../operations/streams/guide-link.ts';
import type { GuideFormat } from '../operations/streams/guide-link.ts';
import { onAirRows } from '../orchestration/on-air-rows.ts';
import { admit } from '../surfaces/admission/admit.ts';
import { quotaHeaders } from '../surfaces/admission/rate-limits.ts';
import { problemResponse } from '../surfaces/problem-response.ts';
import type { RestHandler } from '../surfaces/rest/rest-handler.ts';
import type { Service } from '../surfaces/service.ts';
import { calendarOf, jsonOf, xmltvOf } from './guide-documents.ts';
import type { Guide } from './guide-documents.ts';

const aheadMs = 7 * 86_400_000;
const mostItems = 500;
const isGuide = new RegExp(`^/guides/([\\w-]+)\\.(${guideFormats.join('|')})$`);
/** Players ask again and again; what is said meanwhile stays true, as what comes next is known long ahead. */
const headers = { 'cache-control': 'public, max-age=30', 'access-control-allow-origin': '*' };

const documents = {
  json: { mediaType: 'application/json', write: jsonOf },
  xml: { mediaType: 'application/xml; charset=utf-8', write: xmltvOf },
  ics: { mediaType: 'text/calendar; charset=utf-8', write: calendarOf },
} as const satisfies Record<GuideFormat, { mediaType: string; write: (guide: Guide) => string }>;

/**
 * Answers whoever has the token of a link, within the rate limit of requests without a credential. `rest` answers all
 * other requests, and says that a link is not there.
 */
export function withGuides(rest: RestHandler, service: Service): RestHandler {
  const { pathname: basePath } = new URL(service.baseURL);
  return async (request, address) => {
    const path = new URL(request.url).pathname;
    const [, token, format] = isGuide.exec(path.startsWith(basePath) ? path.slice(basePath.length) : '') ?? [];
    if (token === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) return rest(request, address);
    try {
      const data = databaseOn(service.pool);
      const linked = await data.guideLinks.find(token);
      // A token that is wrong is counted there.
      if (linked === null) return await rest(request, address);
      const { headers, method } = request;
      const { refusal, quota } = await admit(service, { operation: null, headers, method, address });
      const response = refusal
        ? problemResponse(service, refusal)
        : answer(await readGuide(data, linked), format as GuideFormat, request.method);
      for (const [name, value] of Object.entries(quota ? quotaHeaders(quota, { refused: refusal !== null }) : {}))
        response.headers.set(name, value);
      return response;
    } catch (error) {
      return problemResponse(service, error);
    }
  };
}

function answer(guide: Guide, format: GuideFormat, method: string): Response {
  const { mediaType, write } = documents[format];
  const body = method === 'HEAD' ? null : write(guide);
  return new Response(body, { headers: { ...headers, 'content-type': mediaType } });
}

async function readGuide(data: Database, { channelID, stream }: LinkedStream): Promise<Guide> {
  const now = await data.now();
  const to = new Date(now.getTime() + aheadMs);
  const rows = await onAirRows(data, stream, { from: now, to, count: mostItems, track: null, drafts: null, now });
  const uploadIDs = [...new Set(rows.map(({ occurrence }) => occurrence.item.uploadID))];
  const uploads = await data.runs.uploadFacts(stream.user_id, uploadIDs);
  return {
    channelID,
    title: stream.name ?? '',
    at: now,
    isOnAir: stream.state === 'active',
    items: rows.map(({ startAt, endAt, occurrence: { item }, aired }) => ({
      title: titleOfUpload(nameOfItem(item, uploads.get(item.uploadID)?.name, aired !== null) ?? ''),
      startAt,
      endAt,
    })),
  };
}
