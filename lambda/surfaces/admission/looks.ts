// Admits looks at pictures by anyone with a link. Their time counts as that of calls does. Decision D274.
import { databaseOn } from '../../data/database.ts';
import { ProblemError } from '../../operations/problem-codes.ts';
import type { Shown } from '../preview-links.ts';
import type { Service } from '../service.ts';
import { countArrival, createCallTimer, tookTooMuch } from './call-time.ts';
import type { CallTimer } from './call-time.ts';
import { quotaOf } from './rate-limits.ts';

/**
 * Counts a look at a picture of a user. A look that reads the timeline reserves for it: most find it in the process.
 * @returns the timer of the look
 * @throws {ProblemError} rate_limited
 */
export async function admitLook(service: Service, shown: Shown, userID: string): Promise<CallTimer> {
  const subject = `${shown}s of ${userID}`;
  const arrival = { kind: 'read', calls: 1, longCalls: 0 } as const;
  const calls = { credential: subject, requestClass: shown, arrival };
  const { requestWindows } = databaseOn(service.pool);
  const counted = await countArrival(service, calls, (time) => requestWindows.countCalls(subject, shown, 1, time));
  const { exceeded, resetSeconds } = quotaOf(service, shown, counted);
  if (counted.is_used_up) throw tookTooMuch(service, shown, resetSeconds);
  if (exceeded)
    throw new ProblemError('rate_limited', `Too many ${shown}s are open. Try again in ${resetSeconds} seconds.`);
  return createCallTimer(service, subject, calls, counted);
}
