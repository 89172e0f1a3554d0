// SQL of the windows that rate limits are counted in.
import type { Queryable } from './queryable.ts';

export interface RequestWindow {
  /** Requests in it, these included. */
  readonly requests: number;
  /** Until it ends, rounded up. */
  readonly reset_seconds: number;
}

/** Of every window: it begins with the first request after the one before has ended. */
export const requestWindowSeconds = 60;

export function requestWindows(db: Queryable) {
  return {
    /** Counts requests of `subject`, and answers the window that they are in. */
    count: async (subject: string, requestClass: string, count: number): Promise<RequestWindow> => {
      const { rows } = await db.query<RequestWindow>(
        `insert into request_windows as running (subject, class, requests) values ($1, $2, $4)
         on conflict (subject, class) do update set
           requests = case when running.began_at > now() - make_interval(secs => $3) then running.requests + $4 else $4 end,
           began_at = case when running.began_at > now() - make_interval(secs => $3) then running.began_at else now() end
         returning requests, greatest(1, ceil($3 - extract(epoch from now() - began_at)))::int as reset_seconds`,
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
