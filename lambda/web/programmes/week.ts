// The rectangles of a week: when blocks are on, by their rules, in the zone of the programme.
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
  /** Whether the block begins here, and not on the day before. */
  readonly isBeginning: boolean;
  /** The number of rectangles under it, which it wins over. */
  readonly depth: number;
}

const dayMinutes = 1440;

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
  const [hour, minute] = at.split(':').map(Number) as [number, number];
  // The longest block lasts a week, so that one of the week before may still be on.
  const before = Array.from({ length: 15 }, (_, index) => index - 8);
  return before
    .filter((day) => beginsOn(block, monday + day))
    .flatMap((day) => {
      const from = day * dayMinutes + hour * 60 + minute;
      return Array.from({ length: 7 }, (_, shown) => ({
        block,
        day: shown,
        from: Math.max(0, from - shown * dayMinutes),
        until: Math.min(dayMinutes, from + minutes - shown * dayMinutes),
        isBeginning: day === shown,
      })).filter((piece) => piece.from < piece.until);
    });
}
