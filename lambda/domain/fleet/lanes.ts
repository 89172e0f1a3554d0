// Lanes: the number of pieces of work that a process does at once, and the number that one user may have of them.
import { backlogRestMs, othersWithinMs } from './backlog-rest.ts';
import type { RestPolicy } from './backlog-rest.ts';
import type { StreamToSend } from './capacity.ts';

export interface Lanes {
  readonly count: number;
  /**
   * Lanes of one user. Fewer than `count`, so that another user's work finds a free lane; equal if the work of a user
   * with enough lanes ends at once by itself.
   */
  readonly ofUser: number;
}

/** Lanes of an agent for the queue `media`. A tool in a lane may take all the memory of its lane. */
export const mediaLanes: Lanes = { count: 2, ofUser: 1 };
/**
 * Whether an agent of these backends takes media commands. An agent for prepared streams alone does not: hundreds of
 * streams share its one core, and it has no memory for tools. `data/fleet/agents.ts` has the same rule in SQL.
 */
export function takesMedia(backends: readonly StreamToSend['backend'][]): boolean {
  return backends.length === 0 || backends.includes('ffmpeg');
}

/** Lanes of an import worker. Each takes the memory of two parts at most. */
export const importLanes: Lanes = { count: 4, ofUser: 3 };

/** Waiting time that separates a new request from a piece of its user's backlog. */
const askedJustNowMs = 2000;
/** Rests after a piece of a backlog. */
const restPolicy: RestPolicy = { timesAsLong: 3, mostMs: 3000 };

/** Whether a piece of work was requested just now, by its waiting time. */
export const isAskedJustNow = (waitedMs: number): boolean => waitedMs < askedJustNowMs;

/**
 * Rest of a user after a piece of work, so that other users' new requests find the machine less busy. If all users have
 * backlogs, none rests.
 * @param sinceOthersMs time since another user's new request was begun
 */
export function restMs(waitedMs: number, tookMs: number, sinceOthersMs: number): number {
  if (isAskedJustNow(waitedMs) || sinceOthersMs > othersWithinMs) return 0;
  return backlogRestMs(tookMs, restPolicy);
}

/**
 * Users that may begin no further work for now.
 * @param underWay user of each piece of work under way; null for work of no user, which does not count
 */
export function usersAtBound(underWay: Iterable<string | null>, { ofUser }: Lanes): string[] {
  const counts = new Map<string, number>();
  for (const userID of underWay) if (userID !== null) counts.set(userID, (counts.get(userID) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= ofUser).map(([userID]) => userID);
}
