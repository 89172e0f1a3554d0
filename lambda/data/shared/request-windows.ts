// SQL of the time windows that count requests for rate limits, and what users make within an hour.
import { one } from './queryable.ts';
import type { Queryable } from './queryable.ts';

export interface RequestWindow {
  /** The requests of the window, with those of this call. */
  readonly requests: number;
  /** Seconds until the window ends, rounded up. */
  readonly reset_seconds: number;
}

/** The usual length of a window. A window begins with the first request after the previous window. */
export const requestWindowSeconds = 60;

/** The subject that counts the requests of a user. */
export const subjectOfUser = (userID: string) => `user ${userID}`;
/** SQL of the subject of the user in the column `user_id`. */
export const userSubject = `'user ' || user_id`;

const lengthOf = (seconds: number) => `make_interval(secs => ${seconds})`;

/** The largest number that a window counts. */
const mostCounted = 2 ** 31 - 1;

/** SQL of the requests that the running window of a subject and a class has counted; null: none runs. */
export const runningRequests = (subject: string, requestClass: string) => `(
  select requests from request_windows
  where subject = ${subject} and class = ${requestClass} and began_at > now() - ${lengthOf(requestWindowSeconds)})`;

/**
 * SQL that counts requests and returns their windows.
 * @param counted SQL of rows (subject, class, requests), at most one for each subject and class
 */
export const countRequests = (counted: string) => countedIn('subject, class, requests', counted, requestWindowSeconds);

const countedIn = (columns: string, counted: string, seconds: number) => `
  insert into request_windows as running (${columns}) ${counted}
  on conflict (subject, class) do update set
    requests = excluded.requests
      + case when running.began_at > now() - ${lengthOf(seconds)} then running.requests else 0 end,
    began_at = case when running.began_at > now() - ${lengthOf(seconds)} then running.began_at else now() end
  returning requests,
    -- If a request waits for a later one, its window begins after its own now().
    greatest(1, least(${seconds},
      ceil(${seconds} - extract(epoch from now() - began_at))))::int as reset_seconds`;

export function requestWindows(db: Queryable) {
  return {
    /** Counts requests of `subject`. @param seconds the length of all windows of the class @returns their window */
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

    /**
     * Counts what a subject makes within an hour, unless it would be more than `most`.
     * @returns null once it is counted; otherwise the number that the hour had counted before
     */
    takeOfHour: async (subject: string, counted: string, { count, most }: { count: number; most: number }) => {
      const before = `case when running.began_at > now() - interval '1 hour' then running.requests else 0 end`;
      const { rows } = await db.query(
        `insert into request_windows as running (subject, class, requests, seconds)
         select $1, $2, $3::integer, 3600
         where $3::bigint <= $4
         on conflict (subject, class) do update set requests = ${before} + excluded.requests,
           began_at = case when running.began_at > now() - interval '1 hour' then running.began_at else now() end
         where ${before} <= $4 - excluded.requests returning requests`,
        [subject, counted, Math.min(Math.ceil(count), mostCounted), Math.min(most, mostCounted)],
      );
      if (rows.length > 0) return null;
      const row = await one<{ requests: number }>(
        db,
        `select requests from request_windows
         where subject = $1 and class = $2 and began_at > now() - interval '1 hour'`,
        [subject, counted],
      );
      return row?.requests ?? 0;
    },

    deleteEnded: () => db.query('delete from request_windows where began_at < now() - make_interval(secs => seconds)'),
  };
}
