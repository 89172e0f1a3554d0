// SQL of runs, past and present: the items that a stream played, and the frames that destinations accepted.
import type { AiredFrames } from '../../domain/playout/aired.ts';
import type { Aspect } from '../../domain/playout/look.ts';
import type { Framerate, Quality, VideoCodec } from '../../domain/shared/video-format.ts';
import type { Titles } from '../../domain/playout/titles.ts';
import { isFunded } from '../shared/funded.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import { pastPart } from './timelines.ts';
import type { RunTime, Track } from './timelines.ts';

/** A run that is over. */
export interface PastRun {
  readonly anchored_at: Date;
  readonly ended_at: Date;
  readonly quality: Quality;
  readonly framerate: Framerate;
  readonly video_codec: VideoCodec;
  /** Null: 16:9. */
  readonly aspect: Aspect | null;
}

/** The facts of an upload that was played. */
export interface PlayedUpload {
  readonly id: string;
  readonly name: string;
  /** From `contentHashOf`; null while unknown. */
  readonly contentHash: string | null;
  readonly titles: Titles;
  /** The content of the image that is its artwork; null: none. */
  readonly artworkContentHash: string | null;
}

/** The bytes of runs that are over, as stored, that are kept for a user who has paid and for one who has not. */
export type KeptRunBytes = Readonly<Record<'funded' | 'unfunded', number>>;

/** Frames that a destination accepted, with the stand-ins that played in place of the items of each track. */
export interface AiredOfTracks extends Omit<AiredFrames, 'standInID'> {
  readonly standInIDs: Readonly<Record<Track, string | null>>;
}

interface AiredRow {
  readonly output_id: string | null;
  readonly from_frame: number;
  readonly to_frame: number;
  readonly bytes: number;
  readonly stand_in_upload_id: string | null;
  readonly sound_stand_in_upload_id: string | null;
}

/** The frames of a whole run that destinations accepted, from all replicas. */
export interface AiredSum {
  readonly airedFrames: number;
  /** The frames from the first to the last accepted one, with gaps. */
  readonly wholeFrames: number;
  readonly interruptions: number;
  readonly bytes: number;
}

/**
 * SQL of the accepted stretches of a run by its stream $1 and its anchor $2, with those that agents have reported but
 * not stored yet.
 */
const knownStretches = `
  select replica_id, epoch, from_frame, max(to_frame) as to_frame, max(bytes) as bytes,
    max(stand_in_upload_id) as stand_in_upload_id, max(sound_stand_in_upload_id) as sound_stand_in_upload_id,
    max(known.output_id) as output_id
  from (
    select a.replica_id, a.epoch, a.from_frame, a.to_frame, a.bytes, a.stand_in_upload_id,
      a.sound_stand_in_upload_id, a.output_id
    from aired_frames a
    where a.stream_id = $1 and a.anchored_at = $2
    union all
    select r.id, r.epoch, said."from", said."to", said.bytes, said."standIn", said."soundStandIn",
      coalesce(r.output_id, o.id)
    from streams s join replicas r on r.stream_id = s.id
      left join outputs o on o.stream_id = s.id and o.is_first
      cross join lateral jsonb_to_recordset(latest_stats(null, r.agent_id, r.id, r.epoch) -> 'aired')
        as said ("from" bigint, "to" bigint, bytes bigint, "standIn" text, "soundStandIn" text)
    where s.id = $1 and date_trunc('milliseconds', s.anchored_at) = $2) known`;

