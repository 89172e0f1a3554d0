// Rests of a user with a backlog, so that other users' new work comes in between.

/** Milliseconds after a user's last request within which backlogs of other users rest. */
export const othersWithinMs = 5000;

export interface RestPolicy {
  /** Length of a rest, as a multiple of the work before it. */
  readonly timesAsLong: number;
  /** Longest rest, in milliseconds: other work comes in between at any time. */
  readonly mostMs: number;
}

/** @param tookMs length of the work */
export const backlogRestMs = (tookMs: number, { timesAsLong, mostMs }: RestPolicy): number =>
  Math.min(timesAsLong * tookMs, mostMs);
