// Changes of playlists in the database that only a worker makes.
import type { WithPool } from './database.ts';

/** Marks the current draft of a playlist as its last published version. */
export async function pretendPublished({ pool }: WithPool, playlistID: string): Promise<void> {
  await pool().query(
    `update playlists set publishing = null, publish_status = 'IDLE',
       live = draft || jsonb_build_object('version', version, 'publishedAt', $2::text)
     where id = $1`,
    [playlistID, new Date().toISOString()],
  );
}
