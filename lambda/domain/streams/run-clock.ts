// Clock of a run: frames and the times at which they are due, each computed from the other.

/** Rounding error in frames and milliseconds, far below one of either. */
const roundingError = 1e-6;

/**
 * Seconds of a run that have passed at a time; negative before the run.
 * @param anchoredAt due time of frame 0; null while an agent has not set it: no time has passed
 */
export function elapsedSecondsOf(anchoredAt: Date | null, at: Date): number {
  return anchoredAt === null ? 0 : (at.getTime() - anchoredAt.getTime()) / 1000;
}

/** @param anchoredAt due time of frame 0 */
export function runClock(anchoredAt: Date, framesPerSecond: number) {
  return {
    /** Frame due at a time, with the passed fraction; 0 before the run. */
    frameAt: (at: Date) => Math.max(0, elapsedSecondsOf(anchoredAt, at) * framesPerSecond + roundingError),
    /** First whole millisecond of a frame, so that `frameAt` of it returns that frame. */
    timeOf: (frame: number) =>
      new Date(anchoredAt.getTime() + Math.ceil((frame / framesPerSecond) * 1000 - roundingError)),
  };
}
