// The seams between the rows of a plan: those that are joined as the stream wants it, and how far the rows overlap.
// Decision D282.
import { joinWithin, longestJoinOf } from '../playout/item-joins.ts';
import type { TrackJoins } from '../playout/item-joins.ts';
import { overlapFrames, overlaps } from '../playout/sound.ts';
import { frameOfMs } from './frame-grid.ts';
import type { FrameGrid } from './frame-grid.ts';
import type { PlannedRow, TimedRow } from './planned-row.ts';
import type { Insert } from './programme-rules.ts';

type RowFacts = Pick<PlannedRow, 'kind' | 'insertID' | 'part'>;

/** The frames of a row, and those that bound its join to the next one. */
export interface RowFrames {
  readonly startFrame: number;
  /** The end of the row if nothing joins it. */
  readonly endFrame: number;
  /** The frame that cuts off what plays. */
  readonly deadline: number;
  /** The last beginning or end of a block up to the end of the row. The next row does not begin before it. */
  readonly boundaryFrame: number;
}

/** The end of a row that the next row may join. */
export interface OpenEnd {
  readonly item: PlannedRow['item'];
  /** The longest join, in seconds, as far as this row decides. */
  readonly longestSeconds: number;
  /** Frames from the earliest beginning of the next row to the end. */
  readonly leadFrames: number;
}

export interface Seam {
  /** The longest join that both rows have room for, in seconds. */
  readonly joinSeconds: number;
  readonly overlapFrames: number;
}

/** The first frames of a plan. */
interface PlanBeginning {
  readonly grid: FrameGrid;
  readonly fromFrame: number;
  /** As of `RowFrames`, for the row before the plan. */
  readonly boundaryFrame: number;
}

/** The place of a plan behind the row before it. */
export interface Continued {
  /** The end of the row before; `fromFrame` of the plan if the row cannot change any more. */
  readonly endFrame: number;
  /** Frames from the first frame at which the next row may begin, to the end. */
  readonly leadFrames: number;
  readonly openEnd: OpenEnd | null;
  /** The row before without its join; null: its end does not change. */
  readonly row: PlannedRow | null;
}

/** The seams of a plan. Items are joined, and the breaks that want it. */
export class Seams {
  readonly #joins: TrackJoins | null;
  readonly #joinedInserts: ReadonlySet<string>;
  readonly #rate: number;

  /** @param joins null: all rows follow each other by cuts */
  constructor(joins: TrackJoins | null, inserts: readonly Insert[], framesPerSecond: number) {
    this.#joins = joins?.ofStream.kind === 'cut' ? null : joins;
    this.#joinedInserts = new Set(inserts.flatMap(({ id, join }) => (join === 'as_stream' ? [id] : [])));
    this.#rate = framesPerSecond;
  }

  /** Whether rows may be joined, so that the end of a row is known with the next one only. */
  get areJoined(): boolean {
    return this.#joins !== null;
  }

  /** The end of a row; null: the next row follows by a cut. */
  endOf(row: RowFacts & Pick<PlannedRow, 'item' | 'isCutOff'>, frames: RowFrames): OpenEnd | null {
    const { item, part, isCutOff } = row;
    const { startFrame, endFrame, deadline, boundaryFrame } = frames;
    const isInterrupted = part !== undefined && part.untilSeconds !== null;
    if (!this.#joins || isCutOff || isInterrupted || endFrame >= deadline || !this.#isJoined(row)) return null;
    const half = longestJoinOf((endFrame - startFrame) / this.#rate);
    if (!overlaps(this.#joins.ofStream)) return { item, longestSeconds: half, leadFrames: 0 };
    const sinceBoundary = Math.floor(((endFrame - boundaryFrame) / this.#rate) * 10) / 10;
    const longestSeconds = Math.min(half, sinceBoundary);
    const join = joinWithin(item, longestSeconds, this.#joins);
    return join ? { item, longestSeconds, leadFrames: overlapFrames(join, this.#rate) } : null;
  }

  /** The seam of a row with the one before it; null: a cut. @param frames that the row has at least */
  seamOf(before: OpenEnd | null, row: RowFacts, frames: number): Seam | null {
    const isContinued = row.part !== undefined && row.part.fromSeconds > 0;
    if (!this.#joins || !before || isContinued || frames < this.#rate || !this.#isJoined(row)) return null;
    const joinSeconds = Math.min(before.longestSeconds, longestJoinOf(frames / this.#rate));
    const join = joinWithin(before.item, joinSeconds, this.#joins);
    return { joinSeconds, overlapFrames: overlapFrames(join, this.#rate) };
  }

  /**
   * The place of a plan behind the row before it, which may be on the air: its join can only become shorter, or a cut.
   * A row is chosen for the first frame at which it may begin, also if the row before it is history.
   * @returns null: the row before has nothing to do with the first row of the plan
   */
  continued({ row, startMs, endMs }: TimedRow, { grid, fromFrame, boundaryFrame }: PlanBeginning): Continued | null {
    const [startFrame, endFrame] = [frameOfMs(grid, startMs), frameOfMs(grid, endMs)];
    const end = this.endOf(row, { startFrame, endFrame, deadline: Infinity, boundaryFrame });
    const overlap = endFrame - fromFrame;
    if (overlap < 0 || startFrame >= fromFrame) return null;
    const { joinSeconds, ...unjoined } = row;
    if (joinSeconds === undefined || row.isCutOff) {
      const leadFrames = (end?.leadFrames ?? 0) - overlap;
      return leadFrames < 0 ? null : { endFrame: fromFrame, leadFrames, openEnd: null, row: null };
    }
    // A row that was planned without an overlap has no time for one.
    const kept = end && (overlap > 0 || end.leadFrames === 0) ? end : null;
    const mostSeconds = overlap > 0 ? overlap / this.#rate : Infinity;
    return {
      endFrame,
      leadFrames: kept?.leadFrames ?? 0,
      openEnd: kept && { ...kept, longestSeconds: Math.min(kept.longestSeconds, mostSeconds) },
      row: { ...unjoined, startFrame, frameCount: endFrame - startFrame },
    };
  }

  #isJoined({ kind, insertID }: RowFacts): boolean {
    return kind === 'item' || (kind === 'insert' && this.#joinedInserts.has(insertID ?? ''));
  }
}
