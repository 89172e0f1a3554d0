// The entries of a timeline that play planned rows.
import type { Track } from '../../data/playout/timelines.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { itemsPlayed } from '../../domain/playout/play-out.ts';
import type { TimelineEntry } from '../../domain/playout/play-out.ts';
import { entriesOfRows } from '../../domain/programme/planned-entries.ts';
import type { PlannedRow } from '../../domain/programme/planned-row.ts';
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
  { track, rows, framesPerSecond }: RowsOfTrack,
  options: SnapshotOptions,
): Omit<TimelineEntry, 'number'>[] {
  return entriesOfRows(rows, framesPerSecond).flatMap((each) => {
    const snapshot = snapshotOfRows(stream, track, each, options);
    if (itemsPlayed(snapshot).length === 0) return [];
    return [{ offsetSeconds: each[0]!.startFrame / framesPerSecond, playlistID: null, snapshot }];
  });
}
