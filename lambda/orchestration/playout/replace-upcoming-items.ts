// Replaces the upcoming items of a track of a live stream, from the next item on, in the same order.
import type { Database } from '../../data/database.ts';
import type { Track } from '../../data/playout/timelines.ts';
import type { Locked } from '../../data/shared/locked.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { itemsPlayed, occurrenceAt, orderOfLap } from '../../domain/playout/play-out.ts';
import type { TimelineEntry, TimelineItem, TimelineSnapshot } from '../../domain/playout/play-out.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { nextBoundarySeconds } from './publish-draft.ts';

/** The items that a track plays last, without levels: these are rows of the run, not part of its snapshots. */
export function lastItems(timeline: readonly TimelineEntry[]): TimelineItem[] {
  return itemsPlayed(timeline.at(-1)?.snapshot).map((each) => {
    const { levels: _, ...item } = each;
    return item;
  });
}

export interface UpcomingItems {
  readonly stream: Locked<Stream>;
  readonly track: Track;
  /** The timeline of the track, with at least one entry. */
  readonly timeline: readonly TimelineEntry[];
  /** The items in the order of the last entry. Its mode and seed stay. */
  readonly next: Omit<TimelineSnapshot, 'mode' | 'seed'>;
  /** By the clock of the database. */
  readonly now: Date;
}

/** Appends an entry that continues the last entry of the track with other items. */
export async function replaceUpcomingItems(
  data: Database,
  { stream, track, timeline, next, now }: UpcomingItems,
): Promise<void> {
  const { playlistID, offsetSeconds: lastSeconds, snapshot: last } = timeline.at(-1)!;
  const { mode, seed } = last;
  const append = (offsetSeconds: number, snapshot: TimelineSnapshot) =>
    data.timelines.append(stream.id, track, { offsetSeconds, playlistID, snapshot });
  if (stream.anchored_at === null) return append(0, { mode, seed, ...next });
  const boundarySeconds = nextBoundarySeconds(stream, timeline, now);
  if (lastSeconds >= boundarySeconds) return append(lastSeconds, { mode, seed, ...next });
  const rate = framesPerSecond[stream.run_framerate!];
  const frame = Math.round(boundarySeconds * rate);
  const { itemID } = occurrenceAt(timeline, frame, rate).item;
  if (mode === 'sequential')
    return append(boundarySeconds, { mode, seed, ...next, items: beginningWith(next.items, itemID) });
  const playing = occurrenceAt(timeline, frame - 1, rate).item;
  return append(boundarySeconds, reshuffled({ mode, seed, ...next }, playing.itemID));
}

/** The items in their order, rotated to begin with one of them. */
function beginningWith(items: readonly TimelineItem[], itemID: string): TimelineItem[] {
  const at = items.findIndex((item) => item.itemID === itemID);
  return [...items.slice(at), ...items.slice(0, at)];
}

/** The snapshot in another shuffled order, which does not begin with this item. */
function reshuffled(snapshot: TimelineSnapshot, itemID: string): TimelineSnapshot {
  const next = { ...snapshot, seed: (snapshot.seed + 1) % 2 ** 31 };
  const begins = orderOfLap(next, 0)[0]!.itemID === itemID;
  return begins && itemsPlayed(snapshot).length > 1 ? reshuffled(next, itemID) : next;
}
