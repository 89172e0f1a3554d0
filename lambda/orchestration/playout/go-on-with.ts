// Lets a stream that is live go on with what it plays as that says by now, from the next item on, in its order.
import type { Database } from '../../data/database.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { Track } from '../../data/playout/timelines.ts';
import { occurrenceAt, orderOfLap } from '../../domain/playout/play-out.ts';
import type { TimelineEntry, TimelineItem, TimelineSnapshot } from '../../domain/playout/play-out.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { nextBoundarySeconds } from './publish-draft.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** What a track plays otherwise from now on; what is left out of it is not there any more. */
type NextSnapshot = Omit<TimelineSnapshot, 'mode' | 'seed'>;

/** The items that a track plays last. Levels are rows of the run, and no part of its snapshots. */
export function lastItems(timeline: readonly TimelineEntry[]): TimelineItem[] {
  return (timeline.at(-1)?.snapshot.items ?? []).map((each) => {
    const { levels: _, ...item } = each;
    return item;
  });
}

/**
 * Appends the last entry of a track as it is to be from now on.
 * @param timeline of the track, with an entry at least
 * @param next with the items in the order of that entry
 */
export async function replaceUpcomingItems(
  data: Database,
  stream: Locked<Stream>,
  track: Track,
  timeline: readonly TimelineEntry[],
  next: NextSnapshot,
  now: Date,
): Promise<void> {
  const { playlistID, offsetSeconds: lastSeconds, snapshot: last } = timeline.at(-1)!;
  const { mode, seed } = last;
  const begin = (offsetSeconds: number, snapshot: TimelineSnapshot) =>
    data.timelines.append(stream.id, track, { offsetSeconds, playlistID, snapshot });
  if (stream.anchored_at === null) return begin(0, { mode, seed, ...next });
  const takesOverAt = nextBoundarySeconds(stream, timeline, now);
  if (lastSeconds >= takesOverAt) return begin(lastSeconds, { mode, seed, ...next });
  const rate = framesPerSecond[stream.run_framerate!];
  const frame = Math.round(takesOverAt * rate);
  const { itemID } = occurrenceAt(timeline, frame, rate).item;
  if (mode === 'sequential') return begin(takesOverAt, { mode, seed, ...next, items: from(next.items, itemID) });
  const playing = occurrenceAt(timeline, frame - 1, rate).item;
  return begin(takesOverAt, drawnAnew({ mode, seed, ...next }, playing.itemID));
}

/** The items in their order, from one of them on. */
function from(items: readonly TimelineItem[], itemID: string): TimelineItem[] {
  const at = items.findIndex((item) => item.itemID === itemID);
  return [...items.slice(at), ...items.slice(0, at)];
}

/** Another order, which does not begin with an item. */
function drawnAnew(snapshot: TimelineSnapshot, itemID: string): TimelineSnapshot {
  const next = { ...snapshot, seed: (snapshot.seed + 1) % 2 ** 31 };
  const begins = orderOfLap(next, 0)[0]!.itemID === itemID;
  return begins && snapshot.items.length > 1 ? drawnAnew(next, itemID) : next;
}
