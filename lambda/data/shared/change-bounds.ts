// Bounds of the changes that requests make: how many are under way at a time, and how long each waits for a lock.
// Decision D266.
import { escapeLiteral } from 'pg';
import { isFunded, unfundedUsers } from './funded.ts';
import { one } from './queryable.ts';
import type { Queryable } from './queryable.ts';

/** Bounds of the changes of one subject. Each change under way has a connection and, in AWS, a function. */
export interface ChangeBounds {
  readonly subject: string;
  /**
   * The user, whose changes also count among those of all users who are not funded, if this one is not (decision D280).
   * Null: they never do.
   */
  readonly userID: string | null;
  /** Changes under way at a time. */
  readonly atOnce: number;
  /** The longest wait for a lock, such as that of a row. Postgres then ends the transaction. */
  readonly lockWaitSeconds: number;
  /** The longest statement. Postgres then ends the transaction. */
  readonly statementSeconds: number;
}

/** For changes by users and guests, whose requests begin no statement so late that their function ends first. */
const statementSeconds = 12;

/** Changes under way at a time of all users who are not funded. A change takes some 30 ms: these are 800 a second. */
const unfundedAtOnce = 24;

/** Bounds of the changes by a user's programs, and of those by the user's pages, which programs must not hold up. */
export function boundsOfUser(userID: string, isOnPage: boolean): ChangeBounds {
  return isOnPage
    ? { subject: `pages of ${userID}`, userID, atOnce: 4, lockWaitSeconds: 5, statementSeconds }
    : { subject: `programs of ${userID}`, userID, atOnce: 6, lockWaitSeconds: 5, statementSeconds };
}

/**
 * Bounds of the changes that a user makes at the sign-in. They wait for longer, as an application that is disconnected
 * may hold the rows that they wait for, and other users must not keep its user from it.
 */
export function boundsOfAccount(userID: string): ChangeBounds {
  return { subject: `account of ${userID}`, userID: null, atOnce: 2, lockWaitSeconds: 20, statementSeconds: 30 };
}

/** Bounds of the changes by guests of all channels of a user. */
function boundsOfGuests(userID: string): ChangeBounds {
  return { subject: `guests of ${userID}`, userID, atOnce: 6, lockWaitSeconds: 5, statementSeconds };
}

/** Ends a change, which has then changed nothing. */
export class ChangeRefused extends Error {
  override readonly name = 'ChangeRefused';
  /** Seconds until the change may succeed. */
  readonly retrySeconds: number;

  /** @param cause the error of Postgres, which clients must not see */
  constructor(reason: string, retrySeconds: number, cause?: unknown) {
    super(`${reason} Nothing was changed. Try again in ${retrySeconds} seconds.`, { cause });
    this.retrySeconds = retrySeconds;
  }
}

/** The row of `beginChange`. */
export interface BegunChange {
  /** The subject or the users with as many changes under way as are allowed; null: the change may begin. */
  readonly refused_by: string | null;
}

/** SQL that bounds the changes, and the statements, of the present transaction. Its row is a `BegunChange`. */
export function beginChange({ subject, userID, atOnce, lockWaitSeconds, statementSeconds }: ChangeBounds): string {
  const part =
    userID === null ? 'null' : `case when not ${isFunded(escapeLiteral(userID))} then '${unfundedUsers}' end`;
  const [lockWaitMs, statementMs] = [lockWaitSeconds * 1000, statementSeconds * 1000];
  return `select begin_change(
    ${escapeLiteral(subject)}, ${atOnce}, ${part}, ${unfundedAtOnce}, ${lockWaitMs}, ${statementMs}) as refused_by`;
}

/** @throws {ChangeRefused} */
export function assertMayChange({ refused_by: refusedBy }: BegunChange, { atOnce }: ChangeBounds): void {
  if (refusedBy === null) return;
  const others =
    refusedBy === unfundedUsers
      ? `${unfundedAtOnce} other changes of users without a purchase`
      : `${atOnce} other changes`;
  throw new ChangeRefused(`${others} are under way, and no more may be at a time.`, 2);
}

/** The code of Postgres for a lock that was not free in time. */
const lockNotAvailable = '55P03';

/** The error that ends a change: a `ChangeRefused` in place of that of Postgres for a lock that was not free. */
export function errorOfChange(error: unknown): unknown {
  if ((error as { code?: string }).code !== lockNotAvailable) return error;
  return new ChangeRefused('Another change of the same resource has been under way for some seconds.', 5, error);
}

export function changeBounds(db: Queryable) {
  return {
    /**
     * Bounds the present transaction as a change by a guest.
     * @param userID the owner of the channel
     * @throws {ChangeRefused}
     */
    beginGuests: async (userID: string) => {
      const bounds = boundsOfGuests(userID);
      assertMayChange((await one<BegunChange>(db, beginChange(bounds), []))!, bounds);
    },
  };
}
