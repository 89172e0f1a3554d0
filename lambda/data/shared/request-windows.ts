// SQL of the time windows that count requests for rate limits, and what users make within an hour.
import { isFunded, unfundedUsers } from './funded.ts';
import { one } from './queryable.ts';
import type { Queryable } from './queryable.ts';

export interface RequestWindow {
  /** The requests of the window, with those of this call. */
  readonly requests: number;
  /** Seconds until the window ends, rounded up. */
  readonly reset_seconds: number;
}

/** The window of calls, which also has their time. */
export interface CallWindow extends RequestWindow {
  /**
   * The subject whose time was used up before these calls, which then have reserved nothing; null: there is time left.
   * Then `reset_seconds` are those of this subject.
   */
  readonly used_up: string | null;
  /** The part of the fullest window that was counted before these calls reserved anything: 0 to 1, or more. */
  readonly share: number;
  /** When the windows began that have counted the time, to the microsecond, as Postgres writes an array. */
  readonly began: string;
}

/** Milliseconds that a process still has to count in the windows of a class. */
export interface UncountedWork {
  /** Below 0: the windows have counted more than the calls took. */
  readonly ms: number;
  /** The windows, as `began`: only these take less than they have counted. Null: none is known. */
  readonly began: string | null;
}

/** The time of calls that arrive, or have ended. */
export interface CallTime {
  /** Reserved for the calls, unless the time of a window is used up. */
  readonly reservedMs: number;
  /** The milliseconds of each window, that of all users who are not funded last. */
  readonly mostMs: readonly number[];
  /** Milliseconds of a user who is not funded that do not count for all of them. */
  readonly ownMs: number;
  readonly uncounted: UncountedWork;
}

/** The payers of calls. */
export interface Payers {
  readonly userID: string;
  /** Their windows count the time. That of the first one counts the calls too. */
  readonly subjects: readonly string[];
}

/** The usual length of a window. A window begins with the first request after the previous window. */
export const requestWindowSeconds = 60;

/** The subject that counts the requests of a user. */
export const subjectOfUser = (userID: string) => `user ${userID}`;
/** SQL of the subject of the user in the column `user_id`. */
export const userSubject = `'user ' || user_id`;

const lengthOf = (seconds: number) => `make_interval(secs => ${seconds})`;

/** The largest number that a window counts, and the most hours that one lasts. */
const mostCounted = 2 ** 31 - 1;
const mostHours = 240;

const daySeconds = 24 * 3600;

/** SQL condition: the window has not ended. @param window its name in the statement */
const isRunning = (window: string) => `(${window}.began_at > now() - make_interval(secs => ${window}.seconds))`;

/** SQL of the requests that the running window of a subject and a class has counted; null: none runs. */
export const runningRequests = (subject: string, requestClass: string) => `(
  select requests from request_windows
  where subject = ${subject} and class = ${requestClass} and began_at > now() - ${lengthOf(requestWindowSeconds)})`;

/**
 * SQL that counts calls and their time, and returns their window: `CallWindow`. The time also counts in the window of
 * all users who are not funded, if the user is one of them and has taken `ownMs`. Decision D280.
 * @param userID SQL of the user
 * @param subjects SQL of the subjects, an array
 * @param first number of the first of the seven parameters of `valuesOfCalls`
 */
export function countCalls(userID: string, subjects: string, first: number): string {
  const [requestClass, calls, reserved, most, own, uncounted, began] = [0, 1, 2, 3, 4, 5, 6].map(
    (at) => `$${first + at}`,
  );
  return `
    select requests, reset_seconds, share, used_up, began::text as began
    from count_work(
      ${subjects},
      case when (${reserved}::int <> 0 or ${uncounted}::int <> 0) and not ${isFunded(userID)}
        then '${unfundedUsers}' end,
      ${own}::int, ${most}::int[], ${requestClass}::text, ${calls}::int, ${reserved}, ${uncounted},
      ${began}::timestamptz[])`;
}

/** The values of the parameters of `countCalls`. */
export const valuesOfCalls = (requestClass: string | null, calls: number, time: CallTime) => [
  requestClass,
  calls,
  time.reservedMs,
  time.mostMs,
  time.ownMs,
  time.uncounted.ms,
  time.uncounted.began,
];

/** SQL of the seconds until a window ends. A request that waits for a later one has a window from after now(). */
const leftSeconds = (seconds: number) =>
  `greatest(1, least(${seconds}, ceil(${seconds} - extract(epoch from now() - began_at))))::int`;

