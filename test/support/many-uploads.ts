// Many inspected songs with titles, in folders, as rows of the database of a local run.
import pg from 'pg';
import type { LocalRun } from './local-run.ts';

/** The songs are `Song 1` to `Song COUNT` of files `file 1.mp3` to `file COUNT.mp3`, the last one the newest. */
export async function addManyUploads({ connection }: Pick<LocalRun, 'connection'>, count: number): Promise<void> {
  const client = new pg.Client(connection.databaseURL);
  await client.connect();
  try {
    await client.query(
      `insert into uploads (id, user_id, name, mime_type, type, object_key, uploaded, probe_state, duration_seconds,
         audio_codec, size_bytes, folder, given_titles)
       select 'upl_many' || n, u.id, 'file ' || n || '.mp3', 'audio/mpeg', 'audio', 'many_' || n, true, 'completed',
         180, 'mp3', 4000000, 'Folder ' || n % 50,
         jsonb_build_object('title', 'Song ' || n, 'artist', 'Artist ' || n % 100)
       from generate_series(1, $1::int) n, (select id from users where email = $2) u`,
      [count, connection.user.email],
    );
    await client.query('analyze uploads');
  } finally {
    await client.end();
  }
}
