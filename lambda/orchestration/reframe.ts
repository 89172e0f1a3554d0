// Lets a stream that is live put the items of its pictures into its frame in another way, from its next item on.
import type { Database } from '../data/database.ts';
import { formatOfRun } from '../data/streams.ts';
import type { Stream } from '../data/streams.ts';
import { framingOf } from '../domain/look.ts';
import type { Use } from '../domain/limits.ts';
import { occurrenceAt } from '../domain/play-out.ts';
import type { TimelineEntry, TimelineItem, TimelineSnapshot } from '../domain/play-out.ts';
import { framesPerSecond } from '../domain/video-format.ts';
import { itemsInFormat, noteToPrepare } from './preparation-limit.ts';
import { requestPreparation } from './prepare-media.ts';
import { takeOverSeconds } from './publish-draft.ts';
import { noteCosts } from './settle-outputs.ts';
import { sizeOf } from './timeline-snapshots.ts';

/**
 * Appends what the stream plays with other framings to its timeline, and has that prepared. Until it is, what is there
 * is sent. The caller has locked the stream, which has its new settings.
 * @param limitFactor of the stage
 * @returns the limit of its user that this would exceed, with nothing written; null where there is room
 */
export async function reframe(
  data: Database,
  stream: Stream,
  { now, limitFactor }: { readonly now: Date; readonly limitFactor: number },
): Promise<Use | null> {
  const timeline = (await data.timelines.ofStream(stream.id)).video;
  const last = timeline.at(-1);
  if (!last) return null;
  const items = await reframedItems(data, stream, last);
  if (items.every(({ framing }, index) => framing === last.snapshot.items[index]!.framing)) return null;
  if (stream.stream_backend === 'manifest') {
    const format = formatOfRun(stream);
    const reached = await noteToPrepare(data, stream.user_id, limitFactor, itemsInFormat(items, format));
    if (reached) return reached;
    await requestPreparation(data, 'video', items, format, { retries: true });
  }
  const offsetSeconds = stream.anchored_at === null ? 0 : takeOverSeconds(stream, timeline, now);
  const snapshot = goingOn(
    { ...last.snapshot, items },
    timeline,
    offsetSeconds,
    framesPerSecond[stream.run_framerate!],
  );
  await data.timelines.append(stream.id, 'video', { playlistID: last.playlistID, snapshot, offsetSeconds });
  await noteCosts(data, stream);
  return null;
}

/** The items of an entry with the framings that they and their stream say now. One whose upload is gone stays. */
async function reframedItems(data: Database, stream: Stream, entry: TimelineEntry): Promise<TimelineItem[]> {
  const { items } = entry.snapshot;
  const found = await data.uploads.ofUser(stream.user_id, [...new Set(items.map(({ uploadID }) => uploadID))]);
  const uploads = new Map(found.map((upload) => [upload.id, upload]));
  const [playlist] = entry.playlistID === null ? [] : await data.playlists.findMany(stream.user_id, [entry.playlistID]);
  const looks = new Map(playlist?.live?.items.map(({ id, look }) => [id, look]));
  return items.map(({ framing: before, ...item }) => {
    const upload = uploads.get(item.uploadID);
    const framing = upload ? framingOf(looks.get(item.itemID), stream.look, sizeOf(upload)) : before;
    return { ...item, ...(framing && { framing }) };
  });
}

/** Items in their order begin with the one that would be next, so that nothing is played twice. */
function goingOn(
  snapshot: TimelineSnapshot,
  timeline: readonly TimelineEntry[],
  offsetSeconds: number,
  rate: number,
): TimelineSnapshot {
  if (snapshot.mode === 'shuffle') return { ...snapshot, seed: snapshot.seed + 1 };
  const { item } = occurrenceAt(timeline, Math.round(offsetSeconds * rate), rate);
  const next = Math.max(
    0,
    snapshot.items.findIndex(({ itemID }) => itemID === item.itemID),
  );
  return { ...snapshot, items: [...snapshot.items.slice(next), ...snapshot.items.slice(0, next)] };
}