const countedIn = (columns: string, counted: string, seconds: number, also = '') => `
  insert into request_windows as running (${columns}) ${counted}
  on conflict (subject, class) do update set ${also}
    requests = excluded.requests
      + case when running.began_at > now() - ${lengthOf(seconds)} then running.requests else 0 end,
    began_at = case when running.began_at > now() - ${lengthOf(seconds)} then running.began_at else now() end
  returning requests, ${leftSeconds(seconds)} as reset_seconds`;

export function requestWindows(db: Queryable) {
  return {
    /**
     * Counts requests of `subject`.
     * @param count below 0: takes back what was counted
     * @param seconds the length of all windows of the class
     * @returns their window
     */
    count: async (
      subject: string,
      requestClass: string,
      count: number,
      seconds = requestWindowSeconds,
    ): Promise<RequestWindow> => {
      const text = countedIn('subject, class, requests, seconds', `values ($1, $2, $3, ${seconds})`, seconds);
      const { rows } = await db.query<RequestWindow>(text, [subject, requestClass, count]);
      return rows[0]!;
    },

    /** Counts calls and their time. @param calls 0: only the time @returns the window of the first subject */
    countCalls: async (
      { userID, subjects }: Payers,
      requestClass: string,
      calls: number,
      time: CallTime,
    ): Promise<CallWindow> => {
      const values = [userID, subjects, ...valuesOfCalls(requestClass, calls, time)];
      const { rows } = await db.query<CallWindow>(countCalls('$1::text', '$2::text[]', 3), values);
      return rows[0]!;
    },

    /**
     * Counts what a subject makes. A window lasts an hour, or as many as its first count needs.
     * @param made `ofHour` is the most of each hour of a window, `most` the most that begins one
     * @returns null once it is counted; otherwise the number that the window had counted before, and its hours
     */
    takeOfHours: async (
      subject: string,
      counted: string,
      made: { readonly count: number; readonly ofHour: number; readonly most: number },
    ): Promise<{ readonly used: number; readonly hours: number } | null> => {
      const count = Math.min(Math.ceil(made.count), mostCounted);
      const hours = Math.max(1, Math.ceil(count / made.ofHour));
      const { rows } = await db.query(
        `insert into request_windows as running (subject, class, requests, seconds)
         select $1, $2, $3::integer, 3600 * $6::integer where $3::bigint <= $5
         on conflict (subject, class) do update set
           requests = case when ${isRunning('running')} then running.requests else 0 end + excluded.requests,
           seconds = case when ${isRunning('running')} then running.seconds else excluded.seconds end,
           began_at = case when ${isRunning('running')} then running.began_at else now() end
         where not ${isRunning('running')}
           or running.requests + excluded.requests::float8
             <= least(${mostCounted}, $4::float8 * running.seconds / 3600)
         returning requests`,
        [subject, counted, count, made.ofHour, Math.min(made.most, mostCounted), Math.min(hours, mostHours)],
      );
      if (rows.length > 0) return null;
      const row = await one<{ used: number; hours: number }>(
        db,
        `select requests as used, seconds / 3600 as hours from request_windows w
         where subject = $1 and class = $2 and ${isRunning('w')}`,
        [subject, counted],
      );
      return row ?? { used: 0, hours: 1 };
    },

    /**
     * Counts what a subject makes within a day, unless it would be more than `most`.
     * @returns null once it is counted; otherwise the window, without it
     */
    takeOfDay: async (
      subject: string,
      counted: string,
      { count, most }: { readonly count: number; readonly most: number },
    ): Promise<RequestWindow | null> => {
      const before = `case when ${isRunning('running')} then running.requests else 0 end`;
      const { rows } = await db.query(
        `insert into request_windows as running (subject, class, requests, seconds)
         select $1, $2, $3::integer, ${daySeconds} where $3::bigint <= $4
         on conflict (subject, class) do update set requests = ${before} + excluded.requests,
           began_at = case when ${isRunning('running')} then running.began_at else now() end
         where ${before} <= $4 - excluded.requests returning requests`,
        [subject, counted, Math.min(Math.ceil(count), mostCounted), Math.min(most, mostCounted)],
      );
      if (rows.length > 0) return null;
      const window = await one<RequestWindow>(
        db,
        `select requests, ${leftSeconds(daySeconds)} as reset_seconds from request_windows w
         where subject = $1 and class = $2 and ${isRunning('w')}`,
        [subject, counted],
      );
      return window ?? { requests: 0, reset_seconds: daySeconds };
    },

    deleteEnded: () => db.query('delete from request_windows where began_at < now() - make_interval(secs => seconds)'),
  };
}
