// Lanes: how many pieces of work a process has under way at once, and how many of them may be one user's.
import { backlogRestMs, othersWithinMs } from './backlog-rest.ts';
import type { RestPolicy } from './backlog-rest.ts';
import type { StreamToSend } from './capacity.ts';

export interface Lanes {
  readonly count: number;
  /**
   * Fewer than `count`: whoever comes to a user's backlog finds a lane free, and waits for no piece of it to end. As
   * many where the work itself ends at once when its user has enough under way.
   */
  readonly ofUser: number;
}

/** Of what an agent takes from the queue `media`. Each may have a tool that takes all the memory it gets. */
export const mediaLanes: Lanes = { count: 2, ofUser: 1 };
/**
 * Whether an agent of these backends takes media commands. One of prepared streams alone does not: hundreds of them
 * share its one core, and it has memory for no tool. `data/fleet/agents.ts` says the same in SQL.
 */
export function takesMedia(backends: readonly StreamToSend['backend'][]): boolean {
  return backends.length === 0 || backends.includes('ffmpeg');
}

/** Imports of a worker. Each takes the memory of two parts at most. */
export const importLanes: Lanes = { count: 4, ofUser: 3 };

/** What waited longer was one of many pieces of its user; what waited less has just been asked for. */
const askedJustNowMs = 2000;
/** After a piece of a backlog. */
const restPolicy: RestPolicy = { timesAsLong: 3, mostMs: 3000 };

/** Whether a piece of work that waited so long has just been asked for. */
export const isAskedJustNow = (waitedMs: number): boolean => waitedMs < askedJustNowMs;

/**
 * How long a user rests after a piece of work, so that what others have just asked for finds the machine less busy.
 * Where all have waited, resting would help nobody.
 * @param sinceOthersMs how long ago something was begun that another user had just asked for
 */
export function restMs(waitedMs: number, tookMs: number, sinceOthersMs: number): number {
  if (isAskedJustNow(waitedMs) || sinceOthersMs > othersWithinMs) return 0;
  return backlogRestMs(tookMs, restPolicy);
}

/**
 * The users of whom nothing more may be begun for now.
 * @param underWay whose the pieces of work under way are; null: nobody's, and such a piece counts for nobody
 */
export function usersAtBound(underWay: Iterable<string | null>, { ofUser }: Lanes): string[] {
  const counts = new Map<string, number>();
  for (const userID of underWay) if (userID !== null) counts.set(userID, (counts.get(userID) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= ofUser).map(([userID]) => userID);
}