export function runs(db: Queryable) {
  return {
    /** The past runs of a stream that overlap a range, the earliest first. */
    between: (streamID: string, from: Date, to: Date, count: number) =>
      all<PastRun>(
        db,
        `select anchored_at, ended_at, quality, framerate, video_codec, aspect from past_runs
         where stream_id = $1 and ended_at > $2 and anchored_at < $3 order by anchored_at limit $4`,
        [streamID, from, to, count],
      ),

    /** The first entries of a past run that are in force during a part of it. */
    partOf: (streamID: string, anchoredAt: Date, time: RunTime) => pastPart(db, streamID, anchoredAt, time),

    /**
     * Deletes at most `most` runs and stretches: those older than `days`, and the excess over `bytesPerStream` of
     * streams whose run ended within the last `endedMinutes`. The latest past run stays, of any size.
     */
    forget: async (days: number, bytesPerStream: number, most: number, endedMinutes = 5) => {
      await db.query(
        `with kept as (select distinct stream_id from past_runs where kept_at > now() - make_interval(mins => $4)),
         excess as (
           select stream_id, anchored_at from (
             select stream_id, anchored_at, row_number() over latest as place, sum(bytes) over latest as bytes
             from past_runs where stream_id in (select stream_id from kept)
             window latest as (partition by stream_id order by anchored_at desc)) sized
           where place > 1 and bytes > $2),
         old as (
           select stream_id, anchored_at from past_runs where ended_at < now() - make_interval(days => $1)
           order by ended_at limit $3)
         delete from past_runs
         where (stream_id, anchored_at) in (select * from excess union select * from old limit $3)`,
        [days, bytesPerStream, most, endedMinutes],
      );
      await db.query(
        `delete from aired_frames where ctid in (
           select ctid from aired_frames where noted_at < now() - make_interval(days => $1)
           order by noted_at limit $2)`,
        [days, most],
      );
    },

    /**
     * Deletes at most `most` runs that were never live, a day after the next run has begun, and the excess over
     * `kept` of users with a run that ended, or was kept, within the last `endedMinutes`: their earliest runs, also the
     * last one of a stream that is off the air. The latest run of a user stays, of any size. Decision D268.
     */
    forgetOfUsers: async (kept: KeptRunBytes, most: number, endedMinutes = 5) => {
      await db.query(
        `with users as (
           select user_id, case when ${isFunded('changed.user_id')} then $1::bigint else $2::bigint end as allowed
           from (
             select user_id from streams where stopped_at > now() - make_interval(mins => $4) and deleted_at is null
             union
             select s.user_id from past_runs r join streams s on s.id = r.stream_id
             where r.kept_at > now() - make_interval(mins => $4)) as changed),
         ended as (
           select s.user_id, r.stream_id, r.anchored_at, r.kept_at as over_at, r.bytes
           from users join streams s using (user_id) join past_runs r on r.stream_id = s.id
           where s.deleted_at is null
           union all
           select s.user_id, s.id, null, s.stopped_at, sum(pg_column_size(e.snapshot))
           from users join streams s using (user_id) join timeline_entries e on e.stream_id = s.id
           where s.deleted_at is null and s.status <> 'ACTIVE' group by s.id),
         excess as (
           select stream_id, anchored_at from (
             select user_id, stream_id, anchored_at, row_number() over latest as place, sum(bytes) over latest as bytes
             from ended window latest as (partition by user_id order by over_at desc nulls last)) as sized
             join users using (user_id)
           where place > 1 and bytes > allowed),
         left_over as (
           delete from timeline_entries where stream_id in (select stream_id from excess where anchored_at is null)),
         never_live as (
           select r.stream_id, r.anchored_at from past_runs r join streams s on s.id = r.stream_id
           -- Each run is read during three hours, with the few intervals that ended during it.
           where r.kept_at between now() - interval '27 hours' and now() - interval '1 day'
             and not exists (
               select from live_intervals l
               where l.user_id = s.user_id and l.stream_id = s.id
                 and l.ended_at between r.anchored_at and least(r.kept_at, r.ended_at + interval '1 hour'))
           limit $3)
         delete from past_runs where (stream_id, anchored_at) in (
           select * from excess where anchored_at is not null union select * from never_live limit $3)`,
        [kept.funded, kept.unfunded, most, endedMinutes],
      );
    },

    /** The current names, titles and contents of uploads of a user, by id. Deleted uploads are absent. */
    uploadFacts: async (userID: string, ids: readonly string[]): Promise<Map<string, PlayedUpload>> => {
      const rows = await all<PlayedUpload>(
        db,
        `select id, name, content_hash as "contentHash", upload_titles(file_tags, given_titles) as titles,
           (select content_hash from uploads where id = u.artwork_upload_id) as "artworkContentHash"
         from uploads u where user_id = $1 and id = any ($2)`,
        [userID, ids],
      );
      return new Map(rows.map((row) => [row.id, row]));
    },

    /** The first `most` stretches between two frames of a run that destinations accepted. */
    aired: async (
      streamID: string,
      anchoredAt: Date,
      fromFrame: number,
      toFrame: number,
      most: number,
    ): Promise<AiredOfTracks[]> => {
      const rows = await all<AiredRow>(
        db,
        `${knownStretches}
         where from_frame < $4 and to_frame > $3
         group by replica_id, epoch, from_frame order by from_frame limit $5`,
        [streamID, anchoredAt, fromFrame, toFrame, most],
      );
      return rows.map((row) => ({
        outputID: row.output_id,
        fromFrame: row.from_frame,
        toFrame: row.to_frame,
        bytes: row.bytes,
        standInIDs: { video: row.stand_in_upload_id, audio: row.sound_stand_in_upload_id },
      }));
    },

    /** The accepted frames of a run, each counted once; null: none. */
    airedSum: (streamID: string, anchoredAt: Date): Promise<AiredSum | null> =>
      one<AiredSum>(
        db,
        `with stretches as (${knownStretches} group by replica_id, epoch, from_frame),
         following as (
           select *, max(to_frame) over (
             order by from_frame, to_frame rows between unbounded preceding and 1 preceding) as before
           from stretches)
         select sum(greatest(to_frame - greatest(from_frame, before), 0))::bigint as "airedFrames",
           max(to_frame) - min(from_frame) as "wholeFrames",
           count(*) filter (where from_frame > before) as interruptions, sum(bytes)::bigint as bytes
         from following having count(*) > 0`,
        [streamID, anchoredAt],
      ),
  };
}
