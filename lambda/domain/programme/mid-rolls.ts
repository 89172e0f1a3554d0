// Breaks within long items: the points at which an item may be divided. Decision D231.
import type { BlackTime, PlannableItem } from './plannable.ts';
import type { Insert } from './programme-rules.ts';
import { gopSeconds } from '../playout/rendition.ts';
import { firstIndex } from '../shared/binary-search.ts';

/** A point of an item at which a break may be. */
export interface BreakPoint {
  readonly insert: Insert;
  /** Seconds of the item before the break, on the grid of keyframes. */
  readonly seconds: number;
}

/**
 * All points of an item, the first one first. Two inserts may have the same point.
 * @param blockID the block that plays the item; null: none
 */
export function breakPointsOf(
  inserts: readonly Insert[],
  { durationSeconds, black = [] }: Pick<PlannableItem, 'durationSeconds' | 'black'>,
  blockID: string | null,
): BreakPoint[] {
  const keyframes = blackKeyframes(black);
  const points = inserts.flatMap((insert) => {
    if (!('midRoll' in insert.when)) return [];
    const { everyMinutes, keepLastMinutes, blockID: wanted } = insert.when.midRoll;
    if (wanted !== null && wanted !== blockID) return [];
    const lastSeconds = durationSeconds - keepLastMinutes * 60;
    const count = Math.max(0, Math.floor(lastSeconds / (everyMinutes * 60)));
    const wantedSeconds = Array.from({ length: count }, (_, index) => (index + 1) * everyMinutes * 60);
    const points = wantedSeconds.map((wish): BreakPoint => ({ insert, seconds: pointNear(wish, keyframes) }));
    return points.filter(({ seconds }) => seconds > 0 && seconds <= lastSeconds);
  });
  return points.toSorted((one, other) => one.seconds - other.seconds);
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

/** The first and last keyframes of times with black pictures that have any, in order. */
function blackKeyframes(black: readonly BlackTime[]): BlackTime[] {
  return black
    .map(([from, until]): BlackTime => [
      Math.ceil(from / gopSeconds) * gopSeconds,
      Math.floor(until / gopSeconds) * gopSeconds,
    ])
    .filter(([first, last]) => first <= last)
    .toSorted(([one], [other]) => one - other);
}

/** The keyframe of black pictures that is nearest to a wanted one, or that itself: full minutes have keyframes. */
function pointNear(wish: number, keyframes: readonly BlackTime[]): number {
  const following = firstIndex(keyframes, ([, last]) => last >= wish);
  const near = keyframes
    .slice(Math.max(0, following - 1), following + 1)
    .map(([first, last]) => Math.min(Math.max(wish, first), last));
  const distance = (point: number) => Math.abs(point - wish);
  const nearest = near.toSorted((one, other) => distance(one) - distance(other))[0];
  return nearest !== undefined && distance(nearest) <= mostSnapSeconds ? nearest : wish;
}
