// Replaces the upcoming items of a track of a live stream, from the next item on, in the same order.
import type { Database } from '../../data/database.ts';
import type { Track } from '../../data/playout/timelines.ts';
import type { Locked } from '../../data/shared/locked.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { following, seedAfter } from '../../domain/playout/continuation.ts';
import { itemsPlayed } from '../../domain/playout/play-out.ts';
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

/** The list of a track as it continues at a frame at which an item or the queued items of a timeline end. */
export function listFrom(timeline: readonly TimelineEntry[], frame: number, rate: number): TimelineSnapshot {
  const { offsetSeconds, snapshot } = timeline.at(-1)!;
  const items = lastItems(timeline);
  if (Math.round(offsetSeconds * rate) === frame) return { ...snapshot, items };
  const { mode, seed, overlays } = snapshot;
  return following(timeline, frame, rate, { mode, seed: seedAfter(seed), items, ...(overlays && { overlays }) });
}

export interface UpcomingItems {
  readonly stream: Locked<Stream>;
  readonly track: Track;
  /** The timeline of the track, with at least one entry. */
  readonly timeline: readonly TimelineEntry[];
  /** The items in the order of the last entry. Its mode stays, and its lap continues. */
  readonly next: Pick<TimelineSnapshot, 'items' | 'overlays'>;
  /** By the clock of the database. */
  readonly now: Date;
}

/** Appends an entry that continues the last entry of the track with other items. */
export async function replaceUpcomingItems(
  data: Database,
  { stream, track, timeline, next, now }: UpcomingItems,
): Promise<void> {
  const { playlistID, offsetSeconds: lastSeconds, snapshot: last } = timeline.at(-1)!;
  const append = (offsetSeconds: number, snapshot: TimelineSnapshot) =>
    data.timelines.append(stream.id, track, { offsetSeconds, playlistID, snapshot });
  const { overlays: _, ...kept } = last;
  if (stream.anchored_at === null) return append(0, { ...kept, ...next });
  const boundarySeconds = nextBoundarySeconds(stream, timeline, now);
  if (lastSeconds >= boundarySeconds) return append(lastSeconds, { ...kept, ...next });
  const rate = framesPerSecond[stream.run_framerate!];
  const snapshot = { mode: last.mode, seed: seedAfter(last.seed), ...next };
  return append(boundarySeconds, following(timeline, Math.round(boundarySeconds * rate), rate, snapshot));
}
