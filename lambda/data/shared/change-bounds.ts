// Bounds of the changes that requests make: how many are under way at a time, and how long each waits for a lock.
// Decision D266.
import { escapeLiteral } from 'pg';
import { one } from './queryable.ts';
import type { Queryable } from './queryable.ts';

/** Bounds of the changes of one subject. Each change under way has a connection and, in AWS, a function. */
export interface ChangeBounds {
  readonly subject: string;
  /** Changes under way at a time. */
  readonly atOnce: number;
  /** The longest wait for a lock, such as that of a row. Postgres then ends the transaction. */
  readonly lockWaitSeconds: number;
  /** The longest statement. Postgres then ends the transaction. */
  readonly statementSeconds: number;
}

/** For changes by users and guests, whose requests begin no statement so late that their function ends first. */
const statementSeconds = 12;

/** Bounds of the changes by a user's programs, and of those by the user's pages, which programs must not hold up. */
export function boundsOfUser(userID: string, isOnPage: boolean): ChangeBounds {
  return isOnPage
    ? { subject: `pages of ${userID}`, atOnce: 4, lockWaitSeconds: 5, statementSeconds }
    : { subject: `programs of ${userID}`, atOnce: 6, lockWaitSeconds: 5, statementSeconds };
}

/**
 * Bounds of the changes that a user makes at the sign-in. They wait for longer: an application that is disconnected may
 * hold the rows that they wait for.
 */
export function boundsOfAccount(userID: string): ChangeBounds {
  return { subject: `account of ${userID}`, atOnce: 2, lockWaitSeconds: 20, statementSeconds: 30 };
}

/** Bounds of the changes by guests of all channels of a user. */
function boundsOfGuests(userID: string): ChangeBounds {
  return { subject: `guests of ${userID}`, atOnce: 6, lockWaitSeconds: 5, statementSeconds };
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

/** SQL that bounds the changes, and the statements, of the present transaction. Its row has `may_change`. */
export function beginChange({ subject, atOnce, lockWaitSeconds, statementSeconds }: ChangeBounds): string {
  const [lockWaitMs, statementMs] = [lockWaitSeconds * 1000, statementSeconds * 1000];
  return `select begin_change(${escapeLiteral(subject)}, ${atOnce}, ${lockWaitMs}, ${statementMs}) as may_change`;
}

/** @throws {ChangeRefused} */
export function assertMayChange(row: { readonly may_change?: boolean } | undefined, { atOnce }: ChangeBounds): void {
  if (!row?.may_change)
    throw new ChangeRefused(`${atOnce} other changes are under way, and no more may be at a time.`, 2);
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
      assertMayChange((await one<{ may_change: boolean }>(db, beginChange(bounds), [])) ?? undefined, bounds);
    },
  };
}
