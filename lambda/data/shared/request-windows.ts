// SQL of the time windows that count requests for rate limits.
import type { Queryable } from './queryable.ts';

export interface RequestWindow {
  /** The requests of the window, with those of this call. */
  readonly requests: number;
  /** Seconds until the window ends, rounded up. */
  readonly reset_seconds: number;
}

/** The length of a window. A window begins with the first request after the previous window. */
export const requestWindowSeconds = 60;

/** The subject that counts the requests of a user. */
export const subjectOfUser = (userID: string) => `user ${userID}`;
/** SQL of the subject of the user in the column `user_id`. */
export const userSubject = `'user ' || user_id`;

const windowLength = `make_interval(secs => ${requestWindowSeconds})`;

/** SQL of the requests that the running window of a subject and a class has counted; null: none runs. */
export const runningRequests = (subject: string, requestClass: string) => `(
  select requests from request_windows
  where subject = ${subject} and class = ${requestClass} and began_at > now() - ${windowLength})`;

/**
 * SQL that counts requests and returns their windows.
 * @param counted SQL of rows (subject, class, requests), at most one for each subject and class
 */
export const countRequests = (counted: string) => `
  insert into request_windows as running (subject, class, requests) ${counted}
  on conflict (subject, class) do update set
    requests = excluded.requests
      + case when running.began_at > now() - ${windowLength} then running.requests else 0 end,
    began_at = case when running.began_at > now() - ${windowLength} then running.began_at else now() end
  returning requests,
    -- If a request waits for a later one, its window begins after its own now().
    greatest(1, least(${requestWindowSeconds},
      ceil(${requestWindowSeconds} - extract(epoch from now() - began_at))))::int as reset_seconds`;

export function requestWindows(db: Queryable) {
  return {
    /** Counts requests of `subject`. @returns their window */
    count: async (subject: string, requestClass: string, count: number): Promise<RequestWindow> => {
      const { rows } = await db.query<RequestWindow>(countRequests('values ($1, $2, $3)'), [
        subject,
        requestClass,
        count,
      ]);
      return rows[0]!;
    },

    deleteEnded: () => db.query(`delete from request_windows where began_at < now() - ${windowLength}`),
  };
}
