// SQL of takeovers: the parts of a run that show a contributor's session in place of its timeline.
// Each change makes the agents of the stream read its timelines again.
import { lookAgainMs, lookRestSeconds } from '../../domain/live/block-windows.ts';
import type { IntervalSlate, TakeoverInterval } from '../../domain/live/takeover-intervals.ts';
import { bounds } from '../../domain/shared/bounds.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** The reason of an end, for users. */
export type TakeoverEnd = 'handed_back' | 'time_over' | 'contribution_ended' | 'stream_stopped';

export interface Takeover {
  readonly id: string;
  readonly stream_id: string;
  readonly anchored_at: Date;
  /** Null: the input was deleted. */
  readonly live_input_id: string | null;
  readonly began_at: Date;
  /** The planned beginning; null: as soon as possible. */
  readonly start_at: Date | null;
  /** Null: it has no planned end. */
  readonly end_at: Date | null;
  /** When the end of its window is looked for again; null: it follows no window. */
  readonly look_again_at: Date | null;
  /** Since when no session is sent; null: one is. */
  readonly lost_at: Date | null;
  /** In order of their frames; none: it waits for its beginning. */
  readonly intervals: readonly TakeoverInterval[];
}

/** A takeover that begins, now or at a time. */
export interface NewTakeover {
  readonly id: string;
  readonly streamID: string;
  readonly liveInputID: string;
  /** Null: as soon as possible. */
  readonly startAt: Date | null;
  readonly endAt: Date | null;
  /** When the end of its window is looked for again; null: it follows no window. */
  readonly lookAgainAt: Date | null;
}

interface IntervalRow {
  readonly session_id: string;
  readonly from_frame: number;
  readonly to_frame: number | null;
  readonly first_segment: number;
  readonly slate: IntervalSlate | null;
}

/** The most intervals of a takeover that are read: the latest ones. A contributor may go and come for months. */
const mostIntervals = 20;

const revised = 'update replicas set timeline_revision = timeline_revision + 1 where stream_id = ';

/** SQL expression: the slate of the interval `v`; null: it has none. */
const slateJSON = `case when v.slate_upload_id is not null then jsonb_build_object('uploadID', v.slate_upload_id,
  'seconds', v.slate_seconds, 'toFrame', v.slate_to_frame) end`;
const slateField = `case when v.slate_upload_id is null then '{}' else jsonb_build_object('slate', ${slateJSON}) end`;
const intervalsJSON = `(select coalesce(jsonb_agg(
    jsonb_build_object('sessionID', v.session_id, 'fromFrame', v.from_frame, 'toFrame', v.to_frame,
      'firstSegment', v.first_segment) || ${slateField} order by v.from_frame), '[]')
  from (select * from takeover_intervals where takeover_id = t.id order by from_frame desc limit ${mostIntervals}) v)
  as intervals`;
const columns = `t.id, t.stream_id, t.anchored_at, t.live_input_id, t.began_at, t.start_at, t.end_at,
  t.look_again_at, t.lost_at, ${intervalsJSON}`;

