// Limits what a user makes within an hour, as deleting it frees its limit before the database is rid of it.
// Decision D268.
import type { Database } from '../../data/database.ts';
import { subjectOfUser } from '../../data/shared/request-windows.ts';
import { timesAnHour } from '../../domain/shared/limits.ts';
import type { Use } from '../../domain/shared/limits.ts';
import { limitsOf } from './limits.ts';

export interface MadeNow {
  readonly userID: string;
  /** The factor of the stage for all limits. */
  readonly limitFactor: number;
  readonly limit: keyof typeof timesAnHour;
  readonly count: number;
}

/**
 * Counts what a user makes, in the caller's transaction, which has locked the use of the limit.
 * @returns the use of the hour, if this would exceed it; then nothing is counted. Null: it does not
 */
export async function takeOfHour(data: Database, { userID, limitFactor, limit, count }: MadeNow): Promise<Use | null> {
  if (count === 0) return null;
  const [{ allowed: atOnce }] = (await limitsOf(data, userID, limitFactor, [limit])) as [Use];
  const allowed = atOnce * timesAnHour[limit];
  const used = await data.requestWindows.takeOfHour(subjectOfUser(userID), limit, { count, most: allowed });
  return used === null ? null : { limit, used, allowed, isOfHour: true };
}
