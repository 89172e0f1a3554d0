// Computes the blocks of a long list that are near the viewport, and the height of the other blocks.

/** Blocks of rows, by number from 0. `to` is exclusive. */
export interface Blocks {
  readonly from: number;
  readonly to: number;
}

export const rowsInBlock = 5;

/** Rows within this distance of the viewport are rendered before the user scrolls to them. */
const marginPx = 600;
/** Assumed height of a block while no block was measured. Later it is the mean of the measured blocks. */
const guessedPx = rowsInBlock * 73;

/**
 * @param heights of the blocks that were rendered, in pixels
 * @param abovePx height of the part of the list above the viewport
 * @param sightPx height of the viewport
 */
export function shownBlocks(
  heights: ReadonlyMap<number, number>,
  count: number,
  abovePx: number,
  sightPx: number,
): Blocks {
  const guess = usual(heights);
  let endPx = 0;
  let from = 0;
  let to = 0;
  for (let block = 0; block < count; block++) {
    endPx += heights.get(block) ?? guess;
    if (endPx < abovePx - marginPx) from = block + 1;
    to = block + 1;
    if (endPx > abovePx + sightPx + marginPx) break;
  }
  // If the viewport is below the list, the last block is rendered for the way back.
  return { from: Math.min(from, Math.max(0, count - 1)), to };
}

/**
 * One step from the shown blocks towards the wanted ones. It adds one block at most: a task that adds more of them
 * would delay what the user does meanwhile.
 */
export function stepTowards(shown: Blocks, wanted: Blocks): Blocks {
  const from = Math.max(shown.from, wanted.from);
  const to = Math.min(shown.to, wanted.to);
  if (from >= to) return { from: wanted.from, to: Math.min(wanted.to, wanted.from + 1) };
  if (to < wanted.to) return { from, to: to + 1 };
  return { from: Math.max(wanted.from, from - 1), to };
}

/** The total height of the blocks `from` to `to` (exclusive), in pixels, measured or assumed. */
export function roomOf(heights: ReadonlyMap<number, number>, from: number, to: number): number {
  const guess = usual(heights);
  let room = 0;
  for (let block = from; block < to; block++) room += heights.get(block) ?? guess;
  return room;
}

function usual(heights: ReadonlyMap<number, number>): number {
  if (heights.size === 0) return guessedPx;
  return [...heights.values()].reduce((sum, height) => sum + height, 0) / heights.size;
}
