// SQL of content that is kept out: what is known of it, and everything that has to go because of it.
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { UploadFailure } from './uploads.ts';

export interface HeldContent {
  readonly id: string;
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly object_key: string;
}

/** SQL of streams `s` that play or show one of the uploads $1, or are about to. */
const playing = `
  from streams s
  where s.state in ('preparing', 'activating', 'active', 'failing') and (
    s.video_upload_id = any ($1) or s.audio_upload_id = any ($1)
    or s.look #>> '{overlays,logo,uploadID}' = any ($1) or s.look #>> '{stinger,uploadID}' = any ($1)
    or exists (
      select from timeline_entries t, jsonb_array_elements(t.snapshot -> 'items') as item
      where t.stream_id = s.id and item ->> 'uploadID' = any ($1)))`;

export function blockedContents(db: Queryable) {
  return {
    find: (bytesHash: string) =>
      one<{ reason: string; blocked_at: Date }>(
        db,
        'select reason, blocked_at from blocked_contents where bytes_hash = $1',
        [bytesHash],
      ),

    /**
     * Locks what is known of these bytes until the transaction ends: who blocks them and who notes an upload of them
     * take turns.
     */
    lock: (bytesHash: string) => db.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [bytesHash]),

    /** @returns false if it was blocked before */
    block: async (bytesHash: string, reason: string) => {
      const { rowCount } = await db.query(
        'insert into blocked_contents (bytes_hash, reason) values ($1, $2) on conflict (bytes_hash) do nothing',
        [bytesHash, reason],
      );
      return rowCount === 1;
    },

    /** @returns false if it was not blocked */
    unblock: async (bytesHash: string) =>
      (await db.query('delete from blocked_contents where bytes_hash = $1', [bytesHash])).rowCount === 1,

    /**
     * All uploads of these bytes, whoever made them. The name of a content begins with the hash of its bytes, by which
     * there is an index.
     */
    uploadsOf: (bytesHash: string) =>
      all<HeldContent>(
        db,
        `select u.id, u.user_id, a.email, u.name, u.object_key from uploads u join users a on a.id = u.user_id
         where split_part(u.content_hash, '-', 1) = $1 order by u.id`,
        [bytesHash],
      ),

    /** Ids of the streams that play one of these uploads, or are about to. */
    streamsPlaying: async (uploadIDs: readonly string[]) =>
      (await all<{ id: string }>(db, `select s.id ${playing} order by s.id`, [uploadIDs])).map(({ id }) => id),

    /**
     * Makes an upload one that failed. It has no content any more, so that what was prepared from it is an orphan.
     */
    emptyUpload: (uploadID: string, failure: UploadFailure) =>
      db.query(`update uploads set probe_state = 'failed', failure = $2, content_hash = null where id = $1`, [
        uploadID,
        failure,
      ]),
  };
}
