// SQL of series: points of streams over time, in rows of arrays.
import { beginningOf, seriesStates, tiers } from '../../domain/streams/series.ts';
import type { Point, Tier } from '../../domain/streams/series.ts';
import { all } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { Replica } from './replicas.ts';

/** The series of one output of a stream. */
export interface OutputSeries {
  readonly streamID: string;
  /** Empty: the first output. */
  readonly outputID: string;
}

/** Points of the series of an output. */
export interface OutputPoints extends OutputSeries {
  readonly points: readonly Point[];
}

/** The series that a replica writes; null: a backup, which has none. */
export function seriesOf({ stream_id: streamID, output_id: outputID, role }: Replica): OutputSeries | null {
  return role === 'primary' ? { streamID, outputID: outputID ?? '' } : null;
}

interface SeriesRow {
  readonly stream_id: string;
  readonly output_id: string;
  readonly step_seconds: number;
  readonly began_at: Date;
  readonly bitrate_kbps: readonly (number | null)[];
  readonly frames_per_second: readonly (number | null)[];
  readonly dropped_frames: readonly (number | null)[];
  readonly reconnects: readonly (number | null)[];
  readonly states: readonly (number | null)[];
}

/** A part of a row without gaps. */
interface Slice extends Omit<SeriesRow, 'began_at'> {
  readonly began_at: string;
  /** Counted from 1. */
  readonly first: number;
  readonly last: number;
}

const columns = `stream_id, output_id, step_seconds, began_at, bitrate_kbps, frames_per_second, dropped_frames,
  reconnects, states`;

/** SQL of slices, passed as JSON in $1. */
const slices = `jsonb_to_recordset($1::jsonb) as p (stream_id text, output_id text, step_seconds integer,
  began_at timestamptz, first integer, last integer, bitrate_kbps integer[], frames_per_second real[],
  dropped_frames integer[], reconnects smallint[], states smallint[])`;

export function series(db: Queryable) {
  /** Writes slices, at most one per row: an update changes a row once. */
  const update = (together: readonly Slice[]) =>
    db.query(
      `update stream_series t
         set bitrate_kbps[p.first:p.last] = p.bitrate_kbps, frames_per_second[p.first:p.last] = p.frames_per_second,
           dropped_frames[p.first:p.last] = p.dropped_frames, reconnects[p.first:p.last] = p.reconnects,
           states[p.first:p.last] = p.states
         from ${slices}
         where t.stream_id = p.stream_id and t.output_id = p.output_id and t.step_seconds = p.step_seconds
           and t.began_at = p.began_at`,
      [JSON.stringify(together)],
    );

  return {
    /**
     * Writes points, in place of former points of the same times: two statements for any number of streams, and one
     * more per gap in a row. Points of deleted streams are dropped.
     */
    write: async (tier: Tier, outputs: readonly OutputPoints[]): Promise<void> => {
      const written = outputs.flatMap((output) => slicesOf(tier, output));
      if (written.length === 0) return;
      const nothing = (type: string) => `array_fill(null::${type}, array[$2::integer])`;
      await db.query(
        `insert into stream_series (${columns})
         select distinct p.stream_id, p.output_id, p.step_seconds, p.began_at, ${nothing('integer')},
           ${nothing('real')}, ${nothing('integer')}, ${nothing('smallint')}, ${nothing('smallint')}
         from ${slices} join streams s on s.id = p.stream_id
         where not exists (
           select from stream_series t where t.stream_id = p.stream_id and t.output_id = p.output_id
             and t.step_seconds = p.step_seconds and t.began_at = p.began_at)
         order by 1, 2, 3, 4
         on conflict do nothing`,
        [JSON.stringify(written), tier.rowSeconds / tier.stepSeconds],
      );
      for (const together of inRounds(written)) await update(together);
    },

    /** The points of an output from `from` to before `to`. */
    read: async ({ stepSeconds, rowSeconds }: Tier, streamID: string, outputID: string, from: Date, to: Date) => {
      const rows = await all<SeriesRow>(
        db,
        `select ${columns} from stream_series
         where stream_id = $1 and output_id = $2 and step_seconds = $3 and began_at >= $4 and began_at < $5
         order by began_at`,
        [streamID, outputID, stepSeconds, beginningOf(from, rowSeconds), to],
      );
      return rows.flatMap(pointsOf).filter(({ at }) => at >= from && at < to);
    },

    /** The points of an output that are not in coarser rows yet. */
    readUnrolled: async (streamID: string, outputID: string) => {
      const rows = await all<SeriesRow>(
        db,
        `select ${columns} from stream_series
         where stream_id = $1 and output_id = $2 and step_seconds = ${tiers['10s'].stepSeconds} and not is_rolled
         order by began_at`,
        [streamID, outputID],
      );
      return rows.flatMap(pointsOf);
    },

    /** Takes rows that ended before a time. The caller makes coarser rows of them in the same transaction. */
    takeUnrolled: async (endedBefore: Date, most: number): Promise<OutputPoints[]> => {
      const { stepSeconds, rowSeconds } = tiers['10s'];
      const rows = await all<SeriesRow>(
        db,
        `update stream_series t set is_rolled = true
         from (
           select stream_id, output_id, began_at from stream_series
           where step_seconds = ${stepSeconds} and not is_rolled and began_at < $1
           order by began_at limit $2 for update skip locked) due
         where t.stream_id = due.stream_id and t.output_id = due.output_id and t.began_at = due.began_at
           and t.step_seconds = ${stepSeconds}
         returning t.*`,
        [new Date(endedBefore.getTime() - rowSeconds * 1000), most],
      );
      return rows.map((row) => ({ streamID: row.stream_id, outputID: row.output_id, points: pointsOf(row) }));
    },

    /** Deletes at most `most` rows per tier that are older than it keeps. */
    forget: (now: Date, most: number) =>
      db.query(
        `delete from stream_series where (stream_id, output_id, step_seconds, began_at) in (
           select stream_id, output_id, step_seconds, began_at
           from unnest($1::integer[], $2::timestamptz[]) as old (step, until), lateral (
             select stream_id, output_id, step_seconds, began_at from stream_series
             where step_seconds = old.step and began_at < old.until order by began_at limit $3) gone)`,
        [
          Object.values(tiers).map(({ stepSeconds }) => stepSeconds),
          Object.values(tiers).map(
            ({ keptSeconds, rowSeconds }) => new Date(now.getTime() - (keptSeconds + rowSeconds) * 1000),
          ),
          most,
        ],
      ),
  };
}

