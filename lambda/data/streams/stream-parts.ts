// SQL of the parts that streams name: their uploads, playlists and destinations.
// Decision D9.
import type { Upload } from '../media/uploads.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { Stream } from './streams.ts';
import type { Locked } from '../shared/locked.ts';

/** A part that streams name. Exactly one id is present. */
export interface StreamPart {
  readonly uploadID?: string;
  readonly playlistID?: string;
  readonly destinationID?: string;
}

/** SQL condition: a stream names the upload $1, the playlist $2 or the destination $3. */
const namesPart = `(video_upload_id = $1 or audio_upload_id = $1 or look #>> '{overlays,logo,uploadID}' = $1
  or look #>> '{stinger,uploadID}' = $1
  or playlist_ids @> array[$2] or destination_id = $3
  or id = any (array(select stream_id from outputs where destination_id = $3)))`;

/** An upload as a part of streams: without what only its user arranges or sees. */
export type PartUpload = Pick<
  Upload,
  | 'id'
  | 'user_id'
  | 'name'
  | 'titles'
  | 'captions'
  | 'object_key'
  | 'uploaded'
  | 'probe_state'
  | 'duration_seconds'
  | 'width'
  | 'height'
  | 'video_codec'
  | 'audio_codec'
  | 'dynamic_range'
  | 'reading'
  | 'decode_cost'
  | 'content_hash'
  | 'finding_kinds'
  | 'show_seconds'
  | 'order_reference'
  | 'advertiser'
>;

/** SQL of a query for these users' uploads among these, in no order: PartUpload. */
const uploadsOf = `
  select id, user_id, name, upload_titles(file_tags, given_titles) as titles, captions, object_key, uploaded,
    probe_state, duration_seconds, width, height, video_codec, audio_codec, dynamic_range, reading, decode_cost,
    content_hash, finding_kinds, show_seconds, order_reference, advertiser
  from uploads where user_id = any ($1) and id = any ($2)`;

export function streamParts(db: Queryable) {
  return {
    /** These users' uploads among these, in no order, to show or plan what streams play. */
    uploads: (userIDs: readonly string[], ids: readonly string[]) => all<PartUpload>(db, uploadsOf, [userIDs, ids]),

    /** These users' uploads among these, in no order, which no other transaction deletes until this one ends. */
    lockUploads: (userIDs: readonly string[], ids: readonly string[]) =>
      all<PartUpload>(db, `${uploadsOf} for key share`, [userIDs, ids]),

    /** Ids of the streams that name this part and are not live, whose completeness depends on it. */
    idleUsersOf: async (part: StreamPart) => {
      const rows = await all<{ id: string }>(
        db,
        `select id from streams
         where state in ('draft', 'invalid', 'stopped', 'failed') and deleted_at is null and ${namesPart}
         order by id`,
        [part.uploadID ?? null, part.playlistID ?? null, part.destinationID ?? null],
      );
      return rows.map(({ id }) => id);
    },

    /** Ids of the streams whose logo or stinger this upload is. */
    withInLook: async (uploadID: string) => {
      const rows = await all<{ id: string }>(
        db,
        `select id from streams
         where (look #>> '{overlays,logo,uploadID}' = $1 or look #>> '{stinger,uploadID}' = $1) and deleted_at is null
         order by id`,
        [uploadID],
      );
      return rows.map(({ id }) => id);
    },

    /** Ids of the streams on the air that play an upload and draw captions. */
    withCaptionsOf: async (uploadID: string) => {
      const rows = await all<{ id: string }>(
        db,
        `select s.id from uploads u join streams s on s.user_id = u.user_id
         where u.id = $1 and s.look #>> '{overlays,captions,place}' is not null
           and s.state in ('preparing', 'activating', 'active', 'failing')
           and exists (
             select from timeline_entries t where t.stream_id = s.id
               and t.snapshot -> 'items' @> jsonb_build_array(jsonb_build_object('uploadID', u.id)))
         order by s.id`,
        [uploadID],
      );
      return rows.map(({ id }) => id);
    },

    /** Locks the streams that name this part, so that none of them starts with it while it is being deleted. */
    lockUsersOf: (part: StreamPart) =>
      db.query(`select from streams where ${namesPart} order by id for update`, [
        part.uploadID ?? null,
        part.playlistID ?? null,
        part.destinationID ?? null,
      ]),

    /** Locks the live streams of a user with a programme. */
    lockPlannedOf: (userID: string) =>
      all<Locked<Stream>>(
        db,
        `select * from streams
         where user_id = $1 and planned_tracks is not null and state in ('preparing', 'activating', 'active', 'failing')
         order by id for update`,
        [userID],
      ),

    attachPlaylist: async (id: string, playlistID: string) =>
      (await one<Locked<Stream>>(
        db,
        `update streams set playlist_ids = array_append(playlist_ids, $2), updated_at = now()
         where id = $1 returning *`,
        [id, playlistID],
      ))!,

    detachPlaylist: async (id: string, playlistID: string) =>
      (await one<Locked<Stream>>(
        db,
        `update streams set playlist_ids = array_remove(playlist_ids, $2), updated_at = now()
         where id = $1 returning *`,
        [id, playlistID],
      ))!,

    /** Removes these playlists from all streams of this user that keep them prepared. */
    forgetPrepared: (userID: string, playlistIDs: readonly string[]) =>
      db.query(
        `update streams set prepared_playlist_ids = array(
           select id from unnest(prepared_playlist_ids) with ordinality as kept (id, place)
           where id <> all ($2) order by place)
         where user_id = $1 and prepared_playlist_ids && $2`,
        [userID, playlistIDs],
      ),

    /** Records in the stream whether any of its playlists is being published or failed to be. */
    updateProcessingState: (id: string) =>
      db.query(
        `update streams set processing_state = (
           select case
             when bool_or(publish_status = 'PREPARING') then 'processing'
             when bool_or(publish_status = 'FAILED') then 'failed'
             else 'idle' end
           from playlists where stream_id = $1)
         where id = $1`,
        [id],
      ),
  };
}
