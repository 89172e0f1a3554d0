// The credits of the user, with their use and their end. They change all the time while a stream is live.
import { useLive } from '../app/live-data.ts';
import type { Live } from '../app/live-data.ts';
import type { BillingOverview } from '../app/types.ts';

export const balancePath = '/billing/overview';
/** The interval of reading beside other screens. The screen of billing reads more often. */
const usualMs = 30_000;

/** @param everyMs see `useLive` */
export function useBalance(everyMs = usualMs): Live<BillingOverview> {
  return useLive<BillingOverview>(balancePath, everyMs);
}
