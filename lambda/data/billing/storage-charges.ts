// SQL of the costs of storage: users beyond the allowance, their notifications, and the charges of days.
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export interface StorageFigures {
  readonly stored_bytes: number;
  /** The next day that may be charged, as YYYY-MM-DD; null: the user was not notified of charges. */
  readonly charged_from: string | null;
  readonly credits_30_days: number;
}

/** The use and cost of a day of storage. */
export interface StorageDay {
  readonly byte_hours: number;
  readonly cost: number;
}

/** The days without a charge after which a user is notified again before the next one. */
const forgottenAfterDays = 30;

/** Days are texts, as YYYY-MM-DD, in UTC. */
export function storageCharges(db: Queryable) {
  return {
    /** Users beyond the allowance who were not notified yet, in no order, without those at rest. */
    exceeding: (freeBytes: number, count: number) =>
      all<{ user_id: string; bytes: number }>(
        db,
        `select user_id, used as bytes from limit_use l
         where limit_name = 'storedBytes' and used > $1
           and not exists (select from storage_accounts a where a.user_id = l.user_id)
           and not (select is_at_rest from users where id = l.user_id)
         limit $2`,
        [freeBytes, count],
      ),

    /** Opens the account of a user, who is notified. @returns false if it is open already */
    open: async (userID: string, notifiedAt: Date, firstDay: string) => {
      const { rowCount } = await db.query(
        `insert into storage_accounts (user_id, told_at, charged_to) values ($1, $2, $3::date - 1)
         on conflict (user_id) do nothing`,
        [userID, notifiedAt, firstDay],
      );
      return rowCount === 1;
    },

    /** Users with a day up to `lastDay` to charge, the oldest day first. */
    due: async (lastDay: string, count: number) => {
      const rows = await all<{ user_id: string }>(
        db,
        `select user_id from storage_accounts where charged_to < $1::date order by charged_to, user_id limit $2`,
        [lastDay, count],
      );
      return rows.map(({ user_id: userID }) => userID);
    },

    /** The next day of a user to charge, locked until the transaction ends; null: none. */
    lockNextDay: async (userID: string, lastDay: string) =>
      (
        await one<{ day: string }>(
          db,
          `select to_char(charged_to + 1, 'YYYY-MM-DD') as day from storage_accounts
           where user_id = $1 and charged_to < $2::date for update`,
          [userID, lastDay],
        )
      )?.day ?? null,

    /** The use and cost of a day beyond the allowance. It costs nothing while the account is at rest. */
    day: async (userID: string, day: string, freeBytes: number, creditsPerGiBMonth: number) =>
      (await one<StorageDay>(
        db,
        `select byte_hours, storage_cost($4, byte_hours) as cost from (
           select coalesce(sum(greatest(0, level.bytes - $3::bigint)), 0) as byte_hours
           from generate_series(0, 23) as hours (hour)
             join users on users.id = $1 and not is_at_rest
             cross join lateral (
               select bytes from stored_levels
               where user_id = $1
                 and hour <= ($2::date::timestamp at time zone 'UTC') + make_interval(hours => hours.hour)
               order by hour desc limit 1) level) as summed`,
        [userID, day, freeBytes, creditsPerGiBMonth],
      ))!,

    /** Records that a day is charged. A day without use leaves no row. */
    recordDay: (
      userID: string,
      day: string,
      { byteHours, creditsPerGiBMonth, credits }: { byteHours: number; creditsPerGiBMonth: number; credits: number },
    ) =>
      db.query(
        `with charged as (
           insert into storage_charges (user_id, day, byte_hours, credits_per_gib_month, credits)
           select $1, $2::date, $3::numeric, $4::numeric, $5::numeric where $3::numeric > 0),
         moved as (update storage_accounts set charged_to = $2::date where user_id = $1)
         delete from stored_levels
         where user_id = $1 and hour < (
           select max(hour) from stored_levels
           where user_id = $1 and hour < (($2::date + 1)::timestamp at time zone 'UTC'))`,
        [userID, day, byteHours, creditsPerGiBMonth, credits],
      ),

    /** Closes the account of a user who has stayed within the allowance for long. */
    forgetIdle: (userID: string, day: string) =>
      db.query(
        `delete from storage_accounts
         where user_id = $1 and charged_to - ${forgottenAfterDays} > (told_at at time zone 'UTC')::date
           and not exists (
             select from storage_charges c where c.user_id = $1 and c.day > $2::date - ${forgottenAfterDays})`,
        [userID, day],
      ),

    figures: async (userID: string) =>
      (await one<StorageFigures>(
        db,
        `select coalesce((select used from limit_use where user_id = $1 and limit_name = 'storedBytes'), 0)
             as stored_bytes,
           (select to_char(charged_to + 1, 'YYYY-MM-DD') from storage_accounts where user_id = $1) as charged_from,
           coalesce((
             select sum(credits) from storage_charges
             where user_id = $1 and day > (now() at time zone 'UTC')::date - 30), 0) as credits_30_days`,
        [userID],
      ))!,
  };
}
