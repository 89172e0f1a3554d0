// Reserves the units of a call in the daily quota of our project, before the call.
import type { Broadcast } from '../data/channels/broadcasts.ts';
import type { MirrorDatabase } from '../data/mirror-database.ts';
import { quotaBounds, quotaDay, quotaShares, unitsKeptForEnds, unitsTaken } from '../domain/channels/platform-quota.ts';
import type { PlatformCall } from '../ports/managed-platforms/broadcasts.ts';
import type { ManagedPlatform } from '../ports/managed-platforms/managed-platform.ts';
import type { MirrorOptions } from './mirror-options.ts';

/** The units reserved for the end of a broadcast. */
type ReservedEnd = Pick<Broadcast, 'reserved_units' | 'reserved_day'>;

/** A call, and its broadcast; null if the call has none, or creates one. */
export interface CallToReserve {
  readonly call: PlatformCall;
  /** The user for whom it is made; null: many users. */
  readonly userID: string | null;
  readonly broadcast: ReservedEnd | null;
}

/**
 * @returns `quota` if the quota of the day allows no more calls of this kind; `share` if the user's part of it does
 *   not; `unfunded` if the part of all users who are not funded does not
 */
export async function reserveUnits(
  data: Pick<MirrorDatabase, 'platformQuota'>,
  { clock, dailyUnits }: Pick<MirrorOptions, 'clock' | 'dailyUnits'>,
  { name, units }: Pick<ManagedPlatform, 'name' | 'units'>,
  { call, userID, broadcast }: CallToReserve,
): Promise<'taken' | 'quota' | 'share' | 'unfunded'> {
  const now = clock();
  const day = quotaDay(now);
  const isEndReserved = broadcast !== null && broadcast.reserved_units > 0 && broadcast.reserved_day === day;
  const taken = unitsTaken(call, units, isEndReserved);
  if (taken === 0) return 'taken';
  const daily = dailyUnits[name] ?? 2 ** 30;
  const kept =
    call === 'insert' ? unitsKeptForEnds(await data.platformQuota.openBefore(name, day), units.end, daily) : 0;
  const most = Math.floor(daily * quotaShares[call]) - kept;
  const bounds = { most, ...quotaBounds(call, daily) };
  return data.platformQuota.reserve({ platform: name, userID, day, units: taken, ...bounds }, now);
}
