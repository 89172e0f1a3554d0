// The items and takeovers that streams send about now, kept for a moment and shared by all who look at their posters.
// A list has up to a thousand items, and a page of posters asks for the same ones again all the time. Decision D274.
import { LRUCache } from 'lru-cache';
import type { Database } from '../data/database.ts';
import { formatOfRun } from '../data/streams/streams.ts';
import type { Stream } from '../data/streams/streams.ts';
import { shownSlates, slateFormat } from '../domain/live/slate.ts';
import type { TakeoverInterval } from '../domain/live/takeover-intervals.ts';
import { fromOrigin, occurrencesFrom } from '../domain/playout/play-out.ts';
import type { ItemOccurrence, TimelineItem } from '../domain/playout/play-out.ts';
import { formatName, formatOfItem } from '../domain/playout/rendition.ts';
import { framesPerSecond } from '../domain/shared/video-format.ts';

/** An item that a stream plays until a frame. Frames count from the anchor of the run. */
export interface KeptItem {
  readonly endFrame: number;
  /** The frame at which the item begins, or would begin without a break before it. */
  readonly originFrame: number;
  readonly item: Pick<TimelineItem, 'uploadID' | 'kind' | 'durationSeconds'>;
  /** The name of the content of its upload, or the id of an upload without one; null: the upload is deleted. */
  readonly content: string | null;
  /** The name of the format of its pictures. */
  readonly format: string;
}

/** An upload as a slate, without its place in a run. */
export type KeptSlate = Pick<KeptItem, 'item' | 'content' | 'format'>;

/** Items and takeovers of a run about now. */
export interface KeptRun {
  /** In the order in which they play. */
  readonly items: readonly KeptItem[];
  /** Frames that show a contributor in place of the items. */
  readonly takeovers: readonly TakeoverInterval[];
  /** The uploads that can be shown as slates, by their ids. */
  readonly slates: ReadonlyMap<string, KeptSlate>;
}

/**
 * The items of a run with an anchor, from `fromSeconds` after it up to `aheadSeconds` later, and its takeovers. A
 * moment later the answer is the same: changes of a timeline, and takeovers, take effect after `effectiveAheadSeconds`.
 */
export type KeptRuns = (stream: Stream, asked: AskedRun) => Promise<KeptRun>;

interface AskedRun {
  readonly fromSeconds: number;
  readonly aheadSeconds: number;
  /** Its rejection is also that of all who wait for the same run. */
  readonly beforeReading: () => Promise<void>;
}

/** Shorter than `effectiveAheadSeconds`: the item that is due at a time is known before. */
const keptSeconds = 4;
/** Items of all kept streams: those of a thousand streams with the shortest items. */
const mostKept = 20_000;

interface Asked {
  readonly stream: Stream;
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly beforeReading: () => Promise<void>;
}

export function createKeptRuns(data: Pick<Database, 'timelines' | 'runs' | 'takeovers' | 'slates'>): KeptRuns {
  const kept = new LRUCache<string, KeptRun, Asked>({
    maxSize: mostKept,
    sizeCalculation: ({ items }) => Math.max(1, items.length),
    ttl: keptSeconds * 1000,
    // Those who wait for items get them, also if others need their place meanwhile.
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { context }) => {
      await context.beforeReading();
      const takeovers = await data.takeovers.intervalsOf(context.stream.id);
      return {
        items: await loadItems(data, context),
        takeovers,
        slates: await loadSlates(data, context.stream, takeovers),
      };
    },
  });
  return async (stream, { fromSeconds, aheadSeconds, beforeReading }) => {
    const run = `${stream.id} ${stream.anchored_at?.getTime()}`;
    const toSeconds = fromSeconds + aheadSeconds + keptSeconds;
    return (await kept.fetch(run, { context: { stream, fromSeconds, toSeconds, beforeReading } }))!;
  };
}

async function loadItems(
  data: Pick<Database, 'timelines' | 'runs'>,
  { stream, fromSeconds, toSeconds }: Asked,
): Promise<readonly KeptItem[]> {
  const timeline = await data.timelines.outlineOf(stream.id, 'video', { fromSeconds, toSeconds });
  const format = formatOfRun(stream);
  const rate = framesPerSecond[format.framerate];
  const found: ItemOccurrence[] = [];
  for (const occurrence of occurrencesFrom(timeline, Math.max(0, Math.floor(fromSeconds * rate)), rate)) {
    if (found.length > 0 && occurrence.startFrame > toSeconds * rate) break;
    found.push(occurrence);
  }
  const uploads = await data.runs.uploadFacts(stream.user_id, [...new Set(found.map(({ item }) => item.uploadID))]);
  return found.map((occurrence) => {
    const { item, startFrame, frameCount } = occurrence;
    const upload = uploads.get(item.uploadID);
    return {
      endFrame: startFrame + frameCount,
      originFrame: fromOrigin(occurrence).startFrame,
      item: { uploadID: item.uploadID, kind: item.kind, durationSeconds: item.durationSeconds },
      content: upload ? (upload.contentHash ?? item.uploadID) : null,
      format: formatName(formatOfItem(format, item)),
    };
  });
}

async function loadSlates(
  data: Pick<Database, 'slates'>,
  stream: Stream,
  takeovers: readonly TakeoverInterval[],
): Promise<KeptRun['slates']> {
  const ids = [...new Set(shownSlates(takeovers).map(({ uploadID }) => uploadID))];
  if (ids.length === 0) return new Map();
  const format = slateFormat(formatOfRun(stream));
  const prepared = await data.slates.prepared(stream.id, ids, format);
  return new Map(
    prepared.map(({ id, duration_seconds: seconds, content_hash: content }): [string, KeptSlate] => [
      id,
      {
        item: { uploadID: id, kind: seconds === null ? 'image' : 'video', durationSeconds: seconds ?? 0 },
        content,
        format: formatName(format),
      },
    ]),
  );
}
