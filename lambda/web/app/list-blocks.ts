// Which blocks of a long list are near the sight, and how much room the others take.

/** Blocks of rows, by number: `to` is the first that is not there. */
export interface Blocks {
  readonly from: number;
  readonly to: number;
}

export const rowsInBlock = 20;

/** Rows this far outside of the sight are there before somebody scrolls to them. */
const marginPx = 600;
/** The height of a block that nobody has seen: that of those which were seen, else this. */
const guessedPx = rowsInBlock * 73;

/**
 * @param heights of the blocks that were seen, in pixels
 * @param abovePx how much of the list is above the sight
 * @param sightPx the height of what is seen
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
  // Whoever is below the list sees the end of it when they come back.
  return { from: Math.min(from, Math.max(0, count - 1)), to };
}

/** The height of blocks that are not there, in pixels. */
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
