// The request of a plan, and its result.
import type { BlockTime } from './block-times.ts';
import type { FrameGrid } from './frame-grid.ts';
import type { PlannableCollection, QueuedItem } from './plannable.ts';
import type { TrackJoins } from '../playout/item-joins.ts';
import type { PlannedRow, PlannerState, TimedRow } from './planned-row.ts';
import type { ProgrammeRules } from './programme-rules.ts';
import type { Heard } from './separation.ts';

/** Everything that a plan follows from. */
export interface PlanRequest {
  readonly rules: ProgrammeRules;
  /**
   * From `blockTimesOf`, for a part of the calendar with the time to plan, and since the beginning of an item that the
   * plan continues.
   */
  readonly blockTimes: readonly BlockTime[];
  /** By `sourceKey`. */
  readonly collections: ReadonlyMap<string, PlannableCollection>;
  /** By number. Those up to `queuedThrough` of the state have been planned. */
  readonly queue: readonly QueuedItem[];
  /** The items before the plan, for as long as the rules look back, by the distances of these rules. */
  readonly heard: Heard;
  /** The state at the first frame. */
  readonly state: PlannerState;
  readonly grid: FrameGrid;
  readonly fromFrame: number;
  /** How the stream joins items; absent: all rows follow each other by cuts. */
  readonly joins?: TrackJoins;
  /** The row before the plan; absent: there is none, or nothing is joined. */
  readonly before?: TimedRow | undefined;
  /** The plan ends with the first row that ends at or after this frame. */
  readonly untilFrame: number;
}

/** A time without a row, in frames from the anchor: nothing can be played. */
export interface Gap {
  readonly fromFrame: number;
  readonly untilFrame: number;
  /** Null: no block has this time. */
  readonly blockID: string | null;
}

export interface Plan {
  readonly rows: readonly PlannedRow[];
  readonly gaps: readonly Gap[];
  /** The state after the last row. */
  readonly state: PlannerState;
  /** The end of the last row or gap. */
  readonly endFrame: number;
  /** The row before the plan, which now ends otherwise; absent: it ends as it was planned. */
  readonly before?: PlannedRow;
}
