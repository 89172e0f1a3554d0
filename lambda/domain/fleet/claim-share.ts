// How many waiting replicas an agent takes at a time, so that all agents get their share of them.

/** Among so many agents or more, an agent takes a batch of this size even where its share is smaller. */
const manyTakers = 32;
const smallestBatch = 16;
/** What waits is counted up to this: counting all that a lost zone has held would take longer than claiming some. */
export const countedAtMost = 1000;
/** The batch, among many agents, where so many wait or more. */
const largeBatch = 50;

/**
 * Twice an equal share of what waits now: others may have taken theirs already, and what is left is for those that are
 * not full. Among many agents it is a few in any case, since each claim and its reports cost something, however few
 * replicas they are about.
 * @param waiting how many wait, as far as they were counted
 * @param takers how many agents may take them
 */
export function claimShare(waiting: number, takers: number): number {
  const share = Math.ceil((2 * waiting) / takers);
  if (takers < manyTakers) return share;
  return Math.max(share, waiting < countedAtMost ? smallestBatch : largeBatch);
}
