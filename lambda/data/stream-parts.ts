// SQL of what streams name: who uses a part, and which playlists are a stream's.
import { all, one } from './queryable.ts';
import type { Queryable } from './queryable.ts';
import type { Stream } from './streams.ts';

/** One thing that streams name. */
export interface StreamPart {
  readonly uploadID?: string;
  readonly playlistID?: string;
  readonly destinationID?: string;
}

const namesPart = '(video_upload_id = $1 or audio_upload_id = $1 or playlist_ids @> array[$2] or destination_id = $3)';

export function streamParts(db: Queryable) {
  return {
    /** Ids of the streams that name one of these parts and are not live: their completeness has to be judged anew. */
    idleUsersOf: async (part: StreamPart) =>
      (
        await all<{ id: string }>(
          db,
          `select id from streams where state in ('draft', 'invalid', 'stopped', 'failed') and ${namesPart} order by id`,
          [part.uploadID ?? null, part.playlistID ?? null, part.destinationID ?? null],
        )
      ).map((row) => row.id),

    /** Locks the streams that name this part: nobody starts them on it while it goes. */
    lockUsersOf: (part: StreamPart) =>
      db.query(`select from streams where ${namesPart} order by id for update`, [
        part.uploadID ?? null,
        part.playlistID ?? null,
        part.destinationID ?? null,
      ]),

    attachPlaylist: async (id: string, playlistID: string) =>
      (await one<Stream>(
        db,
        'update streams set playlist_ids = array_append(playlist_ids, $2), updated_at = now() where id = $1 returning *',
        [id, playlistID],
      ))!,

    detachPlaylist: async (id: string, playlistID: string) =>
      (await one<Stream>(
        db,
        'update streams set playlist_ids = array_remove(playlist_ids, $2), updated_at = now() where id = $1 returning *',
        [id, playlistID],
      ))!,

    /** No stream of this user keeps these playlists prepared any more. */
    forgetPrepared: (userID: string, playlistIDs: readonly string[]) =>
      db.query(
        `update streams set prepared_playlist_ids = array(
           select id from unnest(prepared_playlist_ids) with ordinality as kept (id, place) where id <> all ($2) order by place)
         where user_id = $1 and prepared_playlist_ids && $2`,
        [userID, playlistIDs],
      ),

    /** Sums up how publishing stands of all of a stream's playlists. */
    settleProcessing: (id: string) =>
      db.query(
        `update streams set processing_state = (
           select case when bool_or(publish_status = 'PREPARING') then 'processing' when bool_or(publish_status = 'FAILED') then 'failed' else 'idle' end
           from playlists where stream_id = $1) where id = $1`,
        [id],
      ),
  };
}
