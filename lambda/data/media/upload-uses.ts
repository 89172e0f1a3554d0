// SQL of the uses of an upload: playlists that hold it, streams that play or draw it, and thumbnails of broadcasts.
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** The number of playlists, streams and managed settings that name an upload. */
export interface UploadUse {
  readonly id: string;
  readonly playlists: number;
  readonly streams: number;
  readonly managedSettings: number;
  readonly clips: number;
}

export function uploadUses(db: Queryable) {
  return {
    /**
     * Whether a playlist holds the upload, a live stream plays it, managed settings show it, or it has clips. Rows of
     * programmes do not count: these are planned again without it. A stream whose playlist has changed plays its former
     * items until the change takes effect. It is one statement, so that no change falls between its parts.
     */
    isInUse: async (id: string) =>
      (await one<{ used: boolean }>(
        db,
        `with live as (
           select id, video_upload_id, audio_upload_id,
             extract(epoch from clock_timestamp() - anchored_at) as elapsed_seconds
           from streams
           where user_id = (select user_id from uploads where id = $1) and deleted_at is null
             and state in ('preparing', 'activating', 'active', 'failing', 'stopping'))
         select exists (select from playlists where draft -> 'items' @> $2 or live -> 'items' @> $2)
           or exists (select from managed_settings where thumbnail_upload_id = $1)
           or exists (select from uploads where clip_of = $1)
           or exists (select from live_inputs where slate_upload_id = $1)
           or exists (select from live where video_upload_id = $1 or audio_upload_id = $1)
           or exists (
             -- An entry of the timeline plays, or will, unless a later one of its track has begun.
             select from live join timeline_entries playing on playing.stream_id = live.id
             where playing.snapshot -> 'planned' is null
               and (playing.snapshot -> 'items' @> $2 or playing.snapshot -> 'items' @> $3
                 or playing.snapshot -> 'overlays' -> 'logo' ->> 'uploadID' = $1) and not exists (
               select from timeline_entries later
               where later.stream_id = playing.stream_id and later.track = playing.track
                 and later.number > playing.number and later.offset_seconds < elapsed_seconds)) as used`,
        [id, JSON.stringify([{ uploadID: id }]), JSON.stringify([{ join: { stinger: { uploadID: id } } }])],
      ))!.used,

    /** The uses of each of these uploads, in no order. */
    uses: (ids: readonly string[]) =>
      all<UploadUse>(
        db,
        `select u.id,
           (select count(*)::int from playlists p
            where p.draft -> 'items' @> i.item or p.live -> 'items' @> i.item) as playlists,
           (select count(*)::int from streams s
            where (s.video_upload_id = u.id or s.audio_upload_id = u.id
                or s.look #>> '{overlays,logo,uploadID}' = u.id or s.look #>> '{stinger,uploadID}' = u.id)
              and s.deleted_at is null) as streams,
           (select count(*)::int from managed_settings m where m.thumbnail_upload_id = u.id) as "managedSettings",
           (select count(*)::int from uploads clip where clip.clip_of = u.id) as clips
         from unnest($1::text[]) as u (id)
         cross join lateral (select jsonb_build_array(jsonb_build_object('uploadID', u.id)) as item) as i`,
        [ids],
      ),

    /**
     * At most `most` playlists that hold an upload, as many live streams that play it, managed settings with it as
     * their thumbnail, and clips of it, with their names.
     */
    usersOf: async (id: string, most: number) =>
      all<{ kind: 'playlist' | 'stream' | 'managedSettings' | 'clip' | 'liveInput'; id: string; name: string | null }>(
        db,
        `(select 'playlist' as kind, id, name from playlists
          where draft -> 'items' @> $2 or live -> 'items' @> $2 order by seq limit $3)
         union all
         (select 'stream', id, name from streams
          where (video_upload_id = $1 or audio_upload_id = $1 or look #>> '{overlays,logo,uploadID}' = $1
              or look #>> '{stinger,uploadID}' = $1)
            and deleted_at is null
            and state in ('preparing', 'activating', 'active', 'failing', 'stopping') order by seq limit $3)
         union all
         (select 'managedSettings', id, name from managed_settings
          where thumbnail_upload_id = $1 order by seq limit $3)
         union all
         (select 'clip', id, name from uploads where clip_of = $1 order by seq limit $3)
         union all
         (select 'liveInput', id, name from live_inputs where slate_upload_id = $1 order by id limit $3)`,
        [id, JSON.stringify([{ uploadID: id }]), most],
      ),
  };
}
