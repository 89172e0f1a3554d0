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

export function requestWindows(db: Queryable) {
  return {
    /** Counts requests of `subject`. @returns their window */
    count: async (subject: string, requestClass: string, count: number): Promise<RequestWindow> => {
      const { rows } = await db.query<RequestWindow>(
        `insert into request_windows as running (subject, class, requests) values ($1, $2, $4)
         on conflict (subject, class) do update set
           requests = case
             when running.began_at > now() - make_interval(secs => $3) then running.requests + $4
             else $4 end,
           began_at = case
             when running.began_at > now() - make_interval(secs => $3) then running.began_at
             else now() end
         returning requests,
           -- If a request waits for a later one, its window begins after its own now().
           greatest(1, least($3, ceil($3 - extract(epoch from now() - began_at))))::int as reset_seconds`,
        [subject, requestClass, requestWindowSeconds, count],
      );
      return rows[0]!;
    },

    deleteEnded: () =>
      db.query('delete from request_windows where began_at < now() - make_interval(secs => $1)', [
        requestWindowSeconds,
      ]),
  };
}
