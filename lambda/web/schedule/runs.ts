// The runs of a week as pieces of its days.
import type { Occurrence } from '../app/types.ts';
import type { Day } from './zoned-time.ts';

/** The part of a run that lies in one day. */
export interface Piece {
  readonly run: Occurrence;
  /** Shares of the day, from 0 to 1. */
  readonly from: number;
  readonly until: number;
  /** Whether the run begins here, and not on the day before. */
  readonly isBeginning: boolean;
  /** The place among runs at the same time, from 0, and the number of places. */
  readonly lane: number;
  readonly lanes: number;
}

/** @param runs in the order of their starts */
export function piecesOf(day: Day, runs: readonly Occurrence[]): Piece[] {
  const [fromMs, toMs] = [day.from.getTime(), day.to.getTime()];
  const parts = runs
    .map((run) => {
      const startMs = Date.parse(run.startAt);
      const endMs = run.endAt === null ? toMs : Date.parse(run.endAt);
      return { run, startMs: Math.max(fromMs, startMs), endMs: Math.min(toMs, endMs), isBeginning: startMs >= fromMs };
    })
    .filter(({ startMs, endMs }) => startMs < endMs);
  const ends: number[] = [];
  const placed = parts.map((part) => {
    const free = ends.findIndex((endMs) => endMs <= part.startMs);
    const lane = free === -1 ? ends.length : free;
    ends[lane] = part.endMs;
    return { ...part, lane };
  });
  const shareOf = (ms: number) => (ms - fromMs) / (toMs - fromMs);
  return placed.map(({ run, startMs, endMs, isBeginning, lane }) => ({
    run,
    from: shareOf(startMs),
    until: shareOf(endMs),
    isBeginning,
    lane,
    lanes: ends.length,
  }));
}
