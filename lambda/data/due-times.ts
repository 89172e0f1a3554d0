// SQL of things that happen to a stream at a time.
import { all, one } from './queryable.ts';
import type { Queryable } from './queryable.ts';

export const dueKinds = ['schedule_start', 'schedule_end', 'duration_over', 'activation_timeout'] as const;
export type DueKind = (typeof dueKinds)[number];

export interface DueTime {
  readonly stream_id: string;
  readonly kind: DueKind;
  readonly due_at: Date;
}

export function dueTimes(db: Queryable) {
  return {
    /** Sets, moves or (null) clears the time of one thing. */
    set: (streamID: string, kind: DueKind, dueAt: Date | null) =>
      dueAt === null
        ? db.query('delete from due_times where stream_id = $1 and kind = $2', [streamID, kind])
        : db.query(
            `insert into due_times (stream_id, kind, due_at) values ($1, $2, $3)
             on conflict (stream_id, kind) do update set due_at = excluded.due_at, timer_armed = false`,
            [streamID, kind, dueAt],
          ),

    clear: (streamID: string) => db.query('delete from due_times where stream_id = $1', [streamID]),

    /**
     * Something that is due, locked with its stream. Others that ask meanwhile get other streams. The row is locked as well as the
     * stream: one that was fired or moved since this statement began is not due any more.
     */
    nextDue: (except: readonly string[]) =>
      one<DueTime>(
        db,
        `select d.stream_id, d.kind, d.due_at from due_times d join streams s on s.id = d.stream_id
         where d.due_at <= now() and d.stream_id <> all ($1) order by d.due_at limit 1 for update skip locked`,
        [except],
      ),

    /** What falls due within the next seconds and has no timer yet. */
    withoutTimer: (withinSeconds: number) =>
      all<DueTime>(
        db,
        `select stream_id, kind, due_at from due_times where not timer_armed and due_at < now() + make_interval(secs => $1)
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
