// Takes the units of a call from the day's quota of our project, before the platform is asked.
import type { MirrorDatabase } from '../data/mirror-database.ts';
import { quotaDay, quotaShares } from '../domain/platform-quota.ts';
import type { PlatformCall } from '../ports/managed-platforms/broadcasts.ts';
import type { ManagedPlatform } from '../ports/managed-platforms/managed-platform.ts';
import type { MirrorOptions } from './mirror-options.ts';

/** @returns false where no more calls of this kind may be made on this day */
export async function reserveUnits(
  data: Pick<MirrorDatabase, 'platformQuota'>,
  { clock, dailyUnits }: Pick<MirrorOptions, 'clock' | 'dailyUnits'>,
  { name, units }: Pick<ManagedPlatform, 'name' | 'units'>,
  call: PlatformCall,
): Promise<boolean> {
  if (units[call] === 0) return true;
  const now = clock();
  const most = Math.floor((dailyUnits[name] ?? 2 ** 30) * quotaShares[call]);
  return data.platformQuota.reserve(name, quotaDay(now), units[call], most, now);
}
