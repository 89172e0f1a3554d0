// Admits looks at pictures by anyone with a link. Their time counts as that of calls does. Decision D274.
import { ProblemError } from '../../operations/problem-codes.ts';
import type { Shown } from '../preview-links.ts';
import type { Service } from '../service.ts';
import { admitWork } from './call-time.ts';
import type { CallTimer } from './call-time.ts';
import { quotaOf } from './rate-limits.ts';

/**
 * Counts a look at a picture of a user. A look that reads the timeline reserves for it: most find it in the process.
 * @returns the timer of the look
 * @throws {ProblemError} rate_limited
 */
export async function admitLook(service: Service, shown: Shown, userID: string): Promise<CallTimer> {
  const payers = { userID, subjects: [`${shown}s of ${userID}`] };
  const { time, window } = await admitWork(service, payers, shown, 0);
  const { exceeded, resetSeconds } = quotaOf(service, shown, window);
  if (exceeded)
    throw new ProblemError('rate_limited', `Too many ${shown}s are open. Try again in ${resetSeconds} seconds.`);
  return time;
}
