// Applies the joins of a live stream's settings to its items, from the next item on, in the same order.
import type { Database } from '../../data/database.ts';
import type { Track } from '../../data/playout/timelines.ts';
import type { Locked } from '../../data/shared/locked.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { isSameUnder } from '../../domain/playout/sound-under.ts';
import { isSameJoin } from '../../domain/playout/item-joins.ts';
import { planTrackSoon } from './plan-soon.ts';
import { timelinesAhead } from './timelines-ahead.ts';
import { lastItems, replaceUpcomingItems } from './replace-upcoming-items.ts';
import { joined } from './timeline-snapshots.ts';

/**
 * Changes the joins of a track, and which sound is heard under it, to those of the stream's settings. A programme is
 * planned again.
 */
export async function changeJoins(data: Database, stream: Locked<Stream>, track: Track, now: Date): Promise<void> {
  if (stream.planned_tracks?.includes(track)) return planTrackSoon(data, stream, track, now);
  const timeline = (await timelinesAhead(data, stream, now))[track];
  const before = lastItems(timeline);
  if (before.length === 0) return;
  const plain = before.map((each) => {
    const { join: _, under: __, ...item } = each;
    return item;
  });
  const stingerID = stream.look?.stinger?.uploadID;
  const uploads = stingerID === undefined ? [] : await data.uploads.ofUser(stream.user_id, [stingerID]);
  const { mode } = timeline.at(-1)!.snapshot;
  const uploadOf = new Map(uploads.map((upload) => [upload.id, upload]));
  const items = joined(stream, track, { items: plain, mode }, uploadOf);
  const isSame = items.every(({ join, under }, index) => {
    const { join: joinBefore, under: underBefore } = before[index]!;
    return isSameJoin(join, joinBefore) && isSameUnder(under, underBefore);
  });
  if (isSame) return;
  const { overlays } = timeline.at(-1)!.snapshot;
  const next = { items, ...(overlays && { overlays }) };
  await replaceUpcomingItems(data, { stream, track, timeline, next, now });
}
