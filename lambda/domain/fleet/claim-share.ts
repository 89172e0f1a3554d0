// Number of waiting replicas that an agent claims at a time, and the part of the agents for users who never paid.

/** Least number of agents for the smallest batch: an agent then claims that many, even if its share is less. */
const manyTakers = 32;
const smallestBatch = 16;
/** Limit of counting: to count all replicas of a lost zone would take longer than claiming some. */
export const countedAtMost = 1000;
/** Batch among many agents if at least this many replicas wait. */
const largeBatch = 50;

/**
 * Number of replicas to claim: twice an equal share, since other agents may have claimed theirs already and the rest is
 * for agents with room. Among many agents it is at least a small batch, because each claim and its reports have a fixed
 * cost.
 * @param waiting number of waiting replicas, as far as they were counted
 * @param takers number of agents that may claim them
 */
export function claimShare(waiting: number, takers: number): number {
  const share = Math.ceil((2 * waiting) / takers);
  if (takers < manyTakers) return share;
  return Math.max(share, waiting < countedAtMost ? smallestBatch : largeBatch);
}

/**
 * The part of all agents of a backend that streams of users who are not funded may hold together, and the number of
 * agents that they have at least. Below it they may begin, so the last one may exceed it. Decision D273.
 */
export const unfundedPart = { fraction: 0.3, leastAgents: 1 } as const;

/** The agents that look for waiting replicas within a second, about. Each look is a claim that may find nothing. */
export const fewLook = 8;
const noPartSeconds = { least: 3, most: 30 } as const;

/**
 * Time for which an agent leaves out replicas of users who are not funded after it has found their part used up, in
 * milliseconds: agents find out one after the other that a part is left again.
 * @param takers number of agents that may claim them
 */
export function noPartForMs(takers: number): number {
  return 1000 * Math.min(noPartSeconds.most, Math.max(noPartSeconds.least, takers / fewLook));
}

/** The most agents that one set of starts wakes. */
const mostWoken = 32;
/** Agents that are woken for a few replicas. Some of them may have no room. */
const fewWoken = 4;

/** Number of agents to wake for replicas that begin to wait: each claims a batch, or its share. */
export function wokenAgents(waiting: number): number {
  return Math.min(waiting, mostWoken, fewWoken + Math.ceil(waiting / smallestBatch));
}
