// Lets a stream that is live join its items as it says by now, from the next item on, and go on in their order.
import type { Database } from '../../data/database.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { Track } from '../../data/playout/timelines.ts';
import { isSameUnder } from '../../domain/playout/sound-under.ts';
import { isSameJoin } from '../../domain/playout/stinger-joins.ts';
import { replaceUpcomingItems, lastItems } from './go-on-with.ts';
import { joined } from './timeline-snapshots.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** Takes up what a stream says of one of its tracks. */
export async function changeJoins(data: Database, stream: Locked<Stream>, track: Track, now: Date): Promise<void> {
  const timeline = (await data.timelines.ofStream(stream.id))[track];
  const before = lastItems(timeline);
  if (before.length === 0) return;
  const plain = before.map((each) => {
    const { join: _, under: __, ...item } = each;
    return item;
  });
  const stingerID = stream.look?.stinger?.uploadID;
  const uploads = stingerID === undefined ? [] : await data.uploads.ofUser(stream.user_id, [stingerID]);
  const items = joined(stream, track, plain, new Map(uploads.map((upload) => [upload.id, upload])));
  const isSame = items.every(({ join, under }, index) => {
    const { join: joinBefore, under: underBefore } = before[index]!;
    return isSameJoin(join, joinBefore) && isSameUnder(under, underBefore);
  });
  const { overlays } = timeline.at(-1)!.snapshot;
  if (!isSame) await replaceUpcomingItems(data, stream, track, timeline, { items, ...(overlays && { overlays }) }, now);
}
