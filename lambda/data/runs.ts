// SQL of runs: what a stream played, and what of that destinations took, in the past runs and in the present one.
import type { AiredFrames } from '../domain/aired.ts';
import type { Framerate, Quality, VideoCodec } from '../domain/video-format.ts';
import { all, one } from './queryable.ts';
import type { Queryable } from './queryable.ts';
import { timelinesOf } from './timelines.ts';
import type { EntryRow, Timelines } from './timelines.ts';

/** A run that is over. */
export interface PastRun {
  readonly anchored_at: Date;
  readonly ended_at: Date;
  readonly quality: Quality;
  readonly framerate: Framerate;
  /** Null: H.264. */
  readonly video_codec: VideoCodec | null;
}

/** What is known of an upload that was played. */
export interface PlayedUpload {
  readonly id: string;
  readonly name: string;
  /** As `contentHashOf` answers; null while it is not known. */
  readonly contentHash: string | null;
}

interface AiredRow {
  readonly from_frame: number;
  readonly to_frame: number;
  readonly bytes: number;
  readonly stand_in_upload_id: string | null;
}

/** More stretches than this are not read at once: a destination that drops each second would make so many. */
const mostStretches = 20_000;

export function runs(db: Queryable) {
  return {
    /** The past runs of a stream that reach into a time, the earliest first. */
    between: (streamID: string, from: Date, to: Date, count: number) =>
      all<PastRun>(
        db,
        `select anchored_at, ended_at, quality, framerate, video_codec from past_runs
         where stream_id = $1 and ended_at > $2 and anchored_at < $3 order by anchored_at limit $4`,
        [streamID, from, to, count],
      ),

    /** What a past run played. */
    timelines: async (streamID: string, anchoredAt: Date): Promise<Timelines> => {
      const row = await one<{ entries: readonly EntryRow[] }>(
        db,
        'select entries from past_runs where stream_id = $1 and anchored_at = $2',
        [streamID, anchoredAt],
      );
      return timelinesOf(row?.entries ?? []);
    },

    /**
     * Deletes, at most `most` rows each, what is too old, and of streams of which a run has ended within the last
     * minutes what is beyond so many bytes.
     */
    forget: async (days: number, bytesPerStream: number, most: number) => {
      await db.query(
        `with ended as (select distinct stream_id from past_runs where ended_at > now() - interval '5 minutes'),
         excess as (
           select stream_id, anchored_at from (
             select stream_id, anchored_at,
               sum(pg_column_size(entries)) over (partition by stream_id order by anchored_at desc) as bytes
             from past_runs where stream_id in (select stream_id from ended)) sized
           where bytes > $2),
         old as (
           select stream_id, anchored_at from past_runs where ended_at < now() - make_interval(days => $1)
           order by ended_at limit $3)
         delete from past_runs
         where (stream_id, anchored_at) in (select * from excess union select * from old limit $3)`,
        [days, bytesPerStream, most],
      );
      await db.query(
        `delete from aired_frames where ctid in (
           select ctid from aired_frames where noted_at < now() - make_interval(days => $1)
           order by noted_at limit $2)`,
        [days, most],
      );
    },

    /** What uploads of a user are called now, and their contents, by their ids, as far as they are there. */
    uploadFacts: async (userID: string, ids: readonly string[]): Promise<Map<string, PlayedUpload>> => {
      const rows = await all<PlayedUpload>(
        db,
        'select id, name, content_hash as "contentHash" from uploads where user_id = $1 and id = any ($2)',
        [userID, ids],
      );
      return new Map(rows.map((row) => [row.id, row]));
    },

    /** What destinations took of a run between two of its frames, with what agents have said since it was noted. */
    aired: async (streamID: string, anchoredAt: Date, fromFrame: number, toFrame: number): Promise<AiredFrames[]> => {
      const rows = await all<AiredRow>(
        db,
        `select replica_id, epoch, from_frame, max(to_frame) as to_frame, max(bytes) as bytes,
           max(stand_in_upload_id) as stand_in_upload_id
         from (
           select replica_id, epoch, from_frame, to_frame, bytes, stand_in_upload_id from aired_frames
           where stream_id = $1 and anchored_at = $2
           union all
           select r.id, r.epoch, said."from", said."to", said.bytes, said."standIn"
           from streams s join replicas r on r.stream_id = s.id
             cross join lateral jsonb_to_recordset(latest_stats(null, r.agent_id, r.id, r.epoch) -> 'aired')
               as said ("from" bigint, "to" bigint, bytes bigint, "standIn" text)
           where s.id = $1 and date_trunc('milliseconds', s.anchored_at) = $2) known
         where from_frame < $4 and to_frame > $3
         group by replica_id, epoch, from_frame order by from_frame limit ${mostStretches}`,
        [streamID, anchoredAt, fromFrame, toFrame],
      );
      return rows.map((row) => ({
        outputID: null,
        fromFrame: row.from_frame,
        toFrame: row.to_frame,
        bytes: row.bytes,
        standInUploadID: row.stand_in_upload_id,
      }));
    },
  };
}
