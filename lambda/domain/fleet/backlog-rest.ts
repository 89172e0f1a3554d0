// How long a user with a backlog rests, so that it takes a part of the time, and what others ask for comes in between.

/** Whoever asked for something so lately may ask again: nobody rests for the sake of what is longer ago. */
export const othersWithinMs = 5000;

export interface RestPolicy {
  /** A rest is so many times as long as the work before it. */
  readonly timesAsLong: number;
  /** Others come in between at any time: a rest need be no longer. */
  readonly mostMs: number;
}

/** @param tookMs how long the work took */
export const backlogRestMs = (tookMs: number, { timesAsLong, mostMs }: RestPolicy): number =>
  Math.min(timesAsLong * tookMs, mostMs);
