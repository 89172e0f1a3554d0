// SQL of limits: the use of a user, and the numbers that an operator allows in place of the table.
import type { LimitName } from '../../domain/shared/limits.ts';
import { checksUnderWay } from '../destinations/destination-checks.ts';
import { isFunded } from '../shared/funded.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** The facts about one limit of a user. */
export interface LimitFacts {
  readonly user_id: string;
  readonly limit_name: LimitName;
  /** Slots are counted in fractions, all others in whole numbers. */
  readonly used: number;
  /** The number that an operator allows; null: the table decides. */
  readonly override: number | null;
  /** The credits of the user, without the use of running intervals. */
  readonly credits: number;
}

/** SQL of the use of the limit `wanted.limit_name` by the user `asked.user_id`. Triggers count most limits. */
const use = `case wanted.limit_name
  when 'runningStreams' then (select count(*) from streams where user_id = asked.user_id and status = 'ACTIVE')
  when 'destinationChecks' then (${checksUnderWay('asked.user_id')})
  when 'runningSlots' then (
    select sum(run_slots) from streams where user_id = asked.user_id and status = 'ACTIVE')
  else (select used from limit_use where user_id = asked.user_id and limit_name = wanted.limit_name) end`;

export function limits(db: Queryable) {
  /**
   * The use of each of these limits, of each of these users. Their numbers stand in the text: Postgres takes a plan for
   * any numbers to be a bad one, and would plan the statement each time, which takes longer than the rest.
   */
  const factsOfAll = (userIDs: readonly string[], names: readonly LimitName[]) =>
    all<LimitFacts>(
      db,
      `select asked.user_id, wanted.limit_name, coalesce(${use}, 0)::float8 as used, o.allowed as override,
         (select coalesce(sum(remaining_credits), 0) from invoices
          where user_id = asked.user_id and remaining_credits <> 0) as credits
       from (select unnest($1::text[]) as user_id limit ${userIDs.length}) asked
         cross join (select unnest($2::text[]) as limit_name limit ${names.length}) wanted
         left join limit_overrides o on o.user_id = asked.user_id and o.limit_name = wanted.limit_name`,
      [userIDs, names],
    );

  return {
    /** The use of each of these limits. */
    facts: (userID: string, names: readonly LimitName[]) => factsOfAll([userID], names),

    /**
     * The use of each of these limits, of each of these users, locked until the transaction ends. Other transactions
     * that use more of them, or of limits that are counted together with them, wait. The rows are locked in one order,
     * to avoid deadlocks.
     */
    lock: async (userIDs: readonly string[], names: readonly LimitName[]) => {
      const users = [...new Set(userIDs)].sort();
      await db.query('select lock_uses(user_id, $2) from unnest($1::text[]) as asked (user_id)', [users, names]);
      return factsOfAll(users, names);
    },

    /** Whether a user is funded, as `isFunded` has it. */
    isFunded: async (userID: string) =>
      (await one<{ is_funded: boolean }>(db, `select ${isFunded('$1')} as is_funded`, [userID]))!.is_funded,

    /** Allows a user another number than the table; null: that of the table. */
    override: (userID: string, name: LimitName, allowed: number | null) =>
      allowed === null
        ? db.query('delete from limit_overrides where user_id = $1 and limit_name = $2', [userID, name])
        : db.query(
            `insert into limit_overrides (user_id, limit_name, allowed) values ($1, $2, $3)
             on conflict (user_id, limit_name) do update set allowed = excluded.allowed`,
            [userID, name, allowed],
          ),
  };
}
