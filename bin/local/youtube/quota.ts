// The daily quota of a project: counted before a request is checked, and reset at midnight in California.
import type { Method } from './discovery.ts';
import { Refused } from './refused.ts';
import type { State } from './state.ts';

const pacificDay = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Los_Angeles' });

/** “Getting started”: reads usually cost one unit, and writes 50. Google's table has no rows for live streaming. */
function unitsOf({ httpMethod }: Method): number {
  return httpMethod === 'GET' ? 1 : 50;
}

/** Counts a request, even if it is refused later. @throws {Refused} if too little is left */
export function countUnits(state: State, method: Method, dailyUnits: number, now: Date): void {
  const used = usedUnits(state, now) + unitsOf(method);
  if (used > dailyUnits) throw new Refused('quotaExceeded');
  state.quota.used = used;
}

/** The units used on the current day. */
export function usedUnits(state: State, now: Date): number {
  const day = pacificDay.format(now);
  if (state.quota.day !== day) state.quota = { day, used: 0 };
  return state.quota.used;
}
