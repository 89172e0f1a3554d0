// SQL of the used units of our daily quotas at platforms.
import type { PlatformName } from '../../domain/channels/managed-platforms.ts';
import { isOpen } from './broadcasts.ts';
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export function platformQuota(db: Queryable) {
  return {
    /**
     * Takes units for a call that is about to be made.
     * @param day of the quota, YYYY-MM-DD
     * @param most the most units of the day, including those of this call
     * @returns false if too few are left, or the platform has reported that the quota is exhausted
     */
    reserve: async (platform: PlatformName, day: string, units: number, most: number, now: Date) =>
      (await one(
        db,
        `insert into platform_quota as q (platform, day, used_units) select $1, $2::date, $3::integer
         where $3::integer <= $4 and not exists (
           select from platform_quota where platform = $1 and exhausted_until > $5)
         on conflict (platform, day) do update set used_units = q.used_units + excluded.used_units
         where q.used_units + excluded.used_units <= $4
         returning q.used_units`,
        [platform, day, units, most, now],
      )) !== null,

    /** The number of open broadcasts on a platform whose end has no reserved units on this day. */
    openBefore: async (platform: PlatformName, day: string) =>
      (await one<{ count: number }>(
        db,
        `select count(*)::integer as count from broadcasts b join connections c on c.id = b.connection_id
         where c.platform = $1 and ${isOpen} and b.reserved_day is distinct from $2`,
        [platform, day],
      ))!.count,

    /** Records the units that are reserved for the end of a broadcast; 0: they are used now. */
    reserveEnd: (broadcastID: string, units: number, day: string) =>
      db.query('update broadcasts set reserved_units = $2, reserved_day = $3 where id = $1', [broadcastID, units, day]),

    /** Records that by our own count no broadcast may begin on this day any more. */
    exhaustStarts: (platform: PlatformName, day: string, until: Date) =>
      db.query('update platform_quota set starts_exhausted_until = $3 where platform = $1 and day = $2::date', [
        platform,
        day,
        until,
      ]),

    /** Records that the platform has reported the quota as exhausted. */
    exhaust: (platform: PlatformName, day: string, until: Date) =>
      db.query(
        `insert into platform_quota as q (platform, day, exhausted_until) values ($1, $2::date, $3)
         on conflict (platform, day) do update set
           exhausted_until = greatest(q.exhausted_until, excluded.exhausted_until)`,
        [platform, day, until],
      ),

    /** The time until which the platform has reported the quota as exhausted; null: it has not. */
    exhaustedUntil: async (platform: PlatformName, now: Date) =>
      (
        await one<{ until: Date | null }>(
          db,
          'select max(exhausted_until) as until from platform_quota where platform = $1 and exhausted_until > $2',
          [platform, now],
        )
      )?.until ?? null,
  };
}
