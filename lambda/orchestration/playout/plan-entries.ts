// The entries of a timeline that play planned rows.
import type { Track } from '../../data/playout/timelines.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { joinWithin, trackJoins, withJoin } from '../../domain/playout/item-joins.ts';
import { itemsPlayed, occurrenceAt } from '../../domain/playout/play-out.ts';
import type { TimelineEntry } from '../../domain/playout/play-out.ts';
import { entriesOfRows } from '../../domain/programme/planned-entries.ts';
import type { PlannedRow } from '../../domain/programme/planned-row.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { snapshotOfRows } from './timeline-snapshots.ts';
import type { SnapshotOptions } from './timeline-snapshots.ts';

/** Rows of a track, with the frames of a second. */
export interface RowsOfTrack {
  readonly track: Track;
  readonly rows: readonly PlannedRow[];
  readonly framesPerSecond: number;
}

/** The entries that play rows. @param options with the uploads of all rows */
export function entriesOfTrack(
  stream: Stream,
  { track, rows, framesPerSecond: rate }: RowsOfTrack,
  options: SnapshotOptions,
): Omit<TimelineEntry, 'number'>[] {
  return entriesOfRows(rows, rate).flatMap((each) => {
    const snapshot = snapshotOfRows(stream, track, each, options);
    if (itemsPlayed(snapshot).length === 0) return [];
    return [{ offsetSeconds: each[0]!.startFrame / rate, playlistID: null, snapshot }];
  });
}

/**
 * The entry that plays a row of a timeline as before, from its beginning on, but joined with the next row as a new plan
 * says: by a cut, or for a shorter time.
 */
export function entryOfPlaying(
  stream: Stream,
  track: Track,
  timeline: readonly TimelineEntry[],
  { startFrame, joinSeconds }: PlannedRow,
): Omit<TimelineEntry, 'number'> {
  const rate = framesPerSecond[stream.run_framerate!];
  const { item, entryNumber, playlistID, part, planned } = occurrenceAt(timeline, startFrame, rate);
  const { mode, seed, overlays } = timeline.find(({ number }) => number === entryNumber)!.snapshot;
  const { join: _, levels: __, ...unjoined } = item;
  const join = joinSeconds === undefined ? undefined : joinWithin(item, joinSeconds, trackJoins(track, stream));
  const facts = {
    ...(overlays && { overlays }),
    ...(planned && { planned: [planned] }),
    ...(part && { parts: [part] }),
  };
  const snapshot = { mode, seed, items: [withJoin(unjoined, join)], order: [0], ...facts };
  return { offsetSeconds: startFrame / rate, playlistID, snapshot };
}
