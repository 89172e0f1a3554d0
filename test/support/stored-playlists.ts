// What tests change of playlists in the database, which only a worker does.
import type { WithPool } from './database.ts';

/** Makes the draft of a playlist, as it is now, what was published last. */
export async function pretendPublished({ pool }: WithPool, playlistID: string): Promise<void> {
  await pool().query(
    `update playlists set publishing = null, publish_status = 'IDLE',
       live = draft || jsonb_build_object('version', version, 'publishedAt', $2::text)
     where id = $1`,
    [playlistID, new Date().toISOString()],
  );
}