export function takeovers(db: Queryable) {
  return {
    /** The open takeover of a stream's run; null: there is none. The caller has locked the stream. */
    openOf: (streamID: string) =>
      one<Takeover>(
        db,
        `select ${columns} from takeovers t join streams s on s.id = t.stream_id and s.anchored_at = t.anchored_at
         where t.stream_id = $1 and t.ended_at is null`,
        [streamID],
      ),

    /** The latest takeover of a stream's run, with its end (null: it is open); null: there was none. */
    lastOf: (streamID: string) =>
      one<Takeover & { readonly ended_at: Date | null }>(
        db,
        `select ${columns}, t.ended_at
         from takeovers t
         where t.stream_id = $1 and t.anchored_at = (select anchored_at from streams where id = $1)
         order by t.began_at desc limit 1`,
        [streamID],
      ),

    /** The stream that an open takeover of this input is about; null: there is none. */
    streamOf: async (liveInputID: string) =>
      (
        await one<{ stream_id: string }>(
          db,
          'select stream_id from takeovers where live_input_id = $1 and ended_at is null',
          [liveInputID],
        )
      )?.stream_id ?? null,

    /**
     * Begins a takeover of a run. Those of earlier runs of the stream end, the one before is deleted if it has shown
     * nothing, and so are those beyond the latest ones.
     */
    begin: async (takeover: NewTakeover) => {
      await db.query(
        `delete from takeovers where id in (
           select id from (
             select id, row_number() over (order by anchored_at desc, began_at desc) as place
             from takeovers where stream_id = $1) placed
           where place >= $2 or place = 1
             and not exists (select from takeover_intervals v where v.takeover_id = placed.id))`,
        [takeover.streamID, bounds.takeoversPerStream],
      );
      await db.query(
        `update takeovers set ended_at = now(), end_reason = 'stream_stopped'
         where stream_id = $1 and ended_at is null`,
        [takeover.streamID],
      );
      await db.query(
        `insert into takeovers (id, stream_id, anchored_at, live_input_id, start_at, end_at, look_again_at)
         select $1, id, anchored_at, $3, $4, $5, $6 from streams where id = $2`,
        [takeover.id, takeover.streamID, takeover.liveInputID, takeover.startAt, takeover.endAt, takeover.lookAgainAt],
      );
    },

    /** Adds an interval, in place of one that begins at the same frame: its session was lost before it was shown. */
    add: (takeoverID: string, { sessionID, fromFrame, toFrame, firstSegment, slate }: TakeoverInterval) =>
      db.query(
        `with added as (
           insert into takeover_intervals (takeover_id, session_id, from_frame, to_frame, first_segment,
             slate_upload_id, slate_seconds)
           values ($1, $2, $3, $4, $5, $6, $7)
           on conflict (takeover_id, from_frame) do update set session_id = excluded.session_id,
             to_frame = excluded.to_frame, first_segment = excluded.first_segment,
             slate_upload_id = excluded.slate_upload_id, slate_seconds = excluded.slate_seconds,
             slate_to_frame = null),
         shown as (update live_sessions set is_to_record = true where id = $2 and not is_to_record),
         taken as (update takeovers set lost_at = null where id = $1 returning stream_id)
         ${revised} (select stream_id from taken)`,
        [takeoverID, sessionID, fromFrame, toFrame, firstSegment, slate?.uploadID ?? null, slate?.seconds ?? null],
      ),

    /**
     * Ends the interval that begins at a frame, and the slate after it. Ends that are known already stay if they are
     * earlier.
     * @param slateToFrame null: no slate follows, or its end stays
     */
    endInterval: (takeoverID: string, fromFrame: number, toFrame: number, slateToFrame: number | null = null) =>
      db.query(
        `with cut as (
           update takeover_intervals set to_frame = least(to_frame, $3), slate_to_frame = least(slate_to_frame, $4)
           where takeover_id = $1 and from_frame = $2)
         ${revised} (select stream_id from takeovers where id = $1)`,
        [takeoverID, fromFrame, toFrame, slateToFrame],
      ),

    /** Records that no session is sent any more, and the wait for the next one begins. */
    lose: (takeoverID: string) =>
      db.query('update takeovers set lost_at = coalesce(lost_at, now()) where id = $1', [takeoverID]),

    /** @param lookAgainAt null: it follows no window from now on */
    planEnd: (takeoverID: string, endAt: Date | null, lookAgainAt: Date | null) =>
      db.query('update takeovers set end_at = $2, look_again_at = $3 where id = $1', [takeoverID, endAt, lookAgainAt]),

    /**
     * Has the end of the window looked for at once, or after a rest since the last look, if the open takeover of a
     * stream follows one. Changes that come before that look have it in common.
     */
    lookAgain: (streamID: string) =>
      db.query(
        `update takeovers set look_again_at = case
           when look_again_at <= now() + make_interval(secs => $3) then look_again_at
           -- The last look was one period before the next one.
           else greatest(now(), least(now(), look_again_at - make_interval(secs => $2)) + make_interval(secs => $3)) end
         where stream_id = $1 and ended_at is null and look_again_at is not null`,
        [streamID, lookAgainMs / 1000, lookRestSeconds],
      ),

    /** The open takeovers that look for the end of their window by a time. */
    toLookAgain: (now: Date, atMost: number) =>
      all<{ id: string; stream_id: string; user_id: string }>(
        db,
        `select t.id, t.stream_id, s.user_id from takeovers t
           join streams s on s.id = t.stream_id and s.anchored_at = t.anchored_at
         where t.ended_at is null and t.look_again_at <= $1 order by t.look_again_at limit $2`,
        [now, atMost],
      ),

    planStart: (takeoverID: string, startAt: Date | null) =>
      db.query('update takeovers set start_at = $2 where id = $1', [takeoverID, startAt]),

    /** The waiting takeovers whose time is within `aheadSeconds`, and whose inputs receive pictures. */
    toBegin: (aheadSeconds: number, atMost: number) =>
      all<{ id: string; stream_id: string; user_id: string; live_input_id: string }>(
        db,
        `select t.id, t.stream_id, st.user_id, t.live_input_id from live_sessions s
           join takeovers t on t.live_input_id = s.live_input_id
           join streams st on st.id = t.stream_id and st.anchored_at = t.anchored_at
         where s.ended_at is null and s.first_picture_at is not null and t.ended_at is null
           and t.start_at <= now() + make_interval(secs => $1)
           and not exists (select from takeover_intervals v where v.takeover_id = t.id)
         order by t.start_at limit $2`,
        [aheadSeconds, atMost],
      ),

    end: (takeoverID: string, reason: TakeoverEnd) =>
      db.query('update takeovers set ended_at = now(), end_reason = $2 where id = $1 and ended_at is null', [
        takeoverID,
        reason,
      ]),

    /** The open takeovers whose grace is over, or whose time is within `aheadSeconds`, with their streams. */
    due: (aheadSeconds: number, atMost: number) =>
      all<{ id: string; stream_id: string; user_id: string }>(
        db,
        `select t.id, t.stream_id, s.user_id from takeovers t join streams s on s.id = t.stream_id
           left join live_inputs i on i.id = t.live_input_id
         where t.ended_at is null and (t.end_at <= now() + make_interval(secs => $1)
           or s.anchored_at is distinct from t.anchored_at or i.id is null
           or t.lost_at <= now() - make_interval(secs => i.grace_seconds))
         order by t.began_at limit $2`,
        [aheadSeconds, atMost],
      ),

    /** The latest intervals of a stream's run, in order of their frames. */
    intervalsOf: async (streamID: string): Promise<readonly TakeoverInterval[]> => {
      const rows = await all<IntervalRow>(
        db,
        `select v.session_id, v.from_frame, v.to_frame, v.first_segment, ${slateJSON} as slate
         from streams s join takeovers t on t.stream_id = s.id and t.anchored_at = s.anchored_at
           join takeover_intervals v on v.takeover_id = t.id
         where s.id = $1 order by v.from_frame desc limit $2`,
        [streamID, mostIntervals],
      );
      return rows.reverse().map((row) => ({
        sessionID: row.session_id,
        fromFrame: row.from_frame,
        toFrame: row.to_frame,
        firstSegment: row.first_segment,
        ...(row.slate && { slate: row.slate }),
      }));
    },
  };
}
