// Quota of platforms that count no daily calls: they limit rates, and their refusals name the time of a retry.
import { quotaShares } from '../../domain/channels/platform-quota.ts';
import type { PlatformCall } from './broadcasts.ts';

export const uncountedUnits = Object.fromEntries(Object.keys(quotaShares).map((call) => [call, 0])) as Readonly<
  Record<PlatformCall, number>
>;
