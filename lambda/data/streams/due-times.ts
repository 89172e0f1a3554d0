// SQL of due times: the next time of each scheduled event of a stream.
// Decision D172.
import type { Locked } from '../shared/locked.ts';
import { isPlaceFree } from '../shared/places.ts';
import { all } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { Stream } from './streams.ts';

export const dueKinds = [
  'schedule_start',
  'schedule_end',
  'duration_over',
  'activation_timeout',
  'broadcast_rotation',
  'item_start',
  'joins',
  'plan',
] as const;
export type DueKind = (typeof dueKinds)[number];

/**
 * The kinds of due times by the work that fires them. Each work has places of its own, so that the full hour of one
 * kind does not delay the others.
 */
export const kindsOfWork = {
  starts: ['schedule_start'],
  ends: ['schedule_end', 'duration_over'],
  checks: ['activation_timeout', 'broadcast_rotation'],
  items: ['item_start', 'joins'],
  plans: ['plan'],
} as const satisfies Readonly<Record<string, readonly DueKind[]>>;
export type DueWork = keyof typeof kindsOfWork;

const timedKinds = [...kindsOfWork.starts, ...kindsOfWork.ends, ...kindsOfWork.checks];
/**
 * SQL condition: a due time may need a timer. Item starts, joins and plans need none: streams on the air have agents.
 * The places are those of the generated column, so that any plan uses the index of places.
 */
const mayNeedTimer = `not timer_armed and not resting and place in (1, 2)
  and kind in (${timedKinds.map((kind) => `'${kind}'`).join(', ')})`;

export interface DueTime {
  readonly stream_id: string;
  readonly kind: DueKind;
  readonly due_at: Date;
}

/** A due time and its stream, both locked. */
export interface LockedDue {
  /** The id of the stream. */
  readonly id: string;
  readonly kind: DueKind;
  readonly dueAt: Date;
  readonly stream: Locked<Stream>;
}

/** The due times to lock. */
interface NextDue {
  /** Ids of streams to leave out. */
  readonly except: readonly string[];
  readonly most: number;
  /** Whether a stream with a programme is locked alone, as its work may take seconds. */
  readonly isPlannedAlone: boolean;
}

/** SQL of the works with their kinds, as rows. */
const worksOfKinds = Object.entries(kindsOfWork)
  .flatMap(([work, kinds]) => kinds.map((kind) => `('${work}', '${kind}')`))
  .join(', ');

/**
 * SQL of works with a due time that has come, in a place without a holder. It reads only due times of free places:
 * while others fire thousands, the index is full of entries that were just fired, and hundreds of processes would read
 * them. The order makes every plan use that index.
 */
const worksDueFree = `(values ${worksOfKinds}) as w (work, kind)
    join places p on p.work = w.work and ${isPlaceFree}
    cross join lateral (
      select from due_times where kind = w.kind and place = p.number and due_at <= now() and not resting
      order by kind, place, due_at limit 1) due`;

/** SQL condition: a due time has come, and its work has a free place. */
export const isAnyDueFree = `exists (select from ${worksDueFree})`;

/**
 * SQL that sets times of events of streams, each in place of an earlier one of its kind.
 * @param times SQL of rows (stream_id, kind, due_at)
 */
export const setDueTimes = (times: string) => `
  insert into due_times (stream_id, kind, due_at) ${times}
  on conflict (stream_id, kind) do update set due_at = excluded.due_at, timer_armed = false, resting = false`;

