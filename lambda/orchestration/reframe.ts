// Lets a stream that is live put its items into its frame as it says by now, from the next item on.
import type { Database } from '../data/database.ts';
import { formatOfRun } from '../data/streams.ts';
import type { Stream } from '../data/streams.ts';
import type { Use } from '../domain/limits.ts';
import { framingOf } from '../domain/look.ts';
import type { TimelineItem } from '../domain/play-out.ts';
import { goOnWith, lastItems } from './go-on-with.ts';
import { itemsInFormat, noteToPrepare } from './preparation-limit.ts';
import { requestPreparation } from './prepare-media.ts';
import { sizeOf } from './timeline-snapshots.ts';

/**
 * Takes up the setting of a stream, which the caller has locked, and has prepared what that takes. Until it is, what is
 * there is sent.
 * @param limitFactor of the stage
 * @returns the limit of its user that this would exceed, with nothing written; null where there is room
 */
export async function reframe(
  data: Database,
  stream: Stream,
  { now, limitFactor }: { readonly now: Date; readonly limitFactor: number },
): Promise<Use | null> {
  const timeline = (await data.timelines.ofStream(stream.id)).video;
  const before = lastItems(timeline);
  const items = await framed(data, stream, timeline.at(-1)?.playlistID ?? null, before);
  if (items.every(({ framing }, index) => framing === before[index]!.framing)) return null;
  if (stream.stream_backend === 'manifest') {
    const format = formatOfRun(stream);
    const reached = await noteToPrepare(data, stream.user_id, limitFactor, itemsInFormat(items, format));
    if (reached) return reached;
    await requestPreparation(data, 'video', items, format, { retries: 'at once' });
  }
  await goOnWith(data, stream, 'video', timeline, items, now);
  return null;
}

/** Items with the framings that they and their stream say now. One whose upload is gone stays as it is. */
async function framed(
  data: Database,
  stream: Stream,
  playlistID: string | null,
  items: readonly TimelineItem[],
): Promise<TimelineItem[]> {
  const found = await data.uploads.ofUser(stream.user_id, [...new Set(items.map(({ uploadID }) => uploadID))]);
  const uploads = new Map(found.map((upload) => [upload.id, upload]));
  const [playlist] = playlistID === null ? [] : await data.playlists.findMany(stream.user_id, [playlistID]);
  const looks = new Map(playlist?.live?.items.map(({ id, look }) => [id, look]));
  return items.map(({ framing: before, ...item }) => {
    const upload = uploads.get(item.uploadID);
    const framing = upload ? framingOf(looks.get(item.itemID), stream.look, sizeOf(upload)) : before;
    return { ...item, ...(framing && { framing }) };
  });
}
