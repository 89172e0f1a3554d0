// Breaks within long items: the points at which an item may be divided. Decision D231.
import type { PlannableItem } from './plannable.ts';
import type { Insert } from './programme-rules.ts';
import { gopSeconds } from '../playout/rendition.ts';

/** A point of an item at which a break may be. */
export interface BreakPoint {
  readonly insert: Insert;
  /** Seconds of the item before the break, on the grid of keyframes. */
  readonly seconds: number;
}

/**
 * The points of an item after a time of it, the first one first. Two inserts may have the same point.
 * @param blockID the block that plays the item; null: none
 * @param fromSeconds the beginning of the part that is divided next
 */
export function breakPointsOf(
  inserts: readonly Insert[],
  { durationSeconds }: Pick<PlannableItem, 'durationSeconds'>,
  blockID: string | null,
  fromSeconds: number,
): BreakPoint[] {
  const points = inserts.flatMap((insert) => {
    if (!('midRoll' in insert.when)) return [];
    const { everyMinutes, keepLastMinutes, blockID: wanted } = insert.when.midRoll;
    if (wanted !== null && wanted !== blockID) return [];
    const lastSeconds = durationSeconds - keepLastMinutes * 60;
    const count = Math.max(0, Math.floor(lastSeconds / (everyMinutes * 60)));
    const wantedSeconds = Array.from({ length: count }, (_, index) => (index + 1) * everyMinutes * 60);
    return wantedSeconds.map((wish): BreakPoint => ({ insert, seconds: onGrid(wish) }));
  });
  return points.filter(({ seconds }) => seconds > fromSeconds).toSorted((one, other) => one.seconds - other.seconds);
}

/** The keyframe that is nearest to a time. */
function onGrid(seconds: number): number {
  return Math.round(seconds / gopSeconds) * gopSeconds;
}
