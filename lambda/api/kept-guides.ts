// The upcoming items of guides, kept for a moment and shared by all readers of a stream.
// Every holder of a link reads them, and to plan the runs of a week may take seconds.
// Decision D279.
import { LRUCache } from 'lru-cache';
import type { Database } from '../data/database.ts';
import type { Stream } from '../data/streams/streams.ts';
import { nameOfItem, titleOfUpload, titlesOfItem } from '../domain/playout/item-title.ts';
import { withPlanningBudget } from '../orchestration/programme/planning-turns.ts';
import { streamGuide } from '../orchestration/playout/stream-guide.ts';
import { ProblemError } from '../operations/problem-codes.ts';
import { payingForGuide } from '../surfaces/admission/guide-time.ts';
import type { Service } from '../surfaces/service.ts';
import type { GuideItem } from './guide-documents.ts';

/** An item with the upload whose artwork it shows; null: a block. */
export type KeptGuideItem = GuideItem & { readonly uploadID: string | null };

/**
 * The items of a stream from a time on, as they were planned a moment ago; some minutes ago, if its user has no time
 * left for another plan.
 * @throws the error of the reading, also while that is kept
 */
export type KeptGuides = (data: Database, stream: Stream, now: Date) => Promise<readonly KeptGuideItem[]>;

/** Readers may keep an answer as long as well: the next items are known long ahead. */
const keptSeconds = 30;
/** A guide that can be read while another one is refused. */
const lastSeconds = 300;
/** A refusal costs a statement. */
const refusedSeconds = 2;
const aheadMs = 7 * 86_400_000;
const mostItems = 500;
/** Items of all kept guides: a hundred of the largest. */
const mostKept = 50_000;

/** A guide, or the reason for which it could not be read. A failure is kept too: it may have taken as much work. */
type Kept = { readonly items: readonly KeptGuideItem[] } | { readonly error: unknown };

interface Asked {
  readonly data: Database;
  readonly stream: Stream;
  readonly now: Date;
}

export function createKeptGuides(service: Service): KeptGuides {
  /** The guide of each stream that was made last, by the stream and its run. */
  const last = new LRUCache<string, readonly KeptGuideItem[]>({
    maxSize: mostKept,
    sizeCalculation: (items) => Math.max(1, items.length),
    ttl: lastSeconds * 1000,
  });
  const kept = new LRUCache<string, Kept, Asked>({
    maxSize: mostKept,
    sizeCalculation: (guide) => ('items' in guide ? Math.max(1, guide.items.length) : 1),
    ttl: keptSeconds * 1000,
    // Readers that wait for a guide get it, also if others need its place meanwhile.
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { context, options }) => {
      const { id: streamID, user_id: userID, anchored_at: anchoredAt } = context.stream;
      const run = JSON.stringify([streamID, anchoredAt]);
      try {
        const items = await payingForGuide(service, { streamID, userID }, (budget) =>
          loadItems({ ...context, data: withPlanningBudget(context.data, budget) }),
        );
        last.set(run, items);
        return { items };
      } catch (error) {
        if (!isRefusal(error)) return { error };
        options.ttl = refusedSeconds * 1000;
        const items = last.get(run);
        return items ? { items } : { error };
      }
    },
  });
  return async (data, stream, now) => {
    const guide = (await kept.fetch(await versionOf(data, stream), { context: { data, stream, now } }))!;
    if ('error' in guide) throw guide.error;
    return guide.items.filter(({ endAt }) => endAt > now);
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof ProblemError && ['rate_limited', 'upstream_unavailable'].includes(error.code);
}

/** A name of all that its owner can change in a guide at once: the stream, its run, and its published rules. */
async function versionOf(data: Database, stream: Stream): Promise<string> {
  const { id, updated_at: updatedAt, anchored_at: anchoredAt, planned_tracks: planned } = stream;
  const programmes = planned === null ? [] : await data.programmes.ofStreams([id]);
  const plans = programmes.map(({ id: programmeID, live, planned_until: until }) => [programmeID, live.version, until]);
  return JSON.stringify([id, updatedAt, anchoredAt, plans]);
}

async function loadItems({ data, stream, now }: Asked): Promise<readonly KeptGuideItem[]> {
  const to = new Date(now.getTime() + aheadMs);
  const entries = await streamGuide(data, stream, { to, count: mostItems, now });
  const uploadIDs = [...new Set(entries.map(({ row }) => row.occurrence.item.uploadID))];
  const uploads = await data.runs.uploadFacts(stream.user_id, uploadIDs);
  return entries.map(({ startAt, endAt, block, row: { occurrence, aired } }): KeptGuideItem => {
    const times = { startAt, endAt };
    if (block) return { kind: 'block', title: block.name, artist: null, album: null, ...times, uploadID: null };
    const { item } = occurrence;
    const upload = uploads.get(item.uploadID);
    const titles = titlesOfItem(item, upload);
    const title = titles.title ?? titleOfUpload(nameOfItem(item, upload?.name, aired !== null) ?? '');
    return { kind: 'item', ...titles, title, ...times, uploadID: item.uploadID };
  });
}