export function dueTimes(db: Queryable) {
  /** Sets times of events of streams, each in place of an earlier one of its kind. */
  const setAll = async (times: readonly DueTime[]) => {
    if (times.length === 0) return;
    await db.query(setDueTimes('select * from unnest($1::text[], $2::text[], $3::timestamptz[])'), [
      times.map(({ stream_id: id }) => id),
      times.map(({ kind }) => kind),
      times.map(({ due_at: at }) => at),
    ]);
  };

  /** Clears the time of one kind of event of each stream; other times of the stream stay. */
  const disarm = async (times: readonly Pick<DueTime, 'stream_id' | 'kind'>[]) => {
    if (times.length === 0) return;
    await db.query(
      `delete from due_times where stream_id = any ($1)
         and (stream_id, kind) in (select * from unnest($1::text[], $2::text[]))`,
      [times.map(({ stream_id: id }) => id), times.map(({ kind }) => kind)],
    );
  };

  return {
    setAll,
    disarm,

    /** Sets the time of one kind of event; null clears it. */
    set: async (streamID: string, kind: DueKind, dueAt: Date | null): Promise<void> => {
      if (dueAt === null) await disarm([{ stream_id: streamID, kind }]);
      else await setAll([{ stream_id: streamID, kind, due_at: dueAt }]);
    },

    /** Sets the time of one kind of event, unless an earlier one is set. */
    setNoLater: (streamID: string, kind: DueKind, dueAt: Date) =>
      db.query(
        `insert into due_times (stream_id, kind, due_at) values ($1, $2, $3)
         on conflict (stream_id, kind) do update set due_at = excluded.due_at, timer_armed = false, resting = false
         where due_times.due_at > excluded.due_at`,
        [streamID, kind, dueAt],
      ),

    /** Suspends the due time of one kind while the accounts of these streams are at rest, until `wake`. */
    rest: (streamIDs: readonly string[], kind: DueKind) =>
      db.query('update due_times set resting = true where stream_id = any ($1) and kind = $2', [streamIDs, kind]),

    /** Makes the suspended due times of a user due again. */
    wake: (userID: string) =>
      db.query(
        `update due_times set resting = false
         where resting and stream_id in (select id from streams where user_id = $1)`,
        [userID],
      ),

    clear: (streamIDs: readonly string[]) => db.query('delete from due_times where stream_id = any ($1)', [streamIDs]),

    /** The works that have due times and a free place. */
    worksDue: async (): Promise<DueWork[]> =>
      (await all<{ work: DueWork }>(db, `select distinct w.work from ${worksDueFree}`)).map(({ work }) => work),

    /**
     * Locks the next due times of a work, with their streams, in fair turns: the oldest of each user, then the second
     * of each, and so on. So thousands of one user do not delay others. A place reads only its own users, so that no
     * two processes read the same rows. Streams that another transaction has locked are skipped; they stay due.
     * @returns `isCut`: others follow at once
     */
    lockNext: async (
      work: DueWork,
      place: number,
      { except, most, isPlannedAlone }: NextDue,
    ): Promise<{ readonly due: readonly LockedDue[]; readonly isCut: boolean }> => {
      const rows = await all<Locked<Stream> & { due_kind: DueKind; due_at: Date; is_cut: boolean }>(
        db,
        `with next as materialized (
           select stream_id, kind, turn, due_at from (
             select stream_id, kind, due_at, row_number() over (partition by user_id order by due_at, stream_id) as turn
             from due_times
             where kind = any ($1) and due_at <= now() and not resting and place = $2
               and stream_id <> all ($3)) in_turn
           order by turn, due_at limit $4),
         counted as materialized (
           select next.*, row_number() over ordered as number,
             count(*) filter (where $5 and s.planned_tracks is not null) over ordered as planned
           from next join streams s on s.id = next.stream_id
           window ordered as (order by next.turn, next.due_at, next.stream_id rows unbounded preceding)),
         alone as materialized (select * from counted where planned = 0 or number = 1)
         select s.*, d.kind as due_kind, d.due_at, (select count(*) from alone) < (select count(*) from next) as is_cut
         from alone
           join due_times d
             on d.stream_id = alone.stream_id and d.kind = alone.kind and d.due_at <= now() and not d.resting
           join streams s on s.id = d.stream_id
         order by alone.turn, d.due_at for update of d, s skip locked`,
        [kindsOfWork[work], place, except, most, isPlannedAlone],
      );
      const due = rows.map((row) => {
        const { due_kind: kind, due_at: dueAt, is_cut: _, ...stream } = row;
        return { id: stream.id, kind, dueAt, stream };
      });
      return { due, isCut: rows[0]?.is_cut ?? false };
    },

    /**
     * The whole seconds that need a timer: times without one come within the second before. It looks `withinSeconds`
     * ahead. Times that have come need none: agents and the sweep fire them.
     */
    secondsWithoutTimer: async (withinSeconds: number) => {
      const rows = await all<{ at: Date }>(
        db,
        `select distinct date_trunc('second', due_at + interval '999999 microseconds') as at from due_times
         where ${mayNeedTimer} and due_at > now() and due_at < now() + make_interval(secs => $1)
         order by at`,
        [withinSeconds],
      );
      return rows.map(({ at }) => at);
    },

    /** Records that the times within the second before have a timer. */
    markTimerArmed: (second: Date) =>
      db.query(
        `update due_times set timer_armed = true
         where ${mayNeedTimer} and due_at > $1::timestamptz - interval '1 second' and due_at <= $1`,
        [second],
      ),
  };
}
