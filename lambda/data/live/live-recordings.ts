// SQL of recordings: the parts of sessions that takeovers have shown, as uploads.
import { formatNamed } from '../../domain/playout/rendition.ts';
import type { PictureFormat } from '../../domain/playout/rendition.ts';
import type { RecordedSegments } from '../../domain/live/recording.ts';
import type { TakeoverInterval } from '../../domain/live/takeover-intervals.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** A recording that is made, with the segments that it consists of. */
export interface LiveRecording {
  readonly upload_id: string;
  readonly user_id: string;
  readonly session_id: string;
  readonly format: PictureFormat;
  /** The kind of the encoder that made the segments. */
  readonly encoder: string;
  readonly first_segment: number;
  readonly segment_count: number;
  readonly created_at: Date;
}

/** A session that a takeover has shown, and that is not recorded yet. */
export interface UnrecordedSession {
  readonly takeover_id: string;
  readonly session_id: string;
  readonly user_id: string;
  readonly input_name: string;
  readonly anchored_at: Date;
  readonly format: PictureFormat;
  /** Segments that are stored. */
  readonly segment_count: number;
  /** In order of their frames. */
  readonly intervals: readonly TakeoverInterval[];
}

export interface NewRecording extends RecordedSegments {
  readonly takeoverID: string;
  readonly sessionID: string;
  /** Null: it is refused. */
  readonly uploadID: string | null;
  readonly refusal: string | null;
}

/** The frames of a run that showed a part of a session, with the upload that this part became. */
export interface RecordedInterval {
  readonly session_id: string;
  readonly from_frame: number;
  readonly upload_id: string;
}

interface Named {
  readonly format: string;
}

/** All segments that a takeover has shown are stored this long after its end. */
const storedAfter = '20 seconds';
/** SQL condition: a takeover `t` shows nothing more of a session `s`. */
const isOver = `(s.ended_at is not null or t.ended_at < now() - interval '${storedAfter}')`;
/** SQL condition: the session `s` is not recorded for a takeover `t`. */
const isUnrecorded = `not exists (
  select from live_recordings r where r.takeover_id = t.id and r.session_id = s.id)`;
/** SQL condition: a takeover of the session `s` is over and not recorded. */
const hasUnrecorded = `exists (
  select from takeover_intervals v join takeovers t on t.id = v.takeover_id
  where v.session_id = s.id and ${isOver} and ${isUnrecorded})`;

export function liveRecordings(db: Queryable) {
  return {
    /**
     * Locks the next session that takeovers have shown, and that is over, or whose takeovers are: the one that ended
     * first. Sessions that other processes record are skipped.
     * @param except ids of sessions to leave out
     * @returns null: there is none
     */
    lockDue: async (except: readonly string[]) => {
      const found = await one<{ id: string }>(
        db,
        `select s.id from live_sessions s
         where s.is_to_record and s.id <> all ($1) and (s.ended_at is not null or ${hasUnrecorded})
         order by s.ended_at, s.id limit 1 for update of s skip locked`,
        [except],
      );
      return found?.id ?? null;
    },

    /** The takeovers that are over for a session whose input records, without those that are recorded. */
    unrecorded: async (sessionID: string): Promise<UnrecordedSession[]> => {
      const rows = await all<Omit<UnrecordedSession, 'format'> & Named>(
        db,
        `select t.id as takeover_id, s.id as session_id, i.user_id, i.name as input_name, t.anchored_at, s.format,
           s.segment_count, jsonb_agg(jsonb_build_object('sessionID', v.session_id, 'fromFrame', v.from_frame,
             'toFrame', v.to_frame, 'firstSegment', v.first_segment) order by v.from_frame) as intervals
         from live_sessions s join live_inputs i on i.id = s.live_input_id and i.record
           join takeover_intervals v on v.session_id = s.id join takeovers t on t.id = v.takeover_id
         where s.id = $1 and s.format is not null and ${isOver} and ${isUnrecorded}
         group by t.id, s.id, i.id`,
        [sessionID],
      );
      return rows.map((row) => ({ ...row, format: formatNamed(row.format) as PictureFormat }));
    },

    /** Records that an ended session needs no recording any more. */
    finish: (sessionID: string) =>
      db.query('update live_sessions set is_to_record = false where id = $1 and ended_at is not null', [sessionID]),

    /** Records a recording, or its refusal. Format and encoder are those of the session. */
    insert: ({ takeoverID, sessionID, uploadID, firstSegment, segmentCount, isCut, refusal }: NewRecording) =>
      db.query(
        `insert into live_recordings (
           takeover_id, session_id, upload_id, format, encoder, first_segment, segment_count, is_cut, refusal)
         select $1, id, $3, format, encoder, $4, $5, $6, $7 from live_sessions where id = $2`,
        [takeoverID, sessionID, uploadID, firstSegment, segmentCount, isCut, refusal],
      ),

    /** The intervals of these sessions whose uploads are examined, in order of their frames. */
    readyOf: (sessionIDs: readonly string[]) =>
      all<RecordedInterval>(
        db,
        `select v.session_id, v.from_frame, r.upload_id from live_recordings r
           join uploads u on u.id = r.upload_id and u.probe_state = 'completed'
           join takeover_intervals v on v.takeover_id = r.takeover_id and v.session_id = r.session_id
         where r.session_id = any ($1) order by v.from_frame`,
        [sessionIDs],
      ),

    /** The recording that an upload is; null: it is none. */
    ofUpload: async (uploadID: string): Promise<LiveRecording | null> => {
      const row = await one<Omit<LiveRecording, 'format'> & Named>(
        db,
        `select r.upload_id, u.user_id, r.session_id, r.format, r.encoder, r.first_segment, r.segment_count,
           r.created_at
         from live_recordings r join uploads u on u.id = r.upload_id where r.upload_id = $1`,
        [uploadID],
      );
      return row && { ...row, format: formatNamed(row.format) as PictureFormat };
    },
  };
}
