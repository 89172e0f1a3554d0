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
  /** Lanes of all users together who are not funded; fewer than `count`, since accounts cost nothing. */
  readonly ofUnfunded: number;
}

/** Owner of a piece of work. */
export interface WorkOwner {
  /** Null: it is work of no user, which does not count. */
  readonly userID: string | null;
  /** Whether the user is not funded; false for work of no user. */
  readonly isUnfunded: boolean;
}

/** Those whose work may not begin for now. */
export interface LeftOut {
  readonly userIDs: readonly string[];
  /** Whether all users are left out who are not funded. */
  readonly unfunded: boolean;
}

/** Lanes of an agent for the queue `media`. A tool in a lane may take all the memory of its lane. */
export const mediaLanes: Lanes = { count: 2, ofUser: 1, ofUnfunded: 1 };
/**
 * Whether an agent of these backends takes media commands. An agent for prepared streams alone does not: hundreds of
 * streams share its one core, and it has no memory for tools. `data/fleet/agents.ts` has the same rule in SQL.
 */
export function takesMedia(backends: readonly StreamToSend['backend'][]): boolean {
  return backends.length === 0 || backends.includes('ffmpeg');
}

/** Lanes of an import worker. Each takes the memory of two parts at most. */
export const importLanes: Lanes = { count: 4, ofUser: 3, ofUnfunded: 2 };
/** The lane of an import worker beside them for recordings, whose segments are kept for a day only. Decision D286. */
export const recordingLane: Lanes = { count: 1, ofUser: 1, ofUnfunded: 1 };

/** Scans of watched sources that a process does at once. */
export const scanLanes: Lanes = { count: 2, ofUser: 1, ofUnfunded: 1 };

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

/** Those who may begin no further work for now, by the owners of all work under way. Decision D286. */
export function leftOut(underWay: Iterable<WorkOwner>, { ofUser, ofUnfunded }: Lanes): LeftOut {
  const counts = new Map<string, number>();
  let ofAllUnfunded = 0;
  for (const { userID, isUnfunded } of underWay) {
    if (isUnfunded) ofAllUnfunded += 1;
    if (userID !== null) counts.set(userID, (counts.get(userID) ?? 0) + 1);
  }
  const userIDs = [...counts].filter(([, count]) => count >= ofUser).map(([userID]) => userID);
  return { userIDs, unfunded: ofAllUnfunded >= ofUnfunded };
}
