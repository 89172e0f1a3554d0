// The frames of a run and the times at which they are due, each computed from the other.

export interface RunClock {
  /** The frame that is due at a time, with the part of it that has passed; 0 before the run. */
  readonly frameAt: (at: Date) => number;
  /** The first whole millisecond of a frame, so that `frameAt` of it is that frame again. */
  readonly timeOf: (frame: number) => Date;
}

/** Of frames and milliseconds; far less than either. */
const roundingError = 1e-6;

/** @param anchoredAt when frame 0 was due */
export function runClock(anchoredAt: Date, framesPerSecond: number): RunClock {
  return {
    frameAt: (at) => Math.max(0, ((at.getTime() - anchoredAt.getTime()) / 1000) * framesPerSecond + roundingError),
    timeOf: (frame) => new Date(anchoredAt.getTime() + Math.ceil((frame / framesPerSecond) * 1000 - roundingError)),
  };
}
