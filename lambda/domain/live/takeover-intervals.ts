// Intervals of takeovers: the frames of a run that show a contributor's session in place of the timeline.
/** The upload that follows a session if it is lost. */
export interface IntervalSlate {
  readonly uploadID: string;
  /** The longest time for which it is shown. */
  readonly seconds: number;
  /** The frame of the run at which the timeline continues; null: the session is not lost, as far as is known. */
  readonly toFrame: number | null;
}

/** Frames of a run, counted from its anchor, that show a session. */
export interface TakeoverInterval {
  readonly sessionID: string;
  readonly fromFrame: number;
  /** The end, not included; null: not known yet. */
  readonly toFrame: number | null;
  /** The segment of the session whose first picture is sent at `fromFrame`. */
  readonly firstSegment: number;
  /** Absent: the timeline follows. */
  readonly slate?: IntervalSlate;
}

/** The interval that contains a frame; null: the timeline plays. */
export function intervalAt(intervals: readonly TakeoverInterval[], frame: number): TakeoverInterval | null {
  return intervals.findLast(({ fromFrame, toFrame }) => fromFrame <= frame && frame < (toFrame ?? Infinity)) ?? null;
}

/** The first frame after `frame` at which an interval begins; Infinity: none is planned. */
export function nextIntervalStart(intervals: readonly TakeoverInterval[], frame: number): number {
  const later = intervals.filter(({ fromFrame, toFrame }) => fromFrame > frame && fromFrame < (toFrame ?? Infinity));
  return Math.min(...later.map(({ fromFrame }) => fromFrame));
}

/**
 * The frame of the run at which the first picture of a session would be sent, if the whole session were.
 * @param gopFrames pictures of a segment
 */
export function sessionStartFrame(
  { fromFrame, firstSegment }: Pick<TakeoverInterval, 'fromFrame' | 'firstSegment'>,
  gopFrames: number,
): number {
  return fromFrame - firstSegment * gopFrames;
}
