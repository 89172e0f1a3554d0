// SQL of due times: the next time of each scheduled event of a stream.
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export const dueKinds = [
  'schedule_start',
  'schedule_end',
  'duration_over',
  'activation_timeout',
  'broadcast_rotation',
  'item_start',
  'joins',
] as const;
export type DueKind = (typeof dueKinds)[number];

export interface DueTime {
  readonly stream_id: string;
  readonly kind: DueKind;
  readonly due_at: Date;
}

/** The seed of the advisory locks of users whose schedules start streams. No other lock uses it. */
const startsLock = 27;

/** `turn` is 1 for the first due time of its user. */
export interface DueInTurn extends DueTime {
  readonly turn: number;
  readonly user_id: string;
}

export function dueTimes(db: Queryable) {
  return {
    /** Sets the time of one kind of event; null clears it. */
    set: (streamID: string, kind: DueKind, dueAt: Date | null) =>
      dueAt === null
        ? db.query('delete from due_times where stream_id = $1 and kind = $2', [streamID, kind])
        : db.query(
            `insert into due_times (stream_id, kind, due_at) values ($1, $2, $3)
             on conflict (stream_id, kind) do update set
               due_at = excluded.due_at, timer_armed = false, resting = false`,
            [streamID, kind, dueAt],
          ),

    /** Clears the times of one kind of event. */
    disarm: (streamIDs: readonly string[], kind: DueKind) =>
      db.query('delete from due_times where stream_id = any ($1) and kind = $2', [streamIDs, kind]),

    /** Suspends a due time while the account is at rest, until `wake`. */
    rest: ({ stream_id, kind, due_at }: DueTime) =>
      db.query('insert into due_times (stream_id, kind, due_at, resting) values ($1, $2, $3, true)', [
        stream_id,
        kind,
        due_at,
      ]),

    /** Makes the suspended due times of a user due again. */
    wake: (userID: string) =>
      db.query(
        `update due_times set resting = false
         where resting and stream_id in (select id from streams where user_id = $1)`,
        [userID],
      ),

    clear: (streamID: string) => db.query('delete from due_times where stream_id = $1', [streamID]),

    /**
     * Due times that have come, in fair turns: first the oldest of each user, then the second of each, and so on. So
     * thousands of one user do not delay others. Item starts come last, in turns of their own: they only notify, while
     * all others affect costs.
     * @param except streams and users to leave out
     * @param most the most rows, and the most of each user; as many item starts come on top
     */
    dueInTurn: (
      except: { readonly streamIDs: readonly string[]; readonly userIDs: readonly string[] },
      most: { readonly all: number; readonly ofUser: number },
    ) =>
      all<DueInTurn>(
        db,
        `with users as materialized (
           select distinct user_id from due_times where due_at <= now() and not resting and user_id <> all ($4))
         select stream_id, kind, due_at, turn, user_id from users cross join (values (false), (true)) as told (is_item)
         cross join lateral (
           select stream_id, kind, due_at, row_number() over (order by due_at, stream_id)::int as turn
           from due_times
           where user_id = users.user_id and (kind = 'item_start') = is_item
             and due_at <= now() and not resting and stream_id <> all ($1)
           order by due_at, stream_id limit $3) due
         order by is_item, turn, due_at limit $2`,
        [except.streamIDs, most.all, most.ofUser, except.userIDs],
      ),

    /**
     * Locks a due time with its stream, and reads it again under the lock.
     * @returns null if it was fired or moved meanwhile, another process has its stream, or another process starts
     *   streams of the same user: starts of a user wait for each other, and would only hold a connection
     */
    lockDue: ({ stream_id: streamID, kind }: DueTime) =>
      one<DueTime>(
        db,
        `select d.stream_id, d.kind, d.due_at from due_times d join streams s on s.id = d.stream_id
         where d.stream_id = $1 and d.kind = $2 and d.due_at <= now() and not d.resting
           and (d.kind <> 'schedule_start' or pg_try_advisory_xact_lock(hashtextextended(s.user_id, ${startsLock})))
         for update skip locked`,
        [streamID, kind],
      ),

    /**
     * Due times within so many seconds that have no timer yet. Due times that have come need none: agents and the sweep
     * fire them. Item starts and joins need none either: streams on the air have agents.
     */
    withoutTimer: (withinSeconds: number) =>
      all<DueTime>(
        db,
        `select stream_id, kind, due_at from due_times
         where not timer_armed and not resting and kind not in ('item_start', 'joins')
           and due_at > now() and due_at < now() + make_interval(secs => $1)
         order by due_at limit 1000`,
        [withinSeconds],
      ),

    markTimerArmed: (due: DueTime) =>
      db.query('update due_times set timer_armed = true where stream_id = $1 and kind = $2 and due_at = $3', [
        due.stream_id,
        due.kind,
        due.due_at,
      ]),
  };
}
