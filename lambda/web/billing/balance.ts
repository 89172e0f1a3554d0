// The credits of the user, with their use and their end. They change all the time while a stream is live.
import { useLive } from '../app/live-data.ts';
import type { Live } from '../app/live-data.ts';
import type { BillingOverview } from '../app/types.ts';

export const balancePath = '/billing/overview';
const everyMs = 10_000;

export function useBalance(): Live<BillingOverview> {
  return useLive<BillingOverview>(balancePath, everyMs);
}
