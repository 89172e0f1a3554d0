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
 * Counts what a user makes, in the caller's transaction, which has locked the use of the limit. More than that of an
 * hour may be made at a time, up to the limit, and counts for as many hours.
 * @returns the use of these hours, if this would exceed it; then nothing is counted. Null: it does not
 */
export async function takeOfHour(data: Database, { userID, limitFactor, limit, count }: MadeNow): Promise<Use | null> {
  if (count === 0) return null;
  const [{ allowed: atOnce }] = (await limitsOf(data, userID, limitFactor, [limit])) as [Use];
  const times = timesAnHour[limit][(await data.limits.isFunded(userID)) ? 'funded' : 'unfunded'];
  const [ofHour, most] = [atOnce * times, atOnce * Math.max(1, times)];
  const taken = await data.requestWindows.takeOfHours(subjectOfUser(userID), limit, { count, ofHour, most });
  return taken === null ? null : { limit, used: taken.used, allowed: ofHour * taken.hours, ofHours: taken.hours };
}
