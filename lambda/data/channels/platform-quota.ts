// SQL of the used units of our daily quotas at platforms.
import type { PlatformName } from '../../domain/channels/managed-platforms.ts';
import type { QuotaBounds } from '../../domain/channels/platform-quota.ts';
import { isOpen } from './broadcasts.ts';
import { isFunded } from '../shared/funded.ts';
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** A call that is about to be made. */
export interface ReservedCall extends QuotaBounds {
  readonly platform: PlatformName;
  /** The user for whom it is made; null: it is made for many, so that no user's share pays for it. */
  readonly userID: string | null;
  /** Day of the quota, YYYY-MM-DD. */
  readonly day: string;
  readonly units: number;
  /** The most units of the day for all users, including those of this call. */
  readonly most: number;
}

export function platformQuota(db: Queryable) {
  return {
    /**
     * Takes units for a call.
     * @returns `quota` if too few are left, or the platform has reported that the quota is exhausted; `share` if too
     *   few are left for the user; `unfunded` if too few are left for users who are not funded, and this one is not
     */
    reserve: async (
      { platform, userID, day, units, most, mostOfUser, mostOfUnfunded, mostOfUnfundedUser }: ReservedCall,
      now: Date,
    ): Promise<'taken' | 'quota' | 'share' | 'unfunded'> => {
      const { result } = (await one<{ result: 'taken' | 'quota' | 'share' | 'unfunded' }>(
        db,
        `with asking as (
           select case when $2::text is null or ${isFunded('$2')} then 0 else $4::integer end as unfunded),
         share as (
           select coalesce(sum(used_units), 0) + $4::integer <=
             case when (select unfunded from asking) = 0 then $6::integer else $9 end as has_room
           from platform_quota_shares where platform = $1 and user_id = $2 and day = $3::date),
         taken as (
           insert into platform_quota as q (platform, day, used_units, unfunded_units)
           select $1, $3::date, $4::integer, unfunded from asking
           where $4::integer <= $5 and unfunded <= $8 and (select has_room from share) and not exists (
             select from platform_quota where platform = $1 and exhausted_until > $7)
           on conflict (platform, day) do update set used_units = q.used_units + excluded.used_units,
             unfunded_units = q.unfunded_units + excluded.unfunded_units
           where q.used_units + excluded.used_units <= $5
             and (excluded.unfunded_units = 0 or q.unfunded_units + excluded.unfunded_units <= $8)
           returning true),
         counted as (
           insert into platform_quota_shares as s (platform, user_id, day, used_units)
           select $1, $2, $3::date, $4::integer from taken where $2::text is not null
           on conflict (platform, user_id) do update set day = excluded.day,
             used_units = excluded.used_units + case when s.day = excluded.day then s.used_units else 0 end)
         select case when exists (select from taken) then 'taken'
           when not (select has_room from share) then 'share'
           when unfunded > 0 and unfunded + coalesce((
             select unfunded_units from platform_quota where platform = $1 and day = $3::date), 0) > $8 then 'unfunded'
           else 'quota' end as result
         from asking`,
        [platform, userID, day, units, most, mostOfUser, now, mostOfUnfunded, mostOfUnfundedUser],
      ))!;
      return result;
    },

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