/** Slices in rounds, with at most one of each row in a round. */
function inRounds(written: readonly Slice[]): Slice[][] {
  const rounds: Slice[][] = [];
  const counts = new Map<string, number>();
  for (const slice of written) {
    const row = `${slice.stream_id} ${slice.output_id} ${slice.began_at}`;
    const round = counts.get(row) ?? 0;
    counts.set(row, round + 1);
    (rounds[round] ??= []).push(slice);
  }
  return rounds;
}

function slicesOf({ stepSeconds, rowSeconds }: Tier, { streamID, outputID, points }: OutputPoints): Slice[] {
  const found: Slice[] = [];
  let begun: Point[] = [];
  const end = () => {
    const [first] = begun;
    if (!first) return;
    const beganAt = beginningOf(first.at, rowSeconds);
    const index = (first.at.getTime() - beganAt.getTime()) / 1000 / stepSeconds + 1;
    found.push({
      stream_id: streamID,
      output_id: outputID,
      step_seconds: stepSeconds,
      began_at: beganAt.toISOString(),
      first: index,
      last: index + begun.length - 1,
      bitrate_kbps: begun.map(({ bitrateKbps }) => bitrateKbps),
      frames_per_second: begun.map(({ framesPerSecond }) => framesPerSecond),
      dropped_frames: begun.map(({ droppedFrames }) => droppedFrames),
      reconnects: begun.map(({ reconnects }) => Math.min(reconnects, 32_767)),
      states: begun.map(({ state }) => seriesStates.indexOf(state)),
    });
    begun = [];
  };
  for (const point of points) {
    const last = begun.at(-1);
    const follows = last && point.at.getTime() - last.at.getTime() === stepSeconds * 1000;
    const isInRow = last && beginningOf(point.at, rowSeconds).getTime() === beginningOf(last.at, rowSeconds).getTime();
    if (!follows || !isInRow) end();
    begun.push(point);
  }
  end();
  return found;
}

function pointsOf(row: SeriesRow): Point[] {
  return row.states.flatMap((state, index) => {
    if (state === null) return [];
    return {
      at: new Date(row.began_at.getTime() + index * row.step_seconds * 1000),
      bitrateKbps: row.bitrate_kbps[index] ?? 0,
      framesPerSecond: row.frames_per_second[index] ?? 0,
      droppedFrames: row.dropped_frames[index] ?? 0,
      reconnects: row.reconnects[index] ?? 0,
      state: seriesStates[state]!,
    };
  });
}
