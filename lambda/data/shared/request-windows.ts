// SQL of the time windows that count requests for rate limits, and what users make within an hour.
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
  /** The milliseconds of calls that have ended, and those that calls under way have reserved. */
  readonly work_ms: number;
  /** Whether the time was used up before these calls, which then have reserved nothing. */
  readonly is_used_up: boolean;
  /** When the window began, to the microsecond, as Postgres writes it. */
  readonly began: string;
}

/** Milliseconds that a process still has to count in the window of a subject and a class. */
export interface UncountedWork {
  /** Below 0: the window has counted more than the calls took. */
  readonly ms: number;
  /** The window, as `began`: only this one takes less than it has counted. Null: none is known. */
  readonly began: string | null;
}

/** The time of calls that arrive, or have ended. */
export interface CallTime {
  /** Reserved for the calls, unless the time of the window is used up. */
  readonly reservedMs: number;
  /** The milliseconds of a window. */
  readonly mostMs: number;
  readonly uncounted: UncountedWork;
}

/** A subject with the most that its window counts. */
export interface Bounded {
  readonly subject: string;
  readonly most: number;
}

/** The result of counting for two subjects. */
export interface TakenOfBoth {
  /**
   * When the later one of both windows began, to the microsecond, as Postgres writes it. Null: nothing was taken, as
   * one of them would have had more than its most.
   */
  readonly at: string | null;
  /** If nothing was taken: seconds until there is more, rounded up. */
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
 * SQL that counts calls and their time, and returns their window: `CallWindow`.
 * @param counted SQL of a row (subject, class, requests), or of none
 * @param first number of the first of the four parameters of `valuesOfTime`
 */
export function countCalls(counted: string, first: number): string {
  const [reserved, most, uncounted, began] = ['int', 'int', 'int', 'timestamptz'].map(
    (type, index) => `$${first + index}::${type}`,
  ) as [string, string, string, string];
  const isUsedUp = (work: string) => `${work} >= ${most}`;
  const withReserved = (work: string) => `${work} + case when ${isUsedUp(work)} then 0 else ${reserved} end`;
  const ofNoWindow = `greatest(0, ${uncounted})`;
  const ofRunning = `work_before(running.began_at, running.work_ms, ${uncounted}, ${began})`;
  return `${countedIn(
    'subject, class, requests, work_ms, is_used_up',
    `select subject, class, requests, ${withReserved(ofNoWindow)}, ${isUsedUp(ofNoWindow)} from (${counted}) arrived`,
    requestWindowSeconds,
    `work_ms = ${withReserved(ofRunning)}, is_used_up = ${isUsedUp(ofRunning)},`,
  )}, work_ms, is_used_up, began_at::text as began`;
}

/** The values of the parameters of `countCalls`. */
export const valuesOfTime = ({ reservedMs, mostMs, uncounted: { ms, began } }: CallTime) => [
  reservedMs,
  mostMs,
  ms,
  began,
];

const countedIn = (columns: string, counted: string, seconds: number, also = '') => `
  insert into request_windows as running (${columns}) ${counted}
  on conflict (subject, class) do update set ${also}
    requests = excluded.requests
      + case when running.began_at > now() - ${lengthOf(seconds)} then running.requests else 0 end,
    began_at = case when running.began_at > now() - ${lengthOf(seconds)} then running.began_at else now() end
  returning requests,
    -- If a request waits for a later one, its window begins after its own now().
    greatest(1, least(${seconds},
      ceil(${seconds} - extract(epoch from now() - began_at))))::int as reset_seconds`;

const requestsBefore = `case when running.began_at > now() - ${lengthOf(requestWindowSeconds)}
  then running.requests else 0 end`;

/** SQL that counts a row (subject, class, requests), unless its window would count more than `most`. */
const takenOf = (row: string, most: string) => `
  insert into request_windows as running (subject, class, requests) ${row}
  on conflict (subject, class) do update set requests = ${requestsBefore} + excluded.requests,
    began_at = case when running.began_at > now() - ${lengthOf(requestWindowSeconds)} then running.began_at
      else now() end
  where ${requestsBefore} + excluded.requests <= ${most} returning began_at`;

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

    /** Counts calls of `subject` and their time. @param calls 0: only the time @returns their window */
    countCalls: async (subject: string, requestClass: string, calls: number, time: CallTime): Promise<CallWindow> => {
      const text = countCalls('select $1 as subject, $2 as class, $3::int as requests', 4);
      const { rows } = await db.query<CallWindow>(text, [subject, requestClass, calls, ...valuesOfTime(time)]);
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

    /**
     * Counts for a part and then for the whole, unless one of them would have more than its most: then the whole counts
     * nothing.
     */
    takeOfBoth: async (
      part: Bounded,
      whole: Bounded,
      { requestClass, count }: { readonly requestClass: string; readonly count: number },
    ): Promise<TakenOfBoth> => {
      const { rows } = await db.query<TakenOfBoth>(
        `with part as (${takenOf('values ($1, $3, $4::integer)', '$5')}),
           whole as (${takenOf('select $2, $3, $4::integer from part', '$6')})
         select (select greatest(part.began_at, whole.began_at)::text from part, whole) as at,
           greatest(1, least(${requestWindowSeconds}, ceil(extract(epoch from (
             select began_at from request_windows where class = $3
               and subject = case when exists (select from part) then $2 else $1 end
           ) + ${lengthOf(requestWindowSeconds)} - now()))))::integer as reset_seconds`,
        [part.subject, whole.subject, requestClass, count, part.most, whole.most],
      );
      return rows[0]!;
    },

    /**
     * Corrects what was counted for a part and for the whole, whose name is the later one by the alphabet.
     * @param count below 0: gives it back, in the windows that began then or before
     */
    correct: async (subjects: readonly string[], requestClass: string, count: number, at: string): Promise<void> => {
      if (count > 0)
        await db.query(
          countedIn(
            'subject, class, requests, seconds',
            `select subject, $2, $3::integer, ${requestWindowSeconds} from unnest($1::text[]) as subject
             order by subject`,
            requestWindowSeconds,
          ),
          [subjects, requestClass, count],
        );
      if (count < 0)
        await db.query(
          // Locked in the order of `takeOfBoth`, so that none of them waits for each other.
          `with locked as (
             select subject, class from request_windows
             where subject = any ($1) and class = $2 and began_at <= $4::timestamptz order by subject for update)
           update request_windows w set requests = greatest(0, requests + $3::integer)
           from locked where w.subject = locked.subject and w.class = locked.class`,
          [subjects, requestClass, count, at],
        );
    },

    deleteEnded: () => db.query('delete from request_windows where began_at < now() - make_interval(secs => seconds)'),
  };
}
