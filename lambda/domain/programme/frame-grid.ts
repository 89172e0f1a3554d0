// The grid of frames that a plan lies on, and the times of blocks on it.
import type { BlockTime } from './block-times.ts';

/** The frames of a run, with the time of frame 0 as Unix time in ms. */
export interface FrameGrid {
  readonly anchoredAtMs: number;
  readonly framesPerSecond: number;
}

/** The time of a frame, as Unix time in ms. */
export function msOfFrame({ anchoredAtMs, framesPerSecond }: FrameGrid, frame: number): number {
  return anchoredAtMs + (frame * 1000) / framesPerSecond;
}

/** The first frame that is due at or after a Unix time in ms. */
export function frameOfMs({ anchoredAtMs, framesPerSecond }: FrameGrid, ms: number): number {
  // The sum is never the negative zero.
  return Math.ceil(((ms - anchoredAtMs) * framesPerSecond) / 1000 - rounding) + 0;
}

/** Far below one frame, and above the precision of Unix times in ms, which is 0.00002 frames. */
const rounding = 1e-3;

/** A block time on the grid of frames. */
export interface Span {
  readonly time: BlockTime;
  readonly from: number;
  readonly until: number;
  /** The first frame, from its beginning on, at which a block cuts off what plays; Infinity: none. */
  readonly cutFrame: number;
}

/** Block times on the grid of frames. */
export function spansOf(blockTimes: readonly BlockTime[], grid: FrameGrid): Span[] {
  let cutFrame = Infinity;
  const spans = blockTimes.toReversed().map((time): Span => {
    const from = frameOfMs(grid, time.fromMs);
    cutFrame = Math.min(cutFrame, cutOfBeginning(time, from, grid));
    return { time, from, until: frameOfMs(grid, time.untilMs), cutFrame };
  });
  return spans.toReversed();
}

/** The frame at which a block that begins cuts off what plays; Infinity: it waits. */
function cutOfBeginning({ block, isBeginning }: BlockTime, from: number, { framesPerSecond }: FrameGrid): number {
  if (!isBeginning) return Infinity;
  if (block.starts === 'hard') return from;
  return block.latestMinutes === null ? Infinity : from + block.latestMinutes * 60 * framesPerSecond;
}

/** The time that a row may have. */
export interface Room {
  /** Null: no block has the time. */
  readonly time: BlockTime | null;
  /** The frame that cuts off what plays; Infinity: none. */
  readonly deadline: number;
}

/** The room at a frame. @param spans those that end after it; the first two are enough */
export function roomIn([span, next]: readonly Span[], frame: number): Room {
  // A time without a block ends exactly.
  if (!span || span.from > frame) return { time: null, deadline: span?.from ?? Infinity };
  const isExact = span.time.block.ends !== 'finish' && span.time.isEnd;
  return { time: span.time, deadline: Math.min(isExact ? span.until : Infinity, next?.cutFrame ?? Infinity) };
}

/** The last beginning or end of a block time up to a frame; -Infinity: none. @param spans in order */
export function lastEdgeUntil(spans: readonly Span[], frame: number, firstSpan: number): number {
  let last = -Infinity;
  for (let index = firstSpan; index < spans.length && spans[index]!.from <= frame; index++) {
    const { from, until } = spans[index]!;
    last = until <= frame ? until : from;
  }
  return last;
}

/** The first frame after another one at which block times cut off what plays; Infinity: none. */
export function firstCutAfter(blockTimes: readonly BlockTime[], grid: FrameGrid, frame: number): number {
  return roomIn(
    spansOf(blockTimes, grid).filter(({ until }) => until > frame),
    frame,
  ).deadline;
}
