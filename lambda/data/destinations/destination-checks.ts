// SQL of checks of destinations. Each destination has its last check, which an agent claims, runs and records.
import { checkClaimedWithinSeconds, checkOverAfterSeconds } from '../../domain/destinations/destination-check.ts';
import type { CheckedFeed } from '../../domain/destinations/destination-check.ts';
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** The last check of a destination. */
export interface DestinationCheck {
  /** A time with its offset. */
  readonly askedAt: string;
  /** Whether an agent has claimed it. */
  readonly isClaimed: boolean;
  /** Whether it has timed out. */
  readonly isOver: boolean;
  /** Null until it is done. */
  readonly feeds: readonly CheckedFeed[] | null;
}

/** A check that an agent has claimed. */
export interface ClaimedCheck {
  readonly id: string;
  readonly destination_id: string;
  readonly url: string;
  readonly backup_url: string | null;
}

/** SQL condition: the check `c` has timed out. */
const isOver = `c.asked_at < now() - interval '${checkOverAfterSeconds} seconds'`;
/** SQL of the number of running checks of a user. @param userID SQL of the id */
export const checksUnderWay = (userID: string) => `select count(*) from destination_checks c
  where c.user_id = ${userID} and c.done_at is null and not ${isOver}`;

/** SQL expression: the check `c` as a `DestinationCheck`. */
const asShown = `json_build_object('askedAt', c.asked_at, 'isClaimed', c.claimed_at is not null, 'isOver', ${isOver},
  'feeds', c.feeds)`;
/** SQL expression: the last check of the destination `d`. */
export const lastCheck = `(select ${asShown} from destination_checks c where c.destination_id = d.id)`;

export function destinationChecks(db: Queryable) {
  return {
    /** Requests a check in place of the last one. */
    ask: async (asked: { readonly id: string; readonly destinationID: string; readonly userID: string }) =>
      (await one<{ check: DestinationCheck }>(
        db,
        `insert into destination_checks as c (destination_id, user_id, id) values ($1, $2, $3)
         on conflict (destination_id) do update
           set id = excluded.id, asked_at = now(), claimed_at = null, done_at = null, feeds = null
         returning ${asShown} as check`,
        [asked.destinationID, asked.userID, asked.id],
      ))!.check,

    /** Claims the check that has waited longest; null if none waits. */
    claim: () =>
      one<ClaimedCheck>(
        db,
        `update destination_checks c set claimed_at = now() from destinations d
         where d.id = c.destination_id and c.destination_id = (
           select destination_id from destination_checks
           where claimed_at is null and asked_at > now() - make_interval(secs => $1)
           order by asked_at limit 1 for update skip locked)
         returning c.id, c.destination_id, d.url, d.backup_url`,
        [checkClaimedWithinSeconds],
      ),

    /** Records the result of a check, unless another one was requested meanwhile. */
    finish: (id: string, destinationID: string, feeds: readonly CheckedFeed[]) =>
      db.query(`update destination_checks set done_at = now(), feeds = $3 where destination_id = $2 and id = $1`, [
        id,
        destinationID,
        JSON.stringify(feeds),
      ]),
  };
}
