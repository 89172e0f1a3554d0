// Breaks within long items: the points at which an item may be divided. Decision D231.
import type { BlackTime, PlannableItem } from './plannable.ts';
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
  { durationSeconds, black = [] }: Pick<PlannableItem, 'durationSeconds' | 'black'>,
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
    const points = wantedSeconds.map((wish): BreakPoint => ({ insert, seconds: pointNear(wish, black) }));
    return points.filter(({ seconds }) => seconds <= lastSeconds);
  });
  return points.filter(({ seconds }) => seconds > fromSeconds).toSorted((one, other) => one.seconds - other.seconds);
}

/** The shortest item that a rule divides, in seconds; Infinity: none. */
export function shortestDivided(inserts: readonly Insert[]): number {
  const shortest = inserts.map(({ when }) => {
    return 'midRoll' in when ? (when.midRoll.everyMinutes + when.midRoll.keepLastMinutes) * 60 : Infinity;
  });
  return Math.min(Infinity, ...shortest);
}

/** The longest way from a wanted point to black pictures. */
const mostSnapSeconds = 30;

/** The keyframe of black pictures that is nearest to a wanted one, or that itself: full minutes have keyframes. */
function pointNear(wish: number, black: readonly BlackTime[]): number {
  const near = black.flatMap(([from, until]) => {
    const [first, last] = [Math.ceil(from / gopSeconds) * gopSeconds, Math.floor(until / gopSeconds) * gopSeconds];
    return first > last ? [] : [Math.min(Math.max(wish, first), last)];
  });
  const distance = (point: number) => Math.abs(point - wish);
  const nearest = near.toSorted((one, other) => distance(one) - distance(other))[0];
  return nearest !== undefined && distance(nearest) <= mostSnapSeconds ? nearest : wish;
}
