// The rectangles of a week: when blocks are on, by their rules, in the zone of the programme.
import { dayMinutes, minutesOf } from '../../domain/shared/wall-clock.ts';
import { beginsOn } from './rules.ts';
import type { Block } from './rules.ts';

/** The part of a block's time that lies in one day. */
export interface Rectangle {
  readonly block: Block;
  /** The day of the week, from 0. */
  readonly day: number;
  /** Minutes since the midnight of the day. */
  readonly from: number;
  readonly until: number;
  /** The day on which the block begins, counted as `day`; before the week it is negative. */
  readonly beginDay: number;
  /** Whether the block ends here, and not on a later day. */
  readonly isEnd: boolean;
  /** The number of rectangles under it, which it wins over. */
  readonly depth: number;
}

/**
 * @param monday the number of the first day
 * @returns rectangles by day and time; those with a higher depth are in front
 */
export function rectanglesOf(blocks: readonly Block[], monday: number): Rectangle[] {
  const found = blocks.flatMap((block, place) => piecesOf(block, monday).map((piece) => ({ ...piece, place })));
  type Piece = (typeof found)[number];
  const wins = (one: Piece, other: Piece) =>
    one.block.priority === other.block.priority ? one.place < other.place : one.block.priority > other.block.priority;
  const isOver = (one: Piece, other: Piece) =>
    one.day === other.day && one.from < other.until && other.from < one.until && wins(one, other);
  return found
    .map(({ place, ...piece }) => ({
      ...piece,
      depth: found.filter((other) => isOver({ place, ...piece }, other)).length,
    }))
    .toSorted((one, other) => one.day - other.day || one.from - other.from || one.depth - other.depth);
}

function piecesOf(block: Block, monday: number): Omit<Rectangle, 'depth'>[] {
  const { at, minutes } = block;
  if (at === null || minutes === null || !/^\d\d:\d\d$/.test(at) || !(minutes > 0)) return [];
  // The longest block lasts a week, so that one of the week before may still be on.
  const before = Array.from({ length: 15 }, (_, index) => index - 8);
  return before
    .filter((day) => beginsOn(block, monday + day))
    .flatMap((day) => {
      const from = day * dayMinutes + minutesOf(at);
      return Array.from({ length: 7 }, (_, shown) => ({
        block,
        day: shown,
        from: Math.max(0, from - shown * dayMinutes),
        until: Math.min(dayMinutes, from + minutes - shown * dayMinutes),
        beginDay: day,
        isEnd: from + minutes <= (shown + 1) * dayMinutes,
      })).filter((piece) => piece.from < piece.until);
    });
}
